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
    """The delay before the earliest start of the job."""
    scheduled_for: datetime | None
    """The earliest start of the job."""
    dedupe_while: Literal["live", "waiting"]
    """How long a job has its dedupe key: until the job has ended, or until the job is claimed."""
    correlation_id: str | None
    """An id that related jobs share."""
    max_attempts: int | None
    """The most attempts; by default the definition's."""


class EnqueueOptions(CommonOptions, total=False):
    """What can be asked of one job."""

    dedupe_key: str | None
    """A key that one live job of the tenant has at a time."""
    idempotency_key: str | None
    """A repeated request with this key returns the same job while history is kept."""


class EnqueueManyOptions(CommonOptions, total=False):
    """What can be asked of many jobs."""

    dedupe_keys: Sequence[str | None] | None
    """A key, or None, for each payload. A key that one live job of the tenant has at a time."""
    idempotency_keys: Sequence[str | None] | None
    """A key, or None, for each payload. A repeated request with this key returns the same job while history is kept."""
