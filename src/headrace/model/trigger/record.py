"""A trigger and what came of it, as a reader sees them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from headrace.model.time.preview import Preview

Obstacle = Literal["deleted_from_code", "definition_disabled", "secret_fields", "tenant_not_allowed", "no_worker"]


class Trigger(NamedTuple):
    """A trigger as it stands."""

    id: UUID
    tenant: str
    name: str
    definition: str
    enabled: bool
    pause_note: str | None
    settings: dict[str, Any]
    overrides: dict[str, tuple[Any, Any]]
    """Settings that were changed by hand: what code says, and what holds."""
    app: str | None
    version: int
    next_run_at: datetime | None
    pending_due_at: datetime | None
    last_run_at: datetime | None
    last_error: str | None
    fires: int
    runs: int
    created_at: datetime
    created_by: str | None
    obstacle: Obstacle | None = None
    """Why it comes to nothing though it is on: no job can be enqueued or, with `no_worker`, nobody would run it."""


class Fire(NamedTuple):
    """A fire: a due time, or with `until` a stretch of them, and what became of it."""

    due_at: datetime
    outcome: str
    reason: str | None
    detail: str | None
    until: datetime | None
    n: int | None
    job_id: UUID | None
    triggered_by: str
    occasion: str
    at: datetime


class Delivered(NamedTuple):
    """What a trigger made of an event."""

    event_id: UUID
    event: str
    emitted_at: datetime
    outcome: str
    reason: str | None
    detail: str | None
    job_id: UUID | None


class Forecast(NamedTuple):
    """When a schedule fires next, and its rule in plain words."""

    words: str
    times: list[Preview]
