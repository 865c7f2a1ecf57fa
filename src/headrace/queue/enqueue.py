"""Enqueue: ask the database for jobs, in whatever transaction the caller has open."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

from headrace.db.borrowed import fetch_column
from headrace.db.statements import statements
from headrace.model.job.request import JobRequest
from headrace.model.time.due_time import check_delay, check_due_time
from headrace.tracing.produce import producing

SQL = statements(__file__)
# Refuses payloads, or gives the JSON texts that are stored.
Check = Callable[[Sequence[JobRequest]], Awaitable[Sequence[str]]]
_TERMS = attrgetter(
    *("definition", "queue", "priority", "scheduled_for", "delay_seconds", "correlation_id"),
    *("max_attempts", "dedupe_while"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Whose the jobs are and how they came to be."""

    tenant: str = "default"
    source: str = "api"
    source_ref: UUID | None = None
    created_by: str | None = None


@dataclass(frozen=True, slots=True)
class Alike:
    """Jobs that differ in nothing but payload and keys; of keys there is one, or None, for each payload."""

    request: JobRequest
    payloads: list[str]
    dedupe_keys: Sequence[str | None] | None
    idempotency_keys: Sequence[str | None] | None


async def enqueue(connection: Any, requests: Sequence[JobRequest], check: Check, origin: Origin) -> list[UUID]:
    """The ids of the jobs, in order; where a key is taken already, the id of the job that has it."""
    pairs = zip(requests, await check(requests), strict=True)
    groups = (list(group) for _, group in groupby(pairs, key=lambda pair: _TERMS(pair[0])))
    return await enqueue_alike(connection, [_alike(group) for group in groups], origin)


async def enqueue_alike(connection: Any, groups: Sequence[Alike], origin: Origin) -> list[UUID]:
    """The same by one statement for each group, whose payloads are checked already."""
    ids: list[UUID] = []
    if not groups:
        return ids
    with _sending(groups, origin.tenant) as trace:
        for group in groups:
            ids += await fetch_column(connection, SQL["enqueue"], _values(group, origin, trace))
    return ids


def alone(request: JobRequest, payload: str) -> Alike:
    """One job, whose payload is checked already."""
    return Alike(request, [payload], _keys([request.dedupe_key]), _keys([request.idempotency_key]))


def _alike(group: Sequence[tuple[JobRequest, str]]) -> Alike:
    dedupe_keys = [request.dedupe_key for request, _ in group]
    idempotency_keys = [request.idempotency_key for request, _ in group]
    return Alike(group[0][0], [payload for _, payload in group], _keys(dedupe_keys), _keys(idempotency_keys))


def _keys(keys: list[str | None]) -> list[str | None] | None:
    return keys if any(key is not None for key in keys) else None


def _values(group: Alike, origin: Origin, trace: str | None) -> tuple[Any, ...]:
    """Of the statement, in order."""
    request = group.request
    return (
        request.definition,
        group.payloads,
        origin.tenant,
        request.queue,
        request.priority,
        check_due_time(request.scheduled_for),
        # The database adds it to its own clock, which alone decides.
        check_delay(request.delay_seconds),
        None if group.dedupe_keys is None else list(group.dedupe_keys),
        None if group.idempotency_keys is None else list(group.idempotency_keys),
        request.correlation_id,
        request.max_attempts,
        request.dedupe_while,
        origin.source,
        origin.source_ref,
        origin.created_by,
        trace,
    )


def _sending(groups: Sequence[Alike], tenant: str) -> AbstractContextManager[str | None]:
    """The span around sending, with what all jobs have in common; gives what they are to carry."""
    definition = _common(groups, "definition")
    jobs = sum(len(group.payloads) for group in groups)
    return producing(
        "enqueue" if definition is None else f"enqueue {definition}",
        "enqueue",
        queue=_common(groups, "queue"),
        definition=definition,
        tenant=tenant,
        correlation_id=_common(groups, "correlation_id"),
        jobs=None if jobs == 1 else jobs,
    )


def _common(groups: Sequence[Alike], term: str) -> str | None:
    """What all groups say of a term, or None where they differ."""
    value: str | None = getattr(groups[0].request, term)
    return value if len(groups) == 1 or all(getattr(group.request, term) == value for group in groups) else None
