"""`/definitions`: what may be run."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import ConfigDict, Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors, Cursor
from headrace.api.schemas import Page, RequestModel, ResponseModel, without_defaults
from headrace.define.read import DefinitionRecord
from headrace.model.definition import Kind
from headrace.model.settings.definition import DeclaredSettings

router = new_router(prefix="/definitions", tags=["definitions"])


class DefinitionIdentity(ResponseModel):
    """What a definition is, beside its settings."""

    key: str
    kind: Kind
    payload_schema: dict[str, Any] = Field(description="JSON Schema of the payload")
    secret_fields: list[str] = Field(description="arguments that are stored encrypted and shown masked")


class DefinitionAnswer(DeclaredSettings, DefinitionIdentity):
    """A definition, with the schema of its arguments."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra=without_defaults, json_schema_serialization_defaults_required=True
    )


class DefinitionQuery(RequestModel):
    """A page of definitions."""

    limit: int = Field(default=100, ge=1, le=500)
    cursor: Cursor = None


DefinitionsAnswer = Page[DefinitionAnswer]


def definition_answer(definition: DefinitionRecord) -> DefinitionAnswer:
    """What anybody may know of it. Not validated: a value that should not be there is for people to see."""
    return DefinitionAnswer.model_construct(**definition_fields(definition))


def definition_fields(definition: DefinitionRecord) -> dict[str, Any]:
    """Of the record, what everybody may see."""
    names = ("key", "kind", "description", "payload_schema", "secret_fields")
    said = {name: getattr(definition, name) for name in names}
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in definition.settings.items()}
    return {**said, "tags": tuple(definition.tags), **settings}


@router.get("")
async def list_definitions(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[DefinitionQuery, Query()]
) -> DefinitionsAnswer:
    """List the definitions that you may run, by key."""
    page = await service.definitions.list(limit=query.limit, cursor=await cursors.read(query.cursor))
    items = [definition_answer(one) for one in page.items]
    return DefinitionsAnswer(items=items, next_cursor=await cursors.write(page.next_cursor))


@router.get("/{key}")
async def get_definition(service: CurrentService, key: str) -> DefinitionAnswer:
    """Show one definition that you may run."""
    return definition_answer(await service.definitions.get(key))
