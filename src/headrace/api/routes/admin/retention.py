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
    """Days of retention, by the configuration of this server."""

    jobs_days: float = Field(description="days of ended jobs of definitions without their own retention")
    dead_letters_days: float = Field(description="fewest days of dead letters")
    logs_days: float
    fires_days: float
    events_days: float
    rollups_days: float
    tokens_days: float
    audit_days: float


class OwnRetentionAnswer(ResponseModel):
    """A definition with its own retention."""

    definition: str
    days: float | None
    count: int | None = Field(description="how many of the last ended jobs always stay")


class WeekAnswer(ResponseModel):
    """A partition of jobs and their attempts."""

    lower_bound: datetime
    upper_bound: datetime
    jobs: int = Field(description="about how many jobs the partition has")
    bytes: int = Field(description="size of the partition's tables and indexes")
    leaving: bool = Field(description="whether the partition is being dropped")


class LastRunAnswer(ResponseModel):
    """The last prune that ended."""

    job_id: UUID
    status: str
    finished_at: datetime
    result: Any


class RetentionAnswer(ResponseModel):
    """The settings, the stored amounts, and the last run."""

    settings: DaysAnswer
    definitions: list[OwnRetentionAnswer]
    weeks: list[WeekAnswer]
    last_run: LastRunAnswer | None


class ShareAnswer(ResponseModel):
    """What would be removed of one definition."""

    definition: str
    jobs: int
    bytes: int = Field(description="about")


class WholeWeekAnswer(ResponseModel):
    """A week whose partition would be dropped."""

    lower_bound: datetime
    upper_bound: datetime
    jobs: int
    bytes: int


class RetentionPreview(ResponseModel):
    """What a prune would remove now."""

    jobs: int
    bytes: int = Field(description="about how many bytes; deleted rows make room for new rows, not on the disk")
    definitions: list[ShareAnswer]
    weeks: list[WholeWeekAnswer] = Field(
        description="weeks whose partitions would be dropped; their jobs are counted above too"
    )


class RetentionRunAnswer(ResponseModel):
    """The job that prunes."""

    job_id: UUID


def _week(week: Week) -> WeekAnswer:
    return WeekAnswer(**{name: getattr(week, name) for name in WeekAnswer.model_fields})


@router.get("")
async def get_retention(service: CurrentService) -> RetentionAnswer:
    """Show the settings of retention and the stored amounts."""
    state = await service.retention.show()
    return RetentionAnswer(
        settings=DaysAnswer.model_validate(state.settings, from_attributes=True),
        definitions=[OwnRetentionAnswer.model_validate(own) for own in state.definitions],
        weeks=[_week(week) for week in state.weeks],
        last_run=None if state.last_run is None else LastRunAnswer.model_validate(state.last_run),
    )


@router.get("/preview")
async def preview_retention(service: CurrentService) -> RetentionPreview:
    """Count what a prune would remove now. This may take seconds with much history."""
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
    """Let a worker prune now."""
    return RetentionRunAnswer(job_id=await service.retention.run())
