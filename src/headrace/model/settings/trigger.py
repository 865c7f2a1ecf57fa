"""What a person or code may say of a trigger, by the names of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypedDict

from headrace.errors import BadRequest
from headrace.model.field_context import field_context
from headrace.model.settings.trigger_values import check_values
from headrace.model.text import NotJsonError, to_json
from headrace.model.time.zone import EARLIEST
from headrace.model.trigger.catch_up import CatchUp
from headrace.model.trigger.overlap import Overlap
from headrace.model.trigger.rule import Rule, TriggerType


class TriggerSettings(TypedDict, total=False):
    """A schedule has `cron` or `every_seconds`, an event trigger `event`; the rest has defaults."""

    trigger_type: TriggerType
    cron: str | None
    every_seconds: float | None
    timezone: str
    starts_at: datetime | None
    ends_at: datetime | None
    max_fires: int | None
    init_version: str
    event: str | None
    payload: dict[str, Any]
    condition: str | None
    queue: str | None
    priority: int | None
    max_attempts: int | None
    catch_up: CatchUp
    catch_up_cap: int
    misfire_grace_seconds: float
    overlap: Overlap
    jitter_seconds: float
    dedupe_window_seconds: float | None
    pause_on_failures: int | None


DEFAULTS: Mapping[str, Any] = {
    "trigger_type": "schedule",
    "cron": None,
    "every_seconds": None,
    "timezone": "UTC",
    "starts_at": None,
    "ends_at": None,
    "max_fires": None,
    "init_version": "",
    "event": None,
    "payload": {},
    "condition": None,
    "queue": None,
    "priority": None,
    "max_attempts": None,
    "catch_up": "latest",
    "catch_up_cap": 100,
    "misfire_grace_seconds": 60.0,
    "overlap": "allow",
    "jitter_seconds": 0.0,
    "dedupe_window_seconds": None,
    "pause_on_failures": None,
}
# These say together when a trigger fires, so they are changed together.
RULE_COLUMNS = ("trigger_type", "cron", "every_seconds", "init_version", "event")


@dataclass(frozen=True, slots=True)
class TriggerDeclaration:
    """A trigger in code: its name, and what code says of it."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)


def complete_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """All settings, with defaults for what was not said, or `BadRequest` naming what is unknown or wrong."""
    if unknown := sorted(set(settings) - set(DEFAULTS)):
        raise BadRequest(f"A trigger has no {', '.join(unknown)}; there are {', '.join(DEFAULTS)}.", field=unknown[0])
    complete = {**DEFAULTS, **{name: _plain(value) for name, value in settings.items()}}
    if complete["trigger_type"] == "schedule" and "trigger_type" not in settings and complete["event"] is not None:
        complete["trigger_type"] = "event"
    read_settings("trigger", complete)
    return complete


def read_settings(name: str, settings: Mapping[str, Any], *, now: datetime | None = None) -> Rule:
    """The rule that complete settings say, or `BadRequest`."""
    check_values(settings)
    try:
        payload = to_json(settings["payload"])
    except NotJsonError as error:
        raise BadRequest(f"The payload cannot be stored: {error}", field="payload") from None
    # An interval without a start begins when it is stored, by the database's clock; any time does for checking it.
    start = settings["starts_at"]
    if start is None and settings["every_seconds"] is not None:
        start = now or EARLIEST
    rule = Rule.read({**settings, "name": name, "definition_id": 0, "payload": payload, "starts_at": start})
    if rule.condition is not None:
        with field_context("condition"):
            rule.condition.expression.check_calls()
    return rule


def _plain(value: Any) -> Any:
    return value.total_seconds() if isinstance(value, timedelta) else value
