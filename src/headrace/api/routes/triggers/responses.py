"""What is answered about triggers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from headrace.api.schemas import Page, ResponseModel, without_defaults
from headrace.model.settings.trigger import TriggerSettings
from headrace.model.trigger.record import Obstacle, Trigger


class Override(ResponseModel):
    """A setting that was changed by hand."""

    declared: Any = Field(description="what code says")
    current: Any = Field(description="what holds")


class TriggerIdentity(ResponseModel):
    """A trigger, beside its settings."""

    id: UUID
    tenant: str
    name: str
    definition: str
    enabled: bool
    pause_note: str | None
    app: str | None = Field(description="the application whose code declares it")
    overrides: dict[str, Override] = Field(description="what was changed by hand of what code declares")
    version: int
    next_run_at: datetime | None
    pending_due_at: datetime | None = Field(description="a due time that waits for the job before it")
    last_run_at: datetime | None
    last_error: str | None
    fires: int = Field(description="jobs that its rule made")
    runs: int = Field(description="those, and runs by hand and backfills")
    created_at: datetime
    created_by: str | None
    obstacle: Obstacle | None = Field(
        description="why it comes to nothing though it is on: what it enqueues is gone, disabled or has secret fields, "
        "or no live worker runs it"
    )


class TriggerAnswer(TriggerSettings, TriggerIdentity):
    """A trigger as it stands."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra=without_defaults, json_schema_serialization_defaults_required=True
    )


class FireAnswer(ResponseModel):
    """What became of a due time, or with `until` of a stretch of them."""

    due_at: datetime
    outcome: Literal["fired", "skipped"]
    reason: str | None
    detail: str | None
    until: datetime | None
    n: int | None
    job_id: UUID | None
    triggered_by: str
    occasion: str
    at: datetime


class DeliveryAnswer(ResponseModel):
    """What a trigger made of an event."""

    event_id: UUID
    event: str
    emitted_at: datetime
    outcome: Literal["fired", "skipped"]
    reason: str | None
    detail: str | None
    job_id: UUID | None


class RanAnswer(ResponseModel):
    """Whether it fired; if not why, and then the job is the one in its way."""

    fired: bool
    job_id: UUID
    reason: str | None


class SkippedAnswer(ResponseModel):
    """The due time that will pass."""

    skipped: datetime


class BackfillAnswer(ResponseModel):
    """The jobs, oldest first; their fires have the occasion."""

    occasion: UUID
    job_ids: list[UUID]
    skipped: int


class DueTime(ResponseModel):
    """A due time to come, and what clocks do to it."""

    due_at: datetime
    note: str | None


class PreviewAnswer(ResponseModel):
    """What comes next, and the rule in words."""

    words: str
    times: list[DueTime]


class RenderedAnswer(ResponseModel):
    """The payload, or the error in its place."""

    payload: dict[str, Any] | None
    error: str | None
    condition_holds: bool | None


TriggersAnswer = Page[TriggerAnswer]
FiresAnswer = Page[FireAnswer]
DeliveriesAnswer = Page[DeliveryAnswer]


def trigger_answer(trigger: Trigger) -> TriggerAnswer:
    """A trigger as the API has it. Not validated: a value that should not be there is for people to see."""
    fields = trigger._asdict()
    settings = fields.pop("settings")
    overrides = {name: Override(declared=code, current=now) for name, (code, now) in fields.pop("overrides").items()}
    return TriggerAnswer.model_construct(overrides=overrides, **settings, **fields)
