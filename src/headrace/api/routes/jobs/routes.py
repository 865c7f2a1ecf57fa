"""`/jobs`: enqueue, look, change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Header, Query, Response
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import Name, Page, RequestModel, ResponseModel, Text
from headrace.api.timestamps import Moment
from headrace.model.job.status import JobStatus
from headrace.service.jobs.enqueue import LARGEST_BATCH, JobRequest
from headrace.service.jobs.filter import JobFilter
from headrace.service.jobs.records import AttemptRecord, JobRecord, WholeJob

router = new_router(prefix="/jobs", tags=["jobs"])


class NewJob(RequestModel):
    """A job to enqueue."""

    definition: Name = Field(description="what to run", examples=["sync-dropbox"])
    payload: dict[str, Any] = Field(default={}, description="its arguments", examples=[{"path_prefix": "/reports"}])
    priority: int | None = Field(default=None, ge=0, le=1000, description="lower runs sooner")
    queue: Name | None = Field(default=None, max_length=100, description="the definition's by default")
    scheduled_for: Moment | None = Field(default=None, description="not before this time")
    delay_seconds: float | None = Field(default=None, ge=0, le=315_360_000, description="not before then, in seconds")
    dedupe_key: Text | None = Field(default=None, min_length=1, max_length=500, description="one live job a key")
    idempotency_key: Text | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        description="the same job for each key for as long as history is kept",
    )
    correlation_id: Text | None = Field(default=None, max_length=500, description="groups jobs that belong together")
    max_attempts: int | None = Field(default=None, ge=1, le=1000)

    def request(self) -> JobRequest:
        """What the service is asked for."""
        return JobRequest(**self.model_dump())


class Batch(RequestModel):
    """Jobs to enqueue together, all or none."""

    jobs: list[NewJob] = Field(max_length=LARGEST_BATCH)


class BatchItem(ResponseModel):
    """A job of a batch, and whether the batch made it."""

    id: UUID
    created: bool


class BatchAnswer(ResponseModel):
    """In the order of the request."""

    jobs: list[BatchItem]


class JobAnswer(ResponseModel):
    """A job in a list."""

    id: UUID
    tenant: str
    definition: str
    kind: str
    queue: str
    status: JobStatus
    priority: int
    source: str = Field(
        description="how it came to be: api, sql, scheduler, catchup, manual, event, backfill, retry, system"
    )
    source_ref: UUID | None = Field(description="the trigger, event or job that it came from")
    trigger_id: UUID | None = Field(description="the trigger that made it")
    event_id: UUID | None = Field(description="the event for which its trigger made it")
    retry_of: UUID | None = Field(description="the job that it runs again with another payload")
    replaced_by: UUID | None = Field(
        description="the job that runs in its place: this one is closed as canceled, and cannot be retried"
    )
    correlation_id: str | None
    dedupe_key: str | None
    idempotency_key: str | None
    scheduled_for: datetime | None
    created_at: datetime
    created_by: str | None
    run_at: datetime | None = Field(description="when a scheduled job is due")
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    attempt_count: int
    max_attempts: int
    run: int = Field(description="how often it was claimed")
    worker: str | None
    last_error: str | None
    cancel_requested: bool
    progress: float | None
    progress_message: str | None


class WholeJobAnswer(JobAnswer):
    """A job with its payload and result; secret fields are masked."""

    payload: dict[str, Any]
    result: Any


class JobsAnswer(Page[JobAnswer]):
    """A page of jobs, newest first."""

    searched_to: datetime | None = Field(
        default=None,
        description="the page is short for it looked back to here only: go on with next_cursor",
    )


class AttemptAnswer(ResponseModel):
    """What came of one run."""

    run: int
    outcome: str
    final: JobStatus | None
    worker: str | None
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime
    error: str | None
    traceback: str | None
    result: Any
    detail: dict[str, Any] | None = Field(description="of a command: exit code, signal, CPU, memory, tails, argv")


class AttemptsAnswer(ResponseModel):
    """All runs that ended, in order."""

    items: list[AttemptAnswer]


class RetryRequest(RequestModel):
    """How to run a job again."""

    payload: dict[str, Any] | None = Field(
        default=None,
        description="another payload: makes a new job, which replaces this one if it failed; masked values are kept",
    )


class JobQuery(RequestModel):
    """Filters of a list; all must hold."""

    status: list[JobStatus] = Field(default=[], description="any of these")
    definition: Name | None = None
    queue: Name | None = None
    source: Text | None = None
    trigger: UUID | None = Field(default=None, description="made by this trigger, at its times or by its events")
    event: UUID | None = Field(default=None, description="made by triggers of this event")
    correlation_id: Text | None = None
    worker: Text | None = Field(default=None, description="a worker's name or number; looks at a bounded window")
    q: Text | None = Field(default=None, min_length=1, max_length=200, description="text of an error, within a window")
    created_after: Moment | None = None
    created_before: Moment | None = None
    include_system: bool = Field(default=False, description="Headrace's own jobs too, for super-admins")
    limit: int = Field(default=50, ge=1, le=500)
    cursor: UUID | None = Field(default=None, description="`next_cursor` of the page before")
    offset: int = Field(default=0, ge=0, le=10_000)

    def filter(self) -> JobFilter:
        """What the service is asked for."""
        chosen = self.model_dump(exclude={"limit", "cursor", "offset", "status"})
        return JobFilter(status=tuple(self.status), **chosen)


def job_answer(job: JobRecord) -> JobAnswer:
    """With the names that the API has for them."""
    return JobAnswer(**_fields(job))


def whole_answer(job: WholeJob) -> WholeJobAnswer:
    """The same with payload and result."""
    return WholeJobAnswer(**_fields(job))


def _fields(job: JobRecord) -> dict[str, Any]:
    names = type(job).__dataclass_fields__
    return {name: getattr(job, name) for name in names}


def attempts_answer(attempts: Sequence[AttemptRecord]) -> AttemptsAnswer:
    """As a list."""
    return AttemptsAnswer(items=[AttemptAnswer.model_validate(attempt) for attempt in attempts])


@router.post("", status_code=201, responses={200: {"model": WholeJobAnswer, "description": "it was there already"}})
async def enqueue(
    service: CurrentService,
    new: NewJob,
    response: Response,
    idempotency_key: Annotated[str | None, Header(max_length=500)] = None,
) -> WholeJobAnswer:
    """Enqueue a job; 200 with the existing one when a key says that it is there already."""
    if idempotency_key is not None and new.idempotency_key is None:
        new = new.model_copy(update={"idempotency_key": idempotency_key})
    enqueued = await service.jobs.enqueue(new.request())
    response.status_code = 201 if enqueued.created else 200
    return whole_answer(enqueued.job)


@router.post("/batch", status_code=201)
async def enqueue_batch(service: CurrentService, batch: Batch) -> BatchAnswer:
    """Enqueue up to 10,000 jobs, all or none."""
    made = await service.jobs.enqueue_many([job.request() for job in batch.jobs])
    return BatchAnswer(jobs=[BatchItem(id=job_id, created=created) for job_id, created in made])


@router.get("")
async def list_jobs(service: CurrentService, query: Annotated[JobQuery, Query()]) -> JobsAnswer:
    """Jobs, newest first."""
    cursor = None if query.cursor is None else str(query.cursor)
    page = await service.jobs.list(query.filter(), limit=query.limit, cursor=cursor, offset=query.offset)
    return JobsAnswer(
        items=[job_answer(job) for job in page.items], next_cursor=page.next_cursor, searched_to=page.searched_to
    )


@router.get("/{job_id}")
async def get_job(service: CurrentService, job_id: UUID) -> WholeJobAnswer:
    """One job as it stands."""
    return whole_answer(await service.jobs.get(job_id))


@router.get("/{job_id}/attempts")
async def list_attempts(service: CurrentService, job_id: UUID) -> AttemptsAnswer:
    """What came of each of its runs."""
    return attempts_answer(await service.jobs.attempts(job_id))


@router.post("/{job_id}/cancel")
async def cancel_job(service: CurrentService, job_id: UUID) -> WholeJobAnswer:
    """Cancel it, or tell it to stop if it runs; a job that has ended stays as it is."""
    return whole_answer(await service.jobs.cancel(job_id))


@router.post("/{job_id}/retry")
async def retry_job(service: CurrentService, job_id: UUID, retry: RetryRequest | None = None) -> WholeJobAnswer:
    """Run an ended job again; with another payload as a new job, which replaces one that failed."""
    return whole_answer(await service.jobs.retry(job_id, payload=None if retry is None else retry.payload))
