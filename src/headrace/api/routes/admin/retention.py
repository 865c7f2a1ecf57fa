"""`/admin/retention`: how long history is kept, what would go now, and letting it go."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import ResponseModel
from headrace.retention.week import Week

router = new_router(prefix="/admin/retention", tags=["retention"])


class DaysAnswer(ResponseModel):
    """For how many days things are kept, by the configuration of this server."""

    jobs_days: float = Field(description="ended jobs of definitions that say nothing themselves")
    dead_letters_days: float = Field(description="dead letters, at least")
    logs_days: float
    fires_days: float
    events_days: float
    rollups_days: float
    tokens_days: float


class OwnRetentionAnswer(ResponseModel):
    """A definition that says itself for how long its ended jobs stay."""

    definition: str
    days: float | None
    count: int | None = Field(description="the last so many stay for longer")


class WeekAnswer(ResponseModel):
    """A partition of jobs and their attempts."""

    lower_bound: datetime
    upper_bound: datetime
    jobs: int = Field(description="about how many it has")
    bytes: int = Field(description="what its tables and indexes take")
    leaving: bool = Field(description="nothing in it must stay, and it is being removed")


class LastRunAnswer(ResponseModel):
    """The last prune that ended."""

    job_id: UUID
    status: str
    finished_at: datetime
    result: Any


class RetentionAnswer(ResponseModel):
    """What holds, what there is, and what was done last."""

    settings: DaysAnswer
    definitions: list[OwnRetentionAnswer]
    weeks: list[WeekAnswer]
    last_run: LastRunAnswer | None


class ShareAnswer(ResponseModel):
    """What would go of one definition."""

    definition: str
    jobs: int
    bytes: int = Field(description="about")


class WholeWeekAnswer(ResponseModel):
    """A week that would go whole."""

    lower_bound: datetime
    upper_bound: datetime
    jobs: int
    bytes: int


class RetentionPreview(ResponseModel):
    """What a prune would remove now."""

    jobs: int
    bytes: int = Field(description="about; what is deleted by the row is free for new rows and not for the disk")
    definitions: list[ShareAnswer]
    weeks: list[WholeWeekAnswer] = Field(description="those that would go whole; their jobs are counted above too")


class RetentionRunAnswer(ResponseModel):
    """The job that does it."""

    job_id: UUID


def _week(week: Week) -> WeekAnswer:
    return WeekAnswer(**{name: getattr(week, name) for name in WeekAnswer.model_fields})


@router.get("")
async def get_retention(service: CurrentService) -> RetentionAnswer:
    """How long history is kept, and how much of it there is."""
    state = await service.retention.show()
    return RetentionAnswer(
        settings=DaysAnswer.model_validate(state.settings, from_attributes=True),
        definitions=[OwnRetentionAnswer.model_validate(own) for own in state.definitions],
        weeks=[_week(week) for week in state.weeks],
        last_run=None if state.last_run is None else LastRunAnswer.model_validate(state.last_run),
    )


@router.get("/preview")
async def preview_retention(service: CurrentService) -> RetentionPreview:
    """A dry run: counts what would go. May take seconds where there is much."""
    pruned = await service.retention.preview()
    return RetentionPreview(
        jobs=sum(pruned.jobs.values()),
        bytes=sum(pruned.bytes.values()),
        definitions=[ShareAnswer.model_validate(share) for share in pruned.shares()],
        weeks=[
            WholeWeekAnswer(
                lower_bound=one.week.lower_bound, upper_bound=one.week.upper_bound, jobs=one.jobs, bytes=one.week.bytes
            )
            for one in pruned.weeks
        ],
    )


@router.post("/run", status_code=202)
async def run_retention(service: CurrentService) -> RetentionRunAnswer:
    """Have a worker prune now, instead of at its time."""
    return RetentionRunAnswer(job_id=await service.retention.run())
