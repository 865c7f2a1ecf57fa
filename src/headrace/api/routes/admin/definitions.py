"""`/admin/jobs/definitions`: everything that can be run, or once could, and how it is set up."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import ConfigDict, Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors
from headrace.api.routes.admin.pausing import PauseAnswer, PauseRequest
from headrace.api.routes.definitions import DefinitionAnswer, DefinitionQuery, definition_fields
from headrace.api.routes.triggers.responses import Override
from headrace.api.schemas import Name, Page, RequestModel, ResponseModel, Text, without_defaults
from headrace.define.read import DefinitionRecord
from headrace.model.settings.definition import DefinitionSettings, OperatorSettings
from headrace.service.definitions.service import DefinitionStatistics

router = new_router(prefix="/admin/jobs/definitions", tags=["definitions"])


class SqlIdentity(RequestModel):
    """What a SQL job is, beside its settings."""

    key: Name = Field(examples=["refresh-totals"])
    function: Text = Field(description="takes () or (jsonb), returns jsonb", examples=["public.refresh_totals(jsonb)"])
    description: Text = ""


class NewSqlDefinition(DefinitionSettings, SqlIdentity):
    """A job that calls a function of the database."""

    model_config = ConfigDict(defer_build=False)


class DefinitionChange(OperatorSettings):
    """Settings to change. What is left out stays as it is."""

    model_config = ConfigDict(defer_build=False, json_schema_extra=without_defaults)


class InspectQuery(DefinitionQuery):
    """The page, and whether system definitions are included."""

    include_system: bool = Field(default=False, description="whether to include the definitions of Headrace's own jobs")


class InspectedDefinition(DefinitionAnswer):
    """A definition with its details for operators."""

    app: str = Field(description="the app whose code declares the definition")
    system: bool = Field(description="whether this is one of Headrace's own jobs")
    function: str | None = Field(description="the function that a SQL job calls")
    enabled: bool
    paused: bool
    pause: PauseAnswer | None
    overrides: dict[str, Override] = Field(description="settings that an operator changed")
    deleted_from_code_at: datetime | None
    synced_at: datetime
    workers: list[str] = Field(description="live workers that know the definition")


class HourAnswer(ResponseModel):
    """Counts of one hour."""

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
    """The last day by hour, and durations of attempts in the last seven days; null without attempts."""

    hours: list[HourAnswer]
    runs: int
    mean_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None


class DefinitionDetail(InspectedDefinition):
    """One definition, with its recent statistics."""

    statistics: StatisticsAnswer


def _fields(definition: DefinitionRecord) -> dict[str, Any]:
    names = ("app", "system", "function", "enabled", "deleted_from_code_at", "synced_at", "workers")
    overrides = {name: Override(declared=pair[0], current=pair[1]) for name, pair in definition.overrides.items()}
    more = {name: getattr(definition, name) for name in names}
    pause = None if definition.pause is None else PauseAnswer.model_validate(definition.pause)
    return {
        **definition_fields(definition),
        **more,
        "overrides": overrides,
        "paused": pause is not None,
        "pause": pause,
    }


def _inspected(definition: DefinitionRecord) -> InspectedDefinition:
    return InspectedDefinition.model_construct(**_fields(definition))


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
    service: CurrentService, cursors: CurrentCursors, query: Annotated[InspectQuery, Query()]
) -> Page[InspectedDefinition]:
    """List all definitions by key, disabled and deleted ones too."""
    page = await service.definitions.inspect_all(
        limit=query.limit, cursor=await cursors.read(query.cursor), include_system=query.include_system
    )
    items = [_inspected(one) for one in page.items]
    return Page[InspectedDefinition](items=items, next_cursor=await cursors.write(page.next_cursor))


@router.post("", status_code=201)
async def define_sql_job(service: CurrentService, new: NewSqlDefinition) -> InspectedDefinition:
    """Create or change a SQL job, which calls a function of the database."""
    made = await service.definitions.define_sql(**new.model_dump(exclude_unset=True))
    return _inspected(made)


@router.get("/{key}")
async def inspect_definition(service: CurrentService, key: str) -> DefinitionDetail:
    """One definition, with its recent statistics."""
    definition = await service.definitions.inspect(key)
    return DefinitionDetail.model_construct(
        **_fields(definition), statistics=_statistics(await service.definitions.statistics(key))
    )


@router.patch("/{key}")
async def update_definition(service: CurrentService, key: str, changes: DefinitionChange) -> InspectedDefinition:
    """Change settings, from now on and in every worker. A sync from code keeps these changes."""
    changed = await service.definitions.update(key, **changes.model_dump(exclude_unset=True))
    return _inspected(changed)


@router.post("/{key}/pause")
async def pause_definition(service: CurrentService, key: str, pause: PauseRequest | None = None) -> InspectedDefinition:
    """Stop claims of the definition's jobs; running jobs continue, and enqueues are accepted."""
    pause = pause or PauseRequest()
    return _inspected(await service.definitions.pause(key, note=pause.note, resume_at=pause.end()))


@router.post("/{key}/resume")
async def resume_definition(service: CurrentService, key: str) -> InspectedDefinition:
    """Resume claims of the definition's jobs."""
    return _inspected(await service.definitions.resume(key))
