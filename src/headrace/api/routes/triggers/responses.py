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

    declared: Any = Field(description="the value in code")
    current: Any = Field(description="what holds")


class TriggerIdentity(ResponseModel):
    """A trigger, beside its settings."""

    id: UUID
    tenant: str
    name: str
    definition: str
    enabled: bool
    pause_note: str | None
    app: str | None = Field(description="the app whose code declares the trigger")
    overrides: dict[str, Override] = Field(description="settings that were changed by hand and differ from code")
    version: int
    next_run_at: datetime | None
    pending_due_at: datetime | None = Field(description="a due time that waits for the end of an earlier job")
    last_run_at: datetime | None
    last_error: str | None
    fires: int = Field(description="jobs by the rule")
    runs: int = Field(description="jobs by the rule, by hand and by backfills")
    created_at: datetime
    created_by: str | None
    obstacle: Obstacle | None = Field(
        description="why an enabled trigger makes no jobs: its definition was deleted, is disabled or has secret "
        "fields, its tenant may not run it, or no live worker runs it"
    )


class TriggerAnswer(TriggerSettings, TriggerIdentity):
    """A trigger."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra=without_defaults, json_schema_serialization_defaults_required=True
    )


class FireAnswer(ResponseModel):
    """A fire: what became of a due time, or with `until` of a stretch of due times."""

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
    """A delivery: what a trigger made of an event."""

    event_id: UUID
    event: str
    emitted_at: datetime
    outcome: Literal["fired", "skipped"]
    reason: str | None
    detail: str | None
    job_id: UUID | None


class RanAnswer(ResponseModel):
    """Whether the trigger fired; if not, the reason, and the live job that prevented it."""

    fired: bool
    job_id: UUID
    reason: str | None


class SkippedAnswer(ResponseModel):
    """The due time that is skipped."""

    skipped: datetime


class BackfillAnswer(ResponseModel):
    """The jobs, oldest first; their fires have the occasion."""

    occasion: UUID
    job_ids: list[UUID]
    skipped: int


class DueTime(ResponseModel):
    """A future due time, and the effect of a change of clocks."""

    due_at: datetime
    note: str | None


class PreviewAnswer(ResponseModel):
    """The next due times, and the rule in words."""

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
