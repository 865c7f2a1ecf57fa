"""Events as people may see them: without what triggers hand on to secret fields of jobs, or would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from headrace.aside import by_size
from headrace.db.statements import statements
from headrace.model.payload.stored_json import read_object
from headrace.model.secret.encryption import NO_KEY
from headrace.model.secret.events import handed_secrets
from headrace.model.secret.mask_outcome import NAME_PARTS
from headrace.model.secret.schema import WORDS, read_secret_schema
from headrace.model.trigger.delivery import event_scope, patterns
from headrace.service.jobs.secrets import read_secrets
from headrace.service.session import Scope
from headrace.triggers.enqueue import columns

SQL = statements(__file__)


async def secrets_of_events(scope: Scope, events: Sequence[Any], deliveries: Sequence[Any]) -> dict[UUID, set[str]]:
    """By event, the values that are secret in jobs which came of it, and in those that its triggers would make."""
    listeners = await _listeners(scope, events)
    waiting = [
        [one for name in patterns(event["name"]) for one in listeners.get((event["tenant_id"], name), ())]
        for event in events
    ]
    pairs = list(zip(events, waiting, strict=True))
    size = sum(len(event["data"]) + sum(len(one["payload"]) for one in those) for event, those in pairs if those)
    secrets = await by_size(size, lambda: {event["id"]: set(_handed(event, those)) for event, those in pairs})
    # A trigger may have been changed or deleted since: what it made knows better.
    jobs: dict[UUID, list[UUID]] = {}
    for row in deliveries:
        if row["job_id"] is not None:
            jobs.setdefault(row["job_id"], []).append(row["event_id"])
    # Triggers cannot make jobs with encrypted fields, so no key is needed.
    for job_id, values in (await read_secrets(scope.conn, NO_KEY, list(jobs))).items():
        for event_id in jobs[job_id]:
            secrets[event_id].update(values)
    return secrets


async def _listeners(scope: Scope, events: Sequence[Any]) -> dict[tuple[int, str], list[Any]]:
    asked = {(event["tenant_id"], name) for event in events for name in patterns(event["name"])}
    listeners: dict[tuple[int, str], list[Any]] = {}
    if asked:
        for row in await scope.conn.fetch(SQL["read_listeners"], *columns(sorted(asked)), "|".join(WORDS), NAME_PARTS):
            listeners.setdefault((row["tenant_id"], row["event"]), []).append(row)
    return listeners


def _handed(event: Any, waiting: Sequence[Any]) -> Iterator[str]:
    data = read_object(event["data"]) if waiting else {}
    for trigger in waiting:
        scope = event_scope(
            data=data,
            name=event["name"],
            trigger=trigger["name"],
            tenant=event["tenant"],
            emitted_at=event["emitted_at"],
        )
        yield from handed_secrets(trigger["payload"], scope, read_secret_schema(trigger["payload_schema"]))
