"""`/definitions`: what may be run."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import Page, RequestModel, ResponseModel, Text
from headrace.define.read import DefinitionRecord
from headrace.model.definition import Kind

router = new_router(prefix="/definitions", tags=["definitions"])


class DefinitionAnswer(ResponseModel):
    """What can be run, and with which arguments."""

    key: str
    kind: Kind
    description: str
    tags: list[str]
    payload_schema: dict[str, Any] = Field(description="JSON Schema of its arguments")
    secret_fields: list[str] = Field(description="arguments that are stored encrypted and shown masked")
    queue: str
    priority: int
    max_attempts: int
    timeout_seconds: float | None
    retry_base_seconds: float
    retry_cap_seconds: float
    retry_jitter_seconds: float
    max_concurrency: int | None = Field(description="at once, over all workers")
    concurrency_key: str | None = Field(description="what of a payload makes jobs of a tenant count together")
    max_concurrency_per_key: int | None
    rate_limit: int | None = Field(description="starts in each period")
    rate_period_seconds: float
    rate_burst: int | None = Field(description="starts at once, after a rest; as many as the limit where it is null")
    rate_per_key: bool
    retention_days: float | None = Field(description="how long ended jobs stay; null: as configured")
    retention_count: int | None = Field(description="how many of the last ended ones stay for longer")


class DefinitionQuery(RequestModel):
    """Which part of the list."""

    limit: int = Field(default=100, ge=1, le=500)
    cursor: Text | None = Field(default=None, description="`next_cursor` of the page before")


DefinitionsAnswer = Page[DefinitionAnswer]


def definition_answer(definition: DefinitionRecord) -> DefinitionAnswer:
    """What anybody may know of it."""
    return DefinitionAnswer(
        key=definition.key,
        kind=definition.kind,
        description=definition.description,
        tags=definition.tags,
        payload_schema=definition.payload_schema,
        secret_fields=definition.secret_fields,
        **definition.settings,
    )


@router.get("")
async def list_definitions(service: CurrentService, query: Annotated[DefinitionQuery, Query()]) -> DefinitionsAnswer:
    """What you may run, by key."""
    page = await service.definitions.list(limit=query.limit, cursor=query.cursor)
    return DefinitionsAnswer(items=[definition_answer(one) for one in page.items], next_cursor=page.next_cursor)


@router.get("/{key}")
async def get_definition(service: CurrentService, key: str) -> DefinitionAnswer:
    """One that you may run."""
    return definition_answer(await service.definitions.get(key))
