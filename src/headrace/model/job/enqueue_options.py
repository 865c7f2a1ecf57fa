"""What can be asked of a job, as keyword arguments. `make docs` writes this from `JobRequest`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict


class CommonOptions(TypedDict, total=False):
    """What one request can ask of one job and of many."""

    tenant: str
    """The tenant of the job."""
    connection: Any
    """Your own connection: the job is part of its transaction."""
    queue: str | None
    """The queue of the job; by default the definition's."""
    priority: int | None
    """Jobs with a lower number run first."""
    delay: timedelta | float | None
    """How long the job waits before it may run."""
    scheduled_for: datetime | None
    """The job does not run before this time."""
    dedupe_while: Literal["live", "waiting"]
    """Until when a dedupe key is taken: until its job has ended, or until its job runs."""
    correlation_id: str | None
    """A mark of jobs that belong together."""
    max_attempts: int | None
    """Attempts at most; by default the definition's."""


class EnqueueOptions(CommonOptions, total=False):
    """What can be asked of one job."""

    dedupe_key: str | None
    """One live job for each key."""
    idempotency_key: str | None
    """The same job for each key, for as long as history is kept."""


class EnqueueManyOptions(CommonOptions, total=False):
    """What can be asked of many jobs."""

    dedupe_keys: Sequence[str | None] | None
    """A key, or None, for each payload. One live job for each key."""
    idempotency_keys: Sequence[str | None] | None
    """A key, or None, for each payload. The same job for each key, for as long as history is kept."""
