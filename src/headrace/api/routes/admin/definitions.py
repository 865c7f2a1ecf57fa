"""`/admin/jobs/definitions`: everything that can be run, or once could, and how it is set up."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.routes.admin.pausing import PauseAnswer, PauseRequest
from headrace.api.routes.definitions import DefinitionAnswer, DefinitionQuery
from headrace.api.routes.triggers.responses import Override
from headrace.api.schemas import Name, Page, RequestModel, ResponseModel, Text
from headrace.define.change import RANGES
from headrace.define.read import DefinitionRecord
from headrace.service.definitions.service import DefinitionStatistics

router = new_router(prefix="/admin/jobs/definitions", tags=["definitions"])


def _range(name: str) -> Any:
    low, high = RANGES[name]
    return Field(default=None, ge=low, le=high)


class NewSqlDefinition(RequestModel):
    """A job that calls a function of the database."""

    key: Name = Field(examples=["refresh-totals"])
    function: Text = Field(description="takes () or (jsonb), returns jsonb", examples=["public.refresh_totals(jsonb)"])
    description: Text = ""
    timeout_seconds: float | None = _range("timeout_seconds")
    max_attempts: int | None = _range("max_attempts")


class DefinitionChange(RequestModel):
    """Settings to change; null is no timeout, no limit, and retention as configured."""

    enabled: bool = True
    queue: Name = Field(default="default", max_length=100)
    priority: int = _range("priority")
    max_attempts: int = _range("max_attempts")
    timeout_seconds: float | None = _range("timeout_seconds")
    retry_base_seconds: float = _range("retry_base_seconds")
    retry_cap_seconds: float = _range("retry_cap_seconds")
    retry_jitter_seconds: float = _range("retry_jitter_seconds")
    max_concurrency: int | None = _range("max_concurrency")
    concurrency_key: Text | None = Field(default=None, max_length=500, examples=["provider.id"])
    max_concurrency_per_key: int | None = _range("max_concurrency_per_key")
    rate_limit: int | None = _range("rate_limit")
    rate_period_seconds: float = _range("rate_period_seconds")
    rate_burst: int | None = _range("rate_burst")
    rate_per_key: bool = False
    retention_days: float | None = _range("retention_days")
    retention_count: int | None = _range("retention_count")


class InspectQuery(DefinitionQuery):
    """Which part of the list, and whether of the whole."""

    include_system: bool = Field(default=False, description="those of Headrace's own jobs too")


class InspectedDefinition(DefinitionAnswer):
    """A definition with what operators need to know."""

    app: str = Field(description="whose code declares it")
    system: bool = Field(description="one of Headrace's own jobs")
    function: str | None = Field(description="what a SQL job calls")
    enabled: bool
    paused: bool
    pause: PauseAnswer | None
    overrides: dict[str, Override] = Field(description="settings that an operator changed")
    deleted_from_code_at: datetime | None
    synced_at: datetime
    workers: list[str] = Field(description="live ones that know it")


class HourAnswer(ResponseModel):
    """What happened in an hour."""

    at: datetime
    enqueued: int
    succeeded: int
    failed: int
    canceled: int
    dead_letter: int
    runs: int
    retried: int
    timed_out: int
    lost: int


class StatisticsAnswer(ResponseModel):
    """The last day hour by hour, and how long runs took in the last seven days; null where there were none."""

    hours: list[HourAnswer]
    runs: int
    mean_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None


class DefinitionDetail(InspectedDefinition):
    """One definition, with how it has been doing."""

    statistics: StatisticsAnswer


def _fields(definition: DefinitionRecord) -> dict[str, Any]:
    names = ("key", "kind", "description", "tags", "payload_schema", "secret_fields", "app", "system", "function")
    more = ("enabled", "deleted_from_code_at", "synced_at", "workers")
    overrides = {name: Override(declared=pair[0], current=pair[1]) for name, pair in definition.overrides.items()}
    fields = {name: getattr(definition, name) for name in names + more}
    pause = None if definition.pause is None else PauseAnswer.model_validate(definition.pause)
    return {**fields, **definition.settings, "overrides": overrides, "paused": pause is not None, "pause": pause}


def _statistics(statistics: DefinitionStatistics) -> StatisticsAnswer:
    durations = statistics.durations
    return StatisticsAnswer(
        hours=[
            HourAnswer(
                at=hour.at, **{name: getattr(hour.counts, name) for name in HourAnswer.model_fields if name != "at"}
            )
            for hour in statistics.hours
        ],
        runs=0 if durations is None else durations.count,
        mean_seconds=None if durations is None else durations.mean,
        p50_seconds=None if durations is None else durations.percentile(0.5),
        p95_seconds=None if durations is None else durations.percentile(0.95),
    )


@router.get("")
async def inspect_definitions(
    service: CurrentService, query: Annotated[InspectQuery, Query()]
) -> Page[InspectedDefinition]:
    """All definitions by key, whatever their state."""
    page = await service.definitions.inspect_all(
        limit=query.limit, cursor=query.cursor, include_system=query.include_system
    )
    items = [InspectedDefinition(**_fields(one)) for one in page.items]
    return Page[InspectedDefinition](items=items, next_cursor=page.next_cursor)


@router.post("", status_code=201)
async def define_sql_job(service: CurrentService, new: NewSqlDefinition) -> InspectedDefinition:
    """Make or change a job that calls a function of the database."""
    made = await service.definitions.define_sql(
        new.key,
        new.function,
        description=new.description,
        timeout_seconds=new.timeout_seconds,
        max_attempts=new.max_attempts,
    )
    return InspectedDefinition(**_fields(made))


@router.get("/{key}")
async def inspect_definition(service: CurrentService, key: str) -> DefinitionDetail:
    """One definition, with how it has been doing."""
    definition = await service.definitions.inspect(key)
    return DefinitionDetail(**_fields(definition), statistics=_statistics(await service.definitions.statistics(key)))


@router.patch("/{key}")
async def update_definition(service: CurrentService, key: str, changes: DefinitionChange) -> InspectedDefinition:
    """Change settings, from now on and in every worker. A sync from code leaves them alone."""
    changed = await service.definitions.update(key, **changes.model_dump(exclude_unset=True))
    return InspectedDefinition(**_fields(changed))


@router.post("/{key}/pause")
async def pause_definition(service: CurrentService, key: str, pause: PauseRequest | None = None) -> InspectedDefinition:
    """Have no more of its jobs claimed; what runs, runs on."""
    pause = pause or PauseRequest()
    return InspectedDefinition(**_fields(await service.definitions.pause(key, note=pause.note, resume_at=pause.end())))


@router.post("/{key}/resume")
async def resume_definition(service: CurrentService, key: str) -> InspectedDefinition:
    """Have its jobs claimed again."""
    return InspectedDefinition(**_fields(await service.definitions.resume(key)))
