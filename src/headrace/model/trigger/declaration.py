"""The settings that somebody gives a trigger, completed and read as its rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from headrace.errors import BadRequest
from headrace.model.field_context import field_context
from headrace.model.settings.trigger import TriggerSettings
from headrace.model.text import NotJsonError, to_json
from headrace.model.time.zone import EARLIEST
from headrace.model.trigger.rule import Rule


@dataclass(frozen=True, slots=True)
class TriggerDeclaration:
    """A trigger that code declares: its name, and the settings that code gives it."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)


def complete_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """All settings, with defaults for absent ones, or `BadRequest` with what is unknown or wrong."""
    values = {name: _seconds(value) for name, value in settings.items()}
    if "trigger_type" not in values and values.get("event") is not None:
        values["trigger_type"] = "event"
    complete = TriggerSettings.read(values).check_rules().model_dump()
    _rule("trigger", complete, None)
    return complete


def read_settings(name: str, settings: Mapping[str, Any], *, now: datetime | None = None) -> Rule:
    """The rule of complete settings, or `BadRequest`."""
    TriggerSettings.read(settings).check_rules()
    return _rule(name, settings, now)


def _rule(name: str, settings: Mapping[str, Any], now: datetime | None) -> Rule:
    try:
        payload = to_json(settings["payload"])
    except NotJsonError as error:
        raise BadRequest(f"The payload cannot be stored: {error}", field="payload") from None
    # An interval without a start begins when it is stored, by the database's clock. The check accepts any time.
    start = settings["starts_at"]
    if start is None and settings["every_seconds"] is not None:
        start = now or EARLIEST
    rule = Rule.read({**settings, "name": name, "definition_id": 0, "payload": payload, "starts_at": start})
    if rule.condition is not None:
        with field_context("condition"):
            rule.condition.expression.check_calls()
    return rule


def _seconds(value: Any) -> Any:
    return value.total_seconds() if isinstance(value, timedelta) else value
