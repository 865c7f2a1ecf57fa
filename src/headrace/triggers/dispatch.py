"""Dispatch: hand events to the triggers that wait for them, each to each once.

An event is a row of the inbox until the transaction that handled it has committed. No order is promised.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

from headrace.db.connect import TRANSIENT, Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest
from headrace.log import get_logger
from headrace.model.expression import TemplateError
from headrace.model.fire_plan import make_payload
from headrace.model.text import clean
from headrace.triggers.enqueue import NewJob, columns, enqueue_jobs, find_lanes, make_job_ids, suppress_repeated
from headrace.triggers.fire import disable_triggers, read_locked, short_transaction
from headrace.triggers.rules import Rules

SQL = statements(__file__)
BATCH = 500
MOST_TRIES = 5
LONGEST_ERROR = 2000
log = get_logger("headrace.triggers")


class Delivery(NamedTuple):
    """What a trigger makes of an event: a payload, or a reason why none."""

    event: Any
    row: Any
    payload: str | None
    reason: str | None = None
    detail: str | None = None
    window: float | None = None
    """For how many seconds the same payload makes no other job."""


async def dispatch_events(conn: Connection, rules: Rules, *, batch: int = BATCH) -> int:
    """Handle the oldest events; gives back how many. What fails as a whole is tried again in halves."""
    return await _dispatch(conn, rules, batch, None)


async def _dispatch(conn: Connection, rules: Rules, batch: int, these: list[int] | None) -> int:
    taken: list[int] = []
    try:
        async with short_transaction(conn):
            events = await conn.fetch(SQL["take_events"], batch, these)
            taken = [event["seq"] for event in events]
            await _deliver(conn, rules, events)
    except TRANSIENT:
        raise
    except (asyncpg.PostgresError, ValueError, ArithmeticError, TypeError, LookupError) as error:
        if not taken:
            raise
        if len(taken) == 1:
            await _postpone(conn, taken[0], error)
        else:
            half = len(taken) // 2
            await _dispatch(conn, rules, batch, taken[:half])
            await _dispatch(conn, rules, batch, taken[half:])
    return len(taken)


async def _postpone(conn: Connection, seq: int, error: Exception) -> None:
    """Put back the one event that fails, for later; after so many times it is given up, with the error."""
    text = clean(f"{type(error).__name__}: {error}", LONGEST_ERROR)
    given_up = await conn.fetchval(SQL["postpone"], seq, text, MOST_TRIES)
    log.error("an event could not be dispatched", event_id=str(given_up or ""), given_up=bool(given_up), error=text)


async def _deliver(conn: Connection, rules: Rules, events: Sequence[Any]) -> None:
    asked = {(event["tenant_id"], pattern) for event in events for pattern in patterns(event["name"])}
    if not asked:
        return
    matched = await conn.fetch(SQL["match_triggers"], *columns(sorted(asked)))
    if not matched:
        return
    # Locked by now, so nobody changes them until we are done; and who waited for us sees what we did.
    rows = {row["id"]: row for row in await read_locked(conn, rules, [m["id"] for m in matched])}
    _, bad = rules.valid(rows.values())
    waiting: dict[tuple[int, str], list[UUID]] = {}
    for m in matched:
        waiting.setdefault((m["tenant_id"], m["event_name"]), []).append(m["id"])
    deliveries = [
        _make(event, rows[trigger_id], rules)
        for event in events
        for pattern in patterns(event["name"])
        for trigger_id in waiting.get((event["tenant_id"], pattern), ())
    ]
    await _write(conn, deliveries)
    if bad:
        await disable_triggers(conn, bad, {})


def patterns(name: str) -> Iterator[str]:
    """What a trigger may call the event: a.b.c is `a.b.c`, `a.b.*`, `a.*` and `*`."""
    yield name
    words = name.split(".")
    for n in range(len(words) - 1, 0, -1):
        yield f"{'.'.join(words[:n])}.*"
    yield "*"


def _make(event: Any, row: Any, rules: Rules) -> Delivery:
    rule = rules.rule(row["id"])
    if isinstance(rule, BadRequest):
        return Delivery(event, row, None, "invalid_trigger", str(rule))
    if row["obstacle"] is not None:
        return Delivery(event, row, None, row["obstacle"])
    scope = {
        "event": json.loads(event["data"]),
        "trigger": {"name": rule.name, "event": event["name"]},
        "tenant": event["tenant"],
        "scheduled_for": event["emitted_at"].isoformat(),
    }
    try:
        if rule.condition is not None and not rule.condition.holds(scope):
            return Delivery(event, row, None, "condition")
    except TemplateError as error:
        return Delivery(event, row, None, "template_error", str(error))
    window = rule.dedupe_window.total_seconds() if rule.dedupe_window else None
    return Delivery(event, row, *make_payload(rule, lambda: scope, rules.check(row["definition_id"])), window)


async def _write(conn: Connection, deliveries: Sequence[Delivery]) -> None:
    """The record first, and jobs only for lines that are new."""
    if not deliveries:
        return
    fired = [d for d in deliveries if d.payload is not None]
    ids = dict(zip(map(_key, fired), await make_job_ids(conn, len(fired)), strict=True))
    lines = [(*_key(d), d.reason, d.detail, ids.get(_key(d))) for d in deliveries]
    written = {row["job_id"] for row in await conn.fetch(SQL["write_deliveries"], *columns(lines))}
    new = [d for d in fired if ids[_key(d)] in written]
    asked = [(ids[_key(d)], d.row["id"], d.payload or "", d.window) for d in new if d.window is not None]
    earlier = await suppress_repeated(conn, asked)
    if earlier:
        repeated = [(*_key(d), earlier[ids[_key(d)]]) for d in new if ids[_key(d)] in earlier]
        await conn.execute(SQL["mark_deduplicated"], *columns(repeated))
    lanes = await find_lanes(conn, [d.row for d in new])
    await enqueue_jobs(conn, [_job(d, ids[_key(d)], lanes) for d in new if ids[_key(d)] not in earlier])


def _key(delivery: Delivery) -> tuple[UUID, UUID]:
    return delivery.event["id"], delivery.row["id"]


def _job(delivery: Delivery, job_id: UUID, lanes: dict[tuple[str, int], int]) -> NewJob:
    event, row = delivery.event, delivery.row
    return NewJob(
        id=job_id,
        tenant_id=event["tenant_id"],
        definition_id=row["definition_id"],
        lane_id=lanes[row["queue"], row["definition_id"]],
        priority=row["priority"],
        max_attempts=row["max_attempts"],
        payload=delivery.payload or "{}",
        source="event",
        source_ref=event["id"],
        correlation_id=event["correlation_id"],
        scheduled_for=None,
        overlap_id=None,
    )
