"""What a person may say of an alert rule, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, TypedDict
from uuid import UUID

from headrace.errors import BadRequest
from headrace.model.alert.kinds import ALERT_KINDS, KINDS, AlertKind, complete_parameters
from headrace.model.alert.quiet_hours import QuietHours
from headrace.model.time.zone import zone

MOST_TARGETS = 10
CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
RANGES: Mapping[str, tuple[float, float]] = {
    "recover_after_seconds": (0, 86_400),
    "group_seconds": (0, 86_400),
    "repeat_seconds": (1, 2_592_000),
    "escalate_after": (1, 1000),
}


class RuleSettings(TypedDict, total=False):
    """What a rule looks for, whom it tells, and how often."""

    name: str
    kind: AlertKind
    parameters: Mapping[str, Any]
    targets: list[UUID]
    recover_after_seconds: float
    group_seconds: float
    repeat_seconds: float | None
    escalate_after: int | None
    escalate_to: UUID | None
    quiet_from: str | None
    quiet_until: str | None
    timezone: str


DEFAULTS: Mapping[str, Any] = {
    "parameters": {},
    "targets": [],
    "recover_after_seconds": None,  # as the kind says
    "group_seconds": 30.0,
    "repeat_seconds": None,
    "escalate_after": None,
    "escalate_to": None,
    "quiet_from": None,
    "quiet_until": None,
    "timezone": "UTC",
}


@dataclass(frozen=True, slots=True)
class AlertRule:
    """A rule as its evaluation sees it. `enabled_at`: what happened before does not count."""

    id: UUID
    tenant_id: int | None
    name: str
    kind: AlertKind
    parameters: Mapping[str, Any]
    targets: tuple[UUID, ...]
    enabled_at: datetime
    recover_after: timedelta = timedelta(0)
    group: timedelta = timedelta(0)
    repeat: timedelta | None = None
    escalate_after: int | None = None
    escalate_to: UUID | None = None
    quiet: QuietHours | None = None
    told_at: datetime | None = None


def complete_rule(settings: Mapping[str, Any]) -> dict[str, Any]:
    """All settings, with defaults for what was not said, or `BadRequest` for the first that will not do."""
    complete = {**DEFAULTS, **settings}
    kind, name = complete.get("kind"), complete.get("name")
    if kind not in ALERT_KINDS:
        raise BadRequest(f"kind is one of {', '.join(ALERT_KINDS)}, not {kind!r}", field="kind")
    if not isinstance(name, str) or not 1 <= len(name) <= 200:
        raise BadRequest("a rule has a name of 1 to 200 characters", field="name")
    complete["parameters"] = complete_parameters(kind, complete["parameters"])
    if complete["recover_after_seconds"] is None:
        complete["recover_after_seconds"] = KINDS[kind].recover_after_seconds
    for key, (low, high) in RANGES.items():
        value = complete[key]
        if value is not None and not low <= value <= high:
            raise BadRequest(f"{key} is {low:,} to {high:,}, not {value:g}", field=key)
    _check_targets(complete)
    _check_quiet_hours(complete)
    return complete


def _check_targets(settings: Mapping[str, Any]) -> None:
    if len(settings["targets"]) > MOST_TARGETS:
        raise BadRequest(f"a rule has at most {MOST_TARGETS} targets", field="targets")
    if (settings["escalate_after"] is None) != (settings["escalate_to"] is None):
        raise BadRequest("escalate_after and escalate_to go together", field="escalate_to")
    if settings["escalate_to"] in settings["targets"]:
        raise BadRequest("escalate_to is a second target, and not one that is told anyway", field="escalate_to")
    if settings["escalate_after"] is not None and settings["repeat_seconds"] is None:
        raise BadRequest("escalation counts repeats: say repeat_seconds too", field="escalate_after")


def _check_quiet_hours(settings: Mapping[str, Any]) -> None:
    start, end = settings["quiet_from"], settings["quiet_until"]
    for key, text in (("quiet_from", start), ("quiet_until", end)):
        if text is not None and not CLOCK.fullmatch(text):
            raise BadRequest(f"{key} is a time of day such as 22:00, not {text!r}", field=key)
    if (start is None) != (end is None):
        raise BadRequest("quiet_from and quiet_until go together", field="quiet_until")
    if start is not None and start == end:
        raise BadRequest("quiet hours that end when they begin are none", field="quiet_until")
    try:
        zone(settings["timezone"])
    except BadRequest as error:
        error.field = "timezone"
        raise


def quiet_hours(start: time | None, end: time | None, timezone: str) -> QuietHours | None:
    """The hours of a rule, if it has some."""
    return None if start is None or end is None else QuietHours(start, end, timezone)
