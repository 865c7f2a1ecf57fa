"""What a trigger makes of an event: a payload, or a reason why none. Pure, and bounded by a budget of work."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from headrace.errors import BadRequest
from headrace.model.payload.schema import Check
from headrace.model.payload.stored_json import MARK, Unreadable
from headrace.model.template.budget import Budget
from headrace.model.template.expression import TemplateError
from headrace.model.trigger.fire_plan import make_payload
from headrace.model.trigger.rule import Rule


class Waiting(NamedTuple):
    """A trigger that waits for an event; `obstacle` says why its definition can have no job."""

    trigger_id: UUID
    rule: Rule | BadRequest
    obstacle: str | None
    check: Check


class Made(NamedTuple):
    """A payload as JSON text; or none, with the reason and a sentence."""

    payload: str | None
    reason: str | None = None
    detail: str | None = None


def event_scope(*, data: Any, name: str, trigger: str, tenant: str, emitted_at: datetime) -> dict[str, Any]:
    """What the condition and the payload of an event trigger may refer to."""
    return {
        "event": data,
        "trigger": {"name": trigger, "event": name},
        "tenant": tenant,
        "scheduled_for": emitted_at.isoformat(),
    }


def make_delivery(waiting: Waiting, scope: dict[str, Any], budget: Budget) -> Made:
    """What the trigger makes of the event; work beyond the budget is a `template_error`."""
    rule = waiting.rule
    if isinstance(rule, BadRequest):
        return Made(None, "invalid_trigger", str(rule))
    if waiting.obstacle is not None:
        return Made(None, waiting.obstacle)
    if isinstance(scope["event"], Unreadable):
        return Made(None, "template_error", f"event: {scope['event'][MARK]}")
    try:
        if rule.condition is not None and not rule.condition.holds(scope, budget):
            return Made(None, "condition")
    except TemplateError as error:
        return Made(None, "template_error", str(error))
    return Made(*make_payload(rule, lambda: scope, waiting.check, budget))


def patterns(name: str) -> Iterator[str]:
    """What a trigger may call the event: a.b.c is `a.b.c`, `a.b.*`, `a.*` and `*`."""
    yield name
    words = name.split(".")
    for n in range(len(words) - 1, 0, -1):
        yield f"{'.'.join(words[:n])}.*"
    yield "*"
