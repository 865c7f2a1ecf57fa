"""`/jobs/summary`, `/jobs/bulk` and `/jobs/{id}/why`: over many jobs, and about one."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import Name, Page, RequestModel, ResponseModel, Text
from headrace.api.state import state_of
from headrace.api.timestamps import Moment
from headrace.model.job.status import JobStatus
from headrace.service.jobs.bulk import Operation
from headrace.service.jobs.filter import JobFilter
from headrace.service.jobs.summary import JobSummary

router = new_router(prefix="/jobs", tags=["jobs"])
WINDOWS = {"1h": 1, "6h": 6, "24h": 24, "7d": 168, "30d": 720}
Window = Literal["1h", "6h", "24h", "7d", "30d"]


class SummaryAnswer(ResponseModel):
    """Live and dead-lettered jobs as they are now; those that ended otherwise, since a time."""

    scheduled: int
    queued: int
    running: int
    succeeded: int
    failed: int
    canceled: int
    dead_letter: int
    dead_letter_capped: bool = Field(description="there are more than were counted")
    oldest_queued_at: datetime | None
    oldest_queued_seconds: float | None
    since: datetime
    now: datetime


class BulkFilter(RequestModel):
    """Which jobs; all must hold."""

    status: list[JobStatus] = Field(
        default=[], description="cancel: live ones by default; retry: failed and dead_letter; delete: must be said"
    )
    definition: Name | None = None
    queue: Name | None = None
    source: Text | None = None
    trigger: UUID | None = Field(default=None, description="made by this trigger, at its times or by its events")
    event: UUID | None = Field(default=None, description="made by triggers of this event")
    correlation_id: Text | None = None
    worker: Text | None = None
    q: Text | None = Field(default=None, min_length=1, max_length=200, description="text of an error")
    created_after: Moment | None = None
    created_before: Moment | None = None
    include_system: bool = Field(default=False, description="Headrace's own jobs too, for super-admins")
    ids: list[UUID] = Field(default=[], max_length=1000, description="of these only")

    def filter(self) -> JobFilter:
        """What the service is asked for."""
        chosen = self.model_dump(exclude={"status", "ids"})
        return JobFilter(status=tuple(self.status), ids=tuple(self.ids), **chosen)


class Bulk(RequestModel):
    """A change to every job that fits."""

    action: Literal["cancel", "retry", "delete"]
    filter: BulkFilter = BulkFilter()
    per_second: int | None = Field(default=None, ge=1, le=1000, description="at most; as fast as it goes by default")
    dry_run: bool = Field(default=False, description="only count what it would be about")


class BulkCount(ResponseModel):
    """What a bulk operation would be about."""

    matching: int
    capped: bool = Field(description="there are more than were counted")


class OperationAnswer(ResponseModel):
    """A bulk operation and how far it is."""

    id: UUID
    tenant: str | None
    action: str
    filter: dict[str, Any]
    state: Literal["running", "done", "canceled", "failed"]
    expected: int
    done: int
    left_alone: int = Field(description="jobs that were no longer in a state for it")
    per_second: int | None = Field(description="how fast it may go")
    error: str | None
    created_at: datetime
    created_by: str
    updated_at: datetime
    finished_at: datetime | None


class CountAnswer(ResponseModel):
    """Jobs of one status."""

    status: JobStatus
    jobs: int
    capped: bool = Field(description="there are more than were counted")


class CountsAnswer(ResponseModel):
    """How many jobs of each status there are now, up to 10,000 of each."""

    items: list[CountAnswer]


class ReasonAnswer(ResponseModel):
    """One thing that keeps a job waiting."""

    code: str = Field(examples=["no_worker"])
    detail: str


class WhyAnswer(ResponseModel):
    """What keeps a job from running, the weightiest first."""

    reasons: list[ReasonAnswer]


def summary_answer(summary: JobSummary) -> SummaryAnswer:
    """As it is sent."""
    return SummaryAnswer.model_validate(summary)


def _operation(operation: Operation) -> OperationAnswer:
    return OperationAnswer.model_validate(operation)


@router.get("/summary")
async def get_summary(service: CurrentService, window: Window = "24h") -> SummaryAnswer:
    """How many jobs there are of each status."""
    return summary_answer(await service.jobs.summary(window=timedelta(hours=WINDOWS[window])))


@router.get("/counts")
async def count_jobs(service: CurrentService) -> CountsAnswer:
    """How many jobs of each status a list would show."""
    return CountsAnswer(items=[CountAnswer.model_validate(one) for one in await service.jobs.counts()])


@router.post(
    "/bulk", status_code=202, responses={200: {"model": BulkCount, "description": "a dry run: what it would be about"}}
)
async def change_jobs(
    service: CurrentService, bulk: Bulk, request: Request, response: Response
) -> OperationAnswer | BulkCount:
    """Cancel, retry or delete every job that fits: counts with `dry_run`, else begins and goes on by itself."""
    if bulk.dry_run:
        response.status_code = 200
        count = await service.jobs.count(bulk.action, bulk.filter.filter())
        return BulkCount(matching=count.matching, capped=count.capped)
    operation = await service.jobs.bulk(bulk.action, bulk.filter.filter(), per_second=bulk.per_second)
    state_of(request).operations.wake()
    return _operation(operation)


@router.get("/bulk")
async def list_operations(
    service: CurrentService, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> Page[OperationAnswer]:
    """Bulk operations, newest first."""
    return Page(items=[_operation(operation) for operation in await service.operations.list(limit=limit)])


@router.get("/bulk/{operation_id}")
async def get_operation(service: CurrentService, operation_id: UUID) -> OperationAnswer:
    """How far a bulk operation is."""
    return _operation(await service.operations.get(operation_id))


@router.post("/bulk/{operation_id}/cancel")
async def cancel_operation(service: CurrentService, operation_id: UUID) -> OperationAnswer:
    """Let a bulk operation go no further; what was changed stays changed."""
    return _operation(await service.operations.cancel(operation_id))


@router.get("/{job_id}/why")
async def why(service: CurrentService, job_id: UUID) -> WhyAnswer:
    """Why it is not running; of one that runs who runs it, since when, and whether that worker is `silent`."""
    return WhyAnswer(reasons=[ReasonAnswer(code=r.code, detail=r.detail) for r in await service.jobs.why(job_id)])
