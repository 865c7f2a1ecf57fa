"""What is answered about jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from headrace.api.paging import ListCursors
from headrace.api.schemas import Page, ResponseModel
from headrace.model.job.job import JobRecord
from headrace.model.job.status import JobStatus
from headrace.service.jobs.bulk import Operation
from headrace.service.jobs.service import AttemptPage, JobPage
from headrace.service.jobs.summary import JobSummary


class BatchItem(ResponseModel):
    """A job of a batch, and whether the batch created it."""

    id: UUID
    created: bool


class BatchAnswer(ResponseModel):
    """The jobs, in the order of the request."""

    jobs: list[BatchItem]


class JobsAnswer(Page[JobRecord]):
    """A page of jobs, newest first."""

    searched_to: datetime | None = Field(
        default=None,
        description="the time down to which a short page searched; continue with next_cursor",
    )


class AttemptAnswer(ResponseModel):
    """The outcome of one attempt."""

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
    detail: dict[str, Any] | None = Field(
        description="details of a command: exit code, signal, CPU, memory, tails, argv"
    )


class AttemptsAnswer(Page[AttemptAnswer]):
    """Attempts that ended, in order. The first page has the newest attempts."""


class SummaryAnswer(ResponseModel):
    """Live jobs and dead letters now; other ended jobs since a time."""

    scheduled: int
    queued: int
    running: int
    succeeded: int
    failed: int
    canceled: int
    dead_letter: int
    dead_letter_capped: bool = Field(description="whether there are more than were counted")
    oldest_queued_at: datetime | None
    oldest_queued_seconds: float | None
    since: datetime
    now: datetime


class CountAnswer(ResponseModel):
    """Jobs of one status."""

    status: JobStatus
    jobs: int
    capped: bool = Field(description="whether there are more than were counted")


class CountsAnswer(ResponseModel):
    """Counts of jobs by status, up to 10,000 each."""

    items: list[CountAnswer]


class ReasonAnswer(ResponseModel):
    """One reason why a job waits."""

    code: str = Field(examples=["no_worker"])
    detail: str


class WhyAnswer(ResponseModel):
    """The reasons why a job does not run, the most important first."""

    reasons: list[ReasonAnswer]


class BulkCount(ResponseModel):
    """The number of jobs that match."""

    matching: int
    capped: bool = Field(description="whether there are more than were counted")


class OperationAnswer(ResponseModel):
    """A bulk operation and its progress."""

    id: UUID
    tenant: str | None
    action: str
    filter: dict[str, Any]
    state: Literal["running", "done", "canceled", "failed"]
    expected: int
    done: int
    left_alone: int = Field(description="jobs whose status had changed, so that they were left unchanged")
    per_second: int | None = Field(description="how fast it may go")
    error: str | None
    created_at: datetime
    created_by: str
    updated_at: datetime
    finished_at: datetime | None


async def jobs_answer(page: JobPage, cursors: ListCursors) -> JobsAnswer:
    """As a page."""
    cursor = await cursors.write(page.next_cursor)
    return JobsAnswer(items=page.items, next_cursor=cursor, searched_to=page.searched_to)


async def attempts_answer(page: AttemptPage, cursors: ListCursors) -> AttemptsAnswer:
    """As a page."""
    items = [AttemptAnswer.model_validate(attempt) for attempt in page.items]
    return AttemptsAnswer(items=items, next_cursor=await cursors.write(page.next_cursor))


def summary_answer(summary: JobSummary) -> SummaryAnswer:
    """As it is sent."""
    return SummaryAnswer.model_validate(summary)


def operation_answer(operation: Operation) -> OperationAnswer:
    """As it is sent."""
    return OperationAnswer.model_validate(operation)
