"""What is sent about triggers."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from headrace.api.schemas import Name, RequestModel, Text
from headrace.api.timestamps import Moment
from headrace.model.settings.trigger_values import RANGES
from headrace.model.trigger.catch_up import CatchUp
from headrace.model.trigger.overlap import Overlap
from headrace.model.trigger.rule import TriggerType
from headrace.service.triggers.render import SampleEvent
from headrace.triggers.read import TriggerFilter
from headrace.triggers.run_now import CAP, MOST_BACKFILLED, OneOrMore


def _range(name: str, default: Any = None) -> Any:
    low, high = RANGES[name]
    return Field(default=default, ge=low, le=high)


class TriggerSettingsBody(RequestModel):
    """When a trigger fires and what it then enqueues. What is left out has its default, or stays as it is."""

    trigger_type: TriggerType = Field(default="schedule", description="a schedule has cron or every_seconds")
    cron: Text | None = Field(default=None, description="five fields", examples=["0 2 * * *"])
    every_seconds: float | None = Field(default=None, description="0.1 and more, from starts_at on")
    timezone: Text = Field(default="UTC", description="an IANA name", examples=["America/New_York"])
    starts_at: Moment | None = Field(default=None, description="not before")
    ends_at: Moment | None = Field(default=None, description="not at this time or after")
    max_fires: int | None = _range("max_fires")
    init_version: Text = Field(default="", description="an init trigger fires once for each")
    event: Text | None = Field(default=None, description="the last word may be *", examples=["provider.folder.*"])
    payload: dict[str, Any] = Field(default={}, examples=[{"path_prefix": "{{event.folder_path}}"}])
    condition: Text | None = Field(default=None, description="of an event trigger", examples=["event.size > `100`"])
    queue: Name | None = Field(default=None, max_length=100, description="the definition's by default")
    priority: int | None = _range("priority")
    max_attempts: int | None = _range("max_attempts")
    catch_up: CatchUp = Field(default="latest", description="what becomes of due times that were missed")
    catch_up_cap: int = _range("catch_up_cap", 100)
    misfire_grace_seconds: float = _range("misfire_grace_seconds", 60.0)
    overlap: Overlap = Field(default="allow", description="what to do while a job of it is live")
    jitter_seconds: float = _range("jitter_seconds", 0.0)
    dedupe_window_seconds: float | None = _range("dedupe_window_seconds")
    pause_on_failures: int | None = _range("pause_on_failures")

    def settings(self) -> dict[str, Any]:
        """What was said, by the names that the service has."""
        return self.model_dump(exclude_unset=True, exclude={"name", "definition", "enabled"})


class NewTrigger(TriggerSettingsBody):
    """A trigger to make."""

    name: Text = Field(min_length=1, max_length=200, examples=["Nightly sync"])
    definition: Name = Field(description="what to run", examples=["sync-dropbox"])
    enabled: bool = True


class TriggerChanges(TriggerSettingsBody):
    """Settings to change."""

    enabled: bool | None = None


class Disable(RequestModel):
    """Why it is turned off."""

    note: Text | None = Field(default=None, max_length=1000)


class FireRequest(RequestModel):
    """How to run it now."""

    overlap: OneOrMore | None = Field(default=None, description="skip: not while a job of it is live; or as it says")


class Backfill(RequestModel):
    """Which due times to make jobs for, also those that have fired."""

    from_: Moment = Field(alias="from")
    until: Moment
    overlap: OneOrMore = "allow"
    cap: int = Field(default=CAP, ge=1, le=MOST_BACKFILLED, description="more due times than this are refused")


class TestRender(RequestModel):
    """A template and an event to try it with."""

    payload: dict[str, Any]
    event: Text = Field(default="sample", description="the name of the sample event")
    data: dict[str, Any] = Field(default={}, description="the data of the sample event, which templates call `event`")
    condition: Text | None = None
    definition: Name | None = Field(default=None, description="whose arguments the payload must fit")

    def sample(self) -> SampleEvent:
        """What the service is asked for."""
        return SampleEvent(payload=self.payload, event=self.event, data=self.data, condition=self.condition)


class TriggerQuery(RequestModel):
    """Filters of a list; all must hold."""

    definition: Name | None = None
    trigger_type: TriggerType | None = None
    enabled: bool | None = None
    event: Text | None = None
    include_system: bool = Field(default=False, description="those of Headrace's own jobs too, for super-admins")
    limit: int = Field(default=50, ge=1, le=500)
    cursor: Text | None = Field(default=None, description="`next_cursor` of the page before")

    def filter(self) -> TriggerFilter:
        """What the service is asked for."""
        return TriggerFilter(**self.model_dump(exclude={"limit", "cursor"}))


class PageQuery(RequestModel):
    """Which part of a list."""

    limit: int = Field(default=100, ge=1, le=500)
    cursor: Text | None = Field(default=None, description="`next_cursor` of the page before")


class StretchQuery(RequestModel):
    """From when until when."""

    since: Moment
    until: Moment


class PreviewQuery(RequestModel):
    """A schedule to look ahead at: cron, or every_seconds."""

    cron: Text | None = None
    every_seconds: float | None = None
    timezone: Text = "UTC"
    starts_at: Moment | None = None
    ends_at: Moment | None = None
    count: int = Field(default=10, ge=1, le=1000)

    def settings(self) -> dict[str, Any]:
        """What the service is asked for."""
        return self.model_dump(exclude={"count"})
