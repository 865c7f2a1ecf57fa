"""What is sent about triggers."""

from __future__ import annotations

from typing import Any, cast

from pydantic import ConfigDict, Field

from headrace.api.paging import Cursor
from headrace.api.schemas import Name, RequestModel, Text, without_defaults
from headrace.model.settings.options import TriggerColumns
from headrace.model.settings.trigger import TriggerSettings
from headrace.model.time.timestamps import Moment
from headrace.model.trigger.rule import TriggerType
from headrace.service.triggers.render import SampleEvent
from headrace.triggers.read import TriggerFilter
from headrace.triggers.run_now import CAP, MOST_BACKFILLED, OneOrMore


class NewTriggerIdentity(RequestModel):
    """What a new trigger is, beside its settings."""

    name: Text = Field(min_length=1, max_length=200, examples=["Nightly sync"])
    definition: Name = Field(description="the definition to run", examples=["sync-dropbox"])
    enabled: bool = True


class NewTrigger(TriggerSettings, NewTriggerIdentity):
    """A trigger to make. What is left out has its default."""

    model_config = ConfigDict(defer_build=False)


class TriggerChanges(TriggerSettings):
    """Settings to change. What is left out stays as it is."""

    model_config = ConfigDict(defer_build=False, json_schema_extra=without_defaults)

    enabled: bool | None = None


def given_settings(body: TriggerSettings) -> TriggerColumns:
    """The settings that the request names."""
    given = body.model_dump(exclude_unset=True, include=set(TriggerSettings.model_fields))
    return cast("TriggerColumns", given)


class Disable(RequestModel):
    """Why the trigger is turned off."""

    note: Text | None = Field(default=None, max_length=1000)


class FireRequest(RequestModel):
    """How to fire the trigger now."""

    overlap: OneOrMore | None = Field(
        default=None,
        description="allow, or skip: no job while a job of the trigger is live; the trigger's own by default",
    )


class Backfill(RequestModel):
    """The due times to make jobs for, also those that have fired."""

    from_: Moment = Field(alias="from")
    until: Moment
    overlap: OneOrMore = "allow"
    cap: int = Field(
        default=CAP, ge=1, le=MOST_BACKFILLED, description="the most due times; a range with more is refused"
    )


class TestRender(RequestModel):
    """A template and a sample event."""

    payload: dict[str, Any]
    event: Text = Field(default="sample", description="the name of the sample event")
    data: dict[str, Any] = Field(default={}, description="the data of the sample event, which templates call `event`")
    condition: Text | None = None
    definition: Name | None = Field(default=None, description="the definition whose schema the payload must fit")

    def sample(self) -> SampleEvent:
        """What the service is asked for."""
        return SampleEvent(payload=self.payload, event=self.event, data=self.data, condition=self.condition)


class TriggerQuery(RequestModel):
    """Filters of a list; all must match."""

    definition: Name | None = None
    trigger_type: TriggerType | None = None
    enabled: bool | None = None
    event: Text | None = None
    include_system: bool = Field(
        default=False, description="whether to include triggers of Headrace's own jobs, for super-admins"
    )
    limit: int = Field(default=50, ge=1, le=500)
    cursor: Cursor = None

    def filter(self) -> TriggerFilter:
        """What the service is asked for."""
        return TriggerFilter(**self.model_dump(exclude={"limit", "cursor"}))


class PageQuery(RequestModel):
    """A page of a list."""

    limit: int = Field(default=100, ge=1, le=500)
    cursor: Cursor = None


class StretchQuery(RequestModel):
    """A range of time."""

    since: Moment
    until: Moment


class PreviewQuery(RequestModel):
    """A schedule to preview: cron, or every_seconds."""

    cron: Text | None = None
    every_seconds: float | None = None
    timezone: Text = "UTC"
    starts_at: Moment | None = None
    ends_at: Moment | None = None
    count: int = Field(default=10, ge=1, le=1000)

    def settings(self) -> dict[str, Any]:
        """What the service is asked for."""
        return self.model_dump(exclude={"count"})
