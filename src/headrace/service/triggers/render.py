"""What a trigger would make of an event, tried without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from headrace.errors import BadRequest, ValidationError
from headrace.model.field_context import field_context
from headrace.model.payload.json_storage import levels
from headrace.model.payload.schema import payload_check
from headrace.model.secret.fields import mask_fields
from headrace.model.secret.schema import read_secret_schema
from headrace.model.template.budget import Budget
from headrace.model.template.template import Condition, Template
from headrace.model.text import MAX_RESULT
from headrace.triggers.emit import emit_parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleEvent:
    """A template with an event to fill it from."""

    payload: Mapping[str, Any]
    event: str = "sample"
    data: Mapping[str, Any] = field(default_factory=dict)
    condition: str | None = None
    name: str = "sample"


class Rendered(NamedTuple):
    """The payload, or the error in its place; and whether the condition holds, where there is one."""

    payload: dict[str, Any] | None
    error: str | None
    condition_holds: bool | None


def render(sample: SampleEvent, *, tenant: str, schema: str | None, now: datetime) -> Rendered:
    """What would come of it; held against the definition's schema where one is given."""
    with field_context("data"):
        _check_event(sample)
    scope = {
        "event": dict(sample.data),
        "trigger": {"name": sample.name, "event": sample.event},
        "tenant": tenant,
        "scheduled_for": now.isoformat(),
    }
    holds: bool | None = None
    budget = Budget()
    try:
        if sample.condition is not None:
            holds = Condition.compile(sample.condition).holds(scope, budget)
        payload = Template.compile(sample.payload).render(scope, budget)
    except BadRequest as error:
        return Rendered(None, str(error), holds)
    problem = None if schema is None else payload_check(schema)(payload)
    if problem is not None:
        return Rendered(None, problem, holds)
    return Rendered(mask_fields(payload, read_secret_schema(schema or "{}")), None, holds)


def _check_event(sample: SampleEvent) -> None:
    """Refuse what no event can hold; what is far too large before it is written out, which nothing interrupts."""
    size = 0
    for level in levels(sample.data):
        size += len(level) + sum(len(item) for item in level if isinstance(item, str))
        if size > MAX_RESULT:
            raise ValidationError(f"an event has at most {MAX_RESULT:,} characters of JSON")
    emit_parameters(sample.event, sample.data)
