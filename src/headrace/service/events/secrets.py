"""Events as people may see them: without what triggers hand on to secret fields of jobs, or would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from headrace.aside import by_size
from headrace.db.statements import statements
from headrace.model.payload.stored_json import read_object
from headrace.model.secret.encryption import NO_KEY
from headrace.model.secret.events import compile_parts, handed_secrets
from headrace.model.secret.mask_outcome import NAME_PARTS
from headrace.model.secret.schema import WORDS, read_secret_schema
from headrace.model.template.budget import Budget
from headrace.model.template.template import Template
from headrace.model.trigger.delivery import event_scope, patterns
from headrace.service.jobs.secrets import read_secrets_within
from headrace.service.session import Scope
from headrace.triggers.enqueue import columns

SQL = statements(__file__)
# Characters of JSON that a page reads of what triggers hand on, and of the payloads of jobs.
MOST_READ = 16_000_000
MOST_READ_OF_JOBS = 50_000_000
# What a page costs to fill templates in: about a second.
MOST_TEXT = 20_000_000
MOST_STEPS = 250_000
FOR_AN_ARGUMENT = 5

# By tenant and name of event; without those that it was too much to read.
Listeners = dict[tuple[int, str], list[Any]]


async def secrets_of_events(
    scope: Scope, events: Sequence[Any], deliveries: Sequence[Any]
) -> dict[UUID, set[str] | None]:
    """By event, the values that are secret in jobs which came of it, and in those that its triggers would make.

    None where there is too much to look through: then anything may be secret.
    """
    listeners = await _listeners(scope, events)
    waiting = [(event, _waiting(event, listeners)) for event in events]
    size = sum(len(event["data"]) + sum(len(one["payload"]) for one in those) for event, those in waiting if those)
    secrets = await by_size(size, lambda: _Search().all(waiting))
    # A trigger may have been changed or deleted since: what it made knows better.
    jobs: dict[UUID, list[UUID]] = {}
    for row in deliveries:
        if row["job_id"] is not None and secrets[row["event_id"]] is not None:
            jobs.setdefault(row["job_id"], []).append(row["event_id"])
    # Triggers cannot make jobs with encrypted fields, so no key is needed.
    read = await read_secrets_within(scope.conn, NO_KEY, list(jobs), most=MOST_READ_OF_JOBS)
    for job_id, values in read.items():
        for event_id in jobs[job_id]:
            if (found := secrets[event_id]) is not None:
                secrets[event_id] = None if values is None else found | set(values)
    return secrets


async def _listeners(scope: Scope, events: Sequence[Any]) -> Listeners:
    asked = {(event["tenant_id"], name) for event in events for name in patterns(event["name"])}
    listeners: Listeners = {one: [] for one in asked}
    if asked:
        values = (*columns(sorted(asked)), "|".join(WORDS), NAME_PARTS, MOST_READ)
        for row in await scope.conn.fetch(SQL["read_listeners"], *values):
            place = row["tenant_id"], row["event"]
            if row["payload"] is None:
                listeners.pop(place, None)
            else:
                listeners[place].append(row)
    return listeners


def _waiting(event: Any, listeners: Listeners) -> list[Any] | None:
    waiting: list[Any] = []
    for name in patterns(event["name"]):
        those = listeners.get((event["tenant_id"], name))
        if those is None:
            return None
        waiting += those
    return waiting


class _Search:
    """What triggers would hand on to secret fields of jobs, as far as it may cost."""

    def __init__(self) -> None:
        self._budget = Budget(max_steps=MOST_STEPS, max_text=MOST_TEXT)
        self._compiled: dict[int, dict[str, Template]] = {}

    @property
    def _is_over(self) -> bool:
        return self._budget.steps > MOST_STEPS or self._budget.text > MOST_TEXT

    def all(self, waiting: Sequence[tuple[Any, list[Any] | None]]) -> dict[UUID, set[str] | None]:
        """By event; None for those whose triggers are not known, and when it costs too much."""
        return {event["id"]: None if those is None else self._of_event(event, those) for event, those in waiting}

    def _of_event(self, event: Any, those: Sequence[Any]) -> set[str] | None:
        data = read_object(event["data"]) if those else {}
        found: set[str] = set()
        for trigger in those:
            parts = self._parts(trigger)
            self._budget.steps += FOR_AN_ARGUMENT * len(parts)
            self._budget.text += len(trigger["payload"])
            if self._is_over:
                return None
            scope = event_scope(
                data=data,
                name=event["name"],
                trigger=trigger["name"],
                tenant=event["tenant"],
                emitted_at=event["emitted_at"],
            )
            found.update(handed_secrets(parts, scope, read_secret_schema(trigger["payload_schema"]), self._budget))
        # What did not fit the budget any more is missing among them.
        return None if self._is_over else found

    def _parts(self, trigger: Any) -> dict[str, Template]:
        """Compiled once for a page, and for no longer: payloads are large, and change."""
        if id(trigger) not in self._compiled:
            payload = read_object(trigger["payload"])
            self._budget.steps += FOR_AN_ARGUMENT * len(payload)
            self._compiled[id(trigger)] = {} if self._is_over else compile_parts(payload)
        return self._compiled[id(trigger)]
