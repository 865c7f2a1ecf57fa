"""Evaluate: what triggers make of a batch of events. No I/O: a thread does it while no transaction is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple
from uuid import UUID

from headrace.errors import BadRequest
from headrace.model.payload.stored_json import read_object
from headrace.model.template.budget import Budget
from headrace.model.trigger.delivery import Made, Waiting, event_scope, make_delivery, patterns
from headrace.model.trigger.rule import Rule

# What one turn of a tenant may cost, give or take one trigger, before what is left waits for its next turn.
MOST_DELIVERIES = 5_000
MOST_STEPS = 300_000
MOST_TEXT = 5_000_000


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
    """Deliveries, of how many of the first events they are all, and whether some are of the event after those."""

    deliveries: list[Delivery]
    events: int
    begun: bool = False


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


def evaluate(
    events: Sequence[Any], waiting: Mapping[str, Sequence[Waiting]], delivered: Set[tuple[UUID, UUID]] = frozenset()
) -> Evaluated:
    """Deliveries for the triggers that wait by name and have none yet, until the turn is over; at least one."""
    turn = _Turn()
    deliveries: list[Delivery] = []
    for number, event in enumerate(events):
        wanted = [each for pattern in patterns(event["name"]) for each in waiting.get(pattern, ())]
        wanted = [each for each in wanted if (event["id"], each.trigger_id) not in delivered]
        data = read_object(event["data"]) if wanted and not turn.is_over() else None
        for done, each in enumerate(wanted):
            if turn.is_over():
                return Evaluated(deliveries, number, begun=done > 0)
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
