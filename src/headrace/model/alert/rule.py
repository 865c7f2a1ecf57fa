"""What a person may say of an alert rule, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID

from headrace.errors import BadRequest
from headrace.model.alert.kind import ALERT_KINDS, AlertKind
from headrace.model.alert.kinds import KINDS, complete_parameters
from headrace.model.alert.quiet_hours import QuietHours
from headrace.model.field_context import field_context
from headrace.model.settings.alert_rule import AlertRuleSettings
from headrace.model.time.zone import zone


@dataclass(frozen=True, slots=True)
class CompleteRule:
    """A rule that is read and checked, as the table takes it."""

    name: str
    kind: AlertKind
    parameters: Mapping[str, Any]
    settings: AlertRuleSettings


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


def complete_rule(said: Mapping[str, Any]) -> CompleteRule:
    """The rule with defaults for what was not said, or `BadRequest` with what is wrong."""
    rest = dict(said)
    kind, name, parameters = (rest.pop(key, None) for key in ("kind", "name", "parameters"))
    if kind not in ALERT_KINDS:
        raise BadRequest(f"kind is one of {', '.join(ALERT_KINDS)}, not {kind!r}", field="kind")
    if not isinstance(name, str) or not 1 <= len(name) <= 200:
        raise BadRequest("the name of a rule has 1 to 200 characters", field="name")
    settings = AlertRuleSettings.read(rest).check_rules()
    settings = settings.model_copy(update={"targets": tuple(dict.fromkeys(settings.targets))})
    with field_context("timezone"):
        zone(settings.timezone)
    return CompleteRule(name, kind, complete_parameters(kind, parameters or {}), settings)


def recover_after(kind: AlertKind, said: float | None) -> float:
    """Of a rule that does not say, as its kind has it."""
    return KINDS[kind].recover_after_seconds if said is None else said


def quiet_hours(start: str | None, end: str | None, timezone: str) -> QuietHours | None:
    """The hours of a rule, if it has some."""
    return (
        None
        if start is None or end is None
        else QuietHours(time.fromisoformat(start), time.fromisoformat(end), timezone)
    )
