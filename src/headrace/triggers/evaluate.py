"""Evaluate: what triggers make of a batch of events. No I/O: a thread does it while no transaction is open."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from headrace.errors import BadRequest
from headrace.model.budget import Budget
from headrace.model.delivery import Made, Waiting, event_scope, make_delivery, patterns
from headrace.model.trigger import Rule

# What one turn of a tenant may cost before the events that are left wait for its next turn.
MOST_DELIVERIES = 5_000
MOST_STEPS = 1_000_000
MOST_TEXT = 10_000_000


class Delivery(NamedTuple):
    """What a trigger makes of an event."""

    event: Any
    waiting: Waiting
    made: Made

    @property
    def rule(self) -> Rule:
        """The rule of one that fires."""
        if isinstance(self.waiting.rule, BadRequest):
            raise self.waiting.rule
        return self.waiting.rule

    @property
    def trigger_id(self) -> UUID:
        return self.waiting.trigger_id


class Evaluated(NamedTuple):
    """Deliveries of the first events of a batch, and of how many."""

    deliveries: list[Delivery]
    events: int


class _Turn:
    """What the turn has cost so far."""

    def __init__(self) -> None:
        self._deliveries = self._steps = self._text = 0

    def add(self, budget: Budget, made: Made) -> None:
        self._deliveries += 1
        self._steps += budget.steps
        self._text += budget.text + len(made.payload or "")

    def is_over(self) -> bool:
        return self._deliveries >= MOST_DELIVERIES or self._steps >= MOST_STEPS or self._text >= MOST_TEXT


def evaluate(events: Sequence[Any], waiting: Mapping[str, Sequence[Waiting]]) -> Evaluated:
    """Deliveries for the triggers that wait by name; at least one event is evaluated, however much that costs."""
    turn = _Turn()
    deliveries: list[Delivery] = []
    for number, event in enumerate(events):
        if turn.is_over():
            return Evaluated(deliveries, number)
        wanted = [each for pattern in patterns(event["name"]) for each in waiting.get(pattern, ())]
        data = json.loads(event["data"]) if wanted else None
        for each in wanted:
            budget = Budget()
            made = make_delivery(each, _scope(event, data, each), budget)
            turn.add(budget, made)
            deliveries.append(Delivery(event, each, made))
    return Evaluated(deliveries, len(events))


def _scope(event: Any, data: Any, waiting: Waiting) -> dict[str, Any]:
    name = "" if isinstance(waiting.rule, BadRequest) else waiting.rule.name
    return event_scope(
        data=data, name=event["name"], trigger=name, tenant=event["tenant"], emitted_at=event["emitted_at"]
    )
