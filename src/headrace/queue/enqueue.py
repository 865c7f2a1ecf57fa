"""Enqueue: ask the database for jobs, in whatever transaction the caller has open."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

from headrace.db.statements import statements
from headrace.errors import BadRequest
from headrace.model.time.due_time import check_delay, check_due_time
from headrace.tracing.produce import producing

SQL = statements(__file__)
ENQUEUE_MANY = SQL["enqueue_many"]


class EnqueueOptions(TypedDict, total=False):
    """What may be said of a job beside its definition and payload."""

    tenant: str
    queue: str | None
    priority: int | None
    delay: timedelta | float | None
    scheduled_for: datetime | None
    dedupe_key: str | None
    idempotency_key: str | None
    correlation_id: str | None
    max_attempts: int | None
    dedupe_while: Literal["live", "waiting"]
    connection: Any


class EnqueueManyOptions(TypedDict, total=False):
    """The same for many; keys, where given, are one (or None) for each payload."""

    tenant: str
    queue: str | None
    priority: int | None
    delay: timedelta | float | None
    scheduled_for: datetime | None
    dedupe_keys: Sequence[str | None] | None
    idempotency_keys: Sequence[str | None] | None
    correlation_id: str | None
    max_attempts: int | None
    dedupe_while: Literal["live", "waiting"]
    connection: Any


@dataclass(frozen=True, slots=True)
class EnqueueRequest:
    """Jobs to be, with payloads that are JSON text by now."""

    definition: str
    payloads: Sequence[str]
    tenant: str = "default"
    queue: str | None = None
    priority: int | None = None
    delay: timedelta | float | None = None
    scheduled_for: datetime | None = None
    dedupe_keys: Sequence[str | None] | None = None
    idempotency_keys: Sequence[str | None] | None = None
    correlation_id: str | None = None
    max_attempts: int | None = None
    dedupe_while: Literal["live", "waiting"] = "live"
    source: str = "api"
    created_by: str | None = None

    def sending(self) -> AbstractContextManager[str | None]:
        """The span around sending it; gives what its jobs are to carry."""
        jobs = None if len(self.payloads) == 1 else len(self.payloads)
        return producing(
            f"enqueue {self.definition}",
            "enqueue",
            queue=self.queue,
            definition=self.definition,
            tenant=self.tenant,
            correlation_id=self.correlation_id,
            jobs=jobs,
        )

    def parameters(self, trace: str | None = None) -> tuple[Any, ...]:
        """The values of `ENQUEUE_MANY`, in order."""
        return (
            self.definition,
            list(self.payloads),
            self.tenant,
            self.queue,
            self.priority,
            check_due_time(self.scheduled_for),
            self._delay(),
            None if self.dedupe_keys is None else list(self.dedupe_keys),
            None if self.idempotency_keys is None else list(self.idempotency_keys),
            self.correlation_id,
            self.max_attempts,
            self.dedupe_while,
            self.source,
            self.created_by,
            trace,
        )

    def _delay(self) -> timedelta | None:
        if self.delay is None:
            return None
        if self.scheduled_for is not None:
            raise BadRequest("give either delay or scheduled_for, not both")
        # The database adds it to its own clock, which alone decides.
        return check_delay(self.delay)
