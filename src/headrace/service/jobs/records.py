"""A job and its attempts as people may see them: secret fields masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from headrace.aside import by_size
from headrace.model.job.status import JobStatus
from headrace.model.payload.stored_json import read_json, read_object
from headrace.model.secret.fields import mask_fields
from headrace.model.secret.schema import read_secret_schema


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
    source: str
    source_ref: UUID | None
    trigger_id: UUID | None
    event_id: UUID | None
    retry_of: UUID | None
    replaced_by: UUID | None
    correlation_id: str | None
    dedupe_key: str | None
    idempotency_key: str | None
    scheduled_for: datetime | None
    created_at: datetime
    created_by: str | None
    run_at: datetime | None
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    attempt_count: int
    max_attempts: int
    run: int
    worker: str | None
    last_error: str | None
    cancel_requested: bool
    progress: float | None
    progress_message: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeJob(JobRecord):
    """A job with its payload and its result."""

    payload: dict[str, Any]
    result: Any

    @classmethod
    def read(cls, row: dict[str, Any]) -> Self:
        """From a row; the definition's schema says what to mask."""
        schema = read_secret_schema(row.pop("payload_schema"))
        payload = mask_fields(read_object(row.pop("payload")), schema)
        result = row.pop("result")
        row["status"] = JobStatus(row["status"])
        return cls(**row, payload=payload, result=None if result is None else mask_fields(read_json(result)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecord:
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
    detail: dict[str, Any] | None

    @classmethod
    def read(cls, row: dict[str, Any]) -> Self:
        """From a row."""
        for name in ("result", "detail"):
            row[name] = None if row[name] is None else mask_fields(read_json(row[name]))
        row["final"] = None if row["final"] is None else JobStatus(row["final"])
        return cls(**row)


async def read_whole(row: Any) -> WholeJob:
    """A job from its row; a large one beside the loop."""
    return await by_size(_size(row, "payload", "result"), WholeJob.read, dict(row))


async def read_attempts(rows: Sequence[Any]) -> list[AttemptRecord]:
    """Attempts from their rows; beside the loop where all of them together are large."""
    size = sum(_size(row, "result", "detail") for row in rows)
    return await by_size(size, lambda: [AttemptRecord.read(dict(row)) for row in rows])


def _size(row: Any, *names: str) -> int:
    return sum(len(row[name] or "") for name in names)
