"""A job as it stands: what the view `headrace.jobs` shows, Python gives back and the API answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from headrace.model.job.status import JobStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """A job without what it was given and what it gave back."""

    id: UUID
    tenant: str
    definition: str
    kind: str
    queue: str
    status: JobStatus
    priority: int
    source: Annotated[
        str,
        Field(description="how it came to be: api, sql, scheduler, catchup, manual, event, backfill, retry, system"),
    ]
    source_ref: Annotated[UUID | None, Field(description="the trigger, event or job that it came from")]
    trigger_id: Annotated[UUID | None, Field(description="the trigger that made it")]
    event_id: Annotated[UUID | None, Field(description="the event for which its trigger made it")]
    retry_of: Annotated[UUID | None, Field(description="the job that it runs again with another payload")]
    replaced_by: Annotated[
        UUID | None,
        Field(description="the job that runs in its place: this one is closed as canceled, and cannot be retried"),
    ]
    correlation_id: str | None
    dedupe_key: str | None
    idempotency_key: str | None
    scheduled_for: datetime | None
    created_at: datetime
    created_by: str | None
    run_at: Annotated[datetime | None, Field(description="when a scheduled job is due")]
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    attempt_count: int
    max_attempts: int
    run: Annotated[int, Field(description="how often it was claimed")]
    worker: str | None
    last_error: str | None
    cancel_requested: bool
    progress: float | None
    progress_message: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(JobRecord):
    """A job with its payload and its result. The control plane masks secret fields."""

    payload: dict[str, Any]
    result: Any
