"""Dispatch: hand events to the triggers that wait for them, each to each once.

An event is a row of the inbox until the transaction that handled it has committed. A batch holds events of one tenant,
and tenants take turns. A batch is held for a few seconds while a thread evaluates it. Then one short transaction takes
the rows, locks the triggers, checks that they are as they were, and writes. No order is promised.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

from headrace.db.connect import TRANSIENT, Connection
from headrace.db.statements import statements
from headrace.log import get_logger
from headrace.model.trigger.delivery import Waiting, patterns
from headrace.triggers.enqueue import (
    JobPlace,
    TriggeredJob,
    columns,
    enqueue_jobs,
    find_places,
    make_job_ids,
    suppress_repeated,
)
from headrace.triggers.evaluate import Delivery, Evaluated, evaluate
from headrace.triggers.fire import disable_triggers, short_transaction
from headrace.triggers.postpone import Failure, note_failure, release_events
from headrace.triggers.rules import Rules, Stamp

SQL = statements(__file__)
BATCH = 500
MOST_BYTES = 16 * 1024 * 1024
# Longer than an evaluation takes, and not much longer than events may wait when their dispatcher dies.
HOLD = 5.0
MOST_ROUNDS = 3
# For a change of a trigger that is under way; one that takes longer must not hold up other tenants.
LOCK_WAIT = "2s"
log = get_logger("headrace.triggers")


class Turns:
    """What a dispatcher remembers between batches: whose turn it was, and what failed with its session."""

    def __init__(self) -> None:
        self.after = 0
        self.failure: Failure | None = None


class View(NamedTuple):
    """The triggers that wait for a batch, as they were read without a lock."""

    waiting: dict[str, list[Waiting]]
    stamps: dict[UUID, Stamp]


class _Changed(Exception):
    """A trigger or its definition is no longer as it was evaluated."""


async def dispatch_events(conn: Connection, rules: Rules, *, batch: int = BATCH, turns: Turns | None = None) -> int:
    """Handle the oldest events of the tenant whose turn it is; gives back how many were held for that."""
    turns = Turns() if turns is None else turns
    await _note_earlier_failure(conn, turns)
    events = await _claim(conn, batch, turns)
    if not events:
        return 0
    try:
        await _handle(conn, rules, events)
    except TRANSIENT as error:
        turns.failure = Failure.of(events, error)
        raise
    except Exception as error:  # whatever an event's data can cause, such as RecursionError
        await note_failure(conn, Failure.of(events, error))
    return len(events)


async def _note_earlier_failure(conn: Connection, turns: Turns) -> None:
    """Count what failed with the last session against its events, if the database works: else it was an outage.

    A database that takes this note over another connection is not away. In an outage the note fails too, and is
    forgotten: the events come back when their hold is over, as if nothing had happened.
    """
    failure, turns.failure = turns.failure, None
    if failure is not None:
        await note_failure(conn, failure)


async def _claim(conn: Connection, batch: int, turns: Turns) -> Sequence[Any]:
    """Hold events of the next tenant; after the last tenant comes the first."""
    for after in dict.fromkeys((turns.after, 0)):
        events = await conn.fetch(SQL["claim_events"], batch, after, HOLD, MOST_BYTES)
        if events:
            turns.after = events[0]["tenant_id"]
            return events
    turns.after = 0
    return []


async def _handle(conn: Connection, rules: Rules, events: Sequence[Any]) -> None:
    names = sorted({pattern for event in events for pattern in patterns(event["name"])})
    begun = [event["id"] for event in events if event["begun"]]
    delivered = {(row[0], row[1]) for row in await conn.fetch(SQL["read_delivered"], begun)} if begun else frozenset()
    for _ in range(MOST_ROUNDS):
        view = await _look(conn, rules, events[0], names)
        evaluated = await asyncio.to_thread(evaluate, events, view.waiting, delivered)
        try:
            async with short_transaction(conn):
                await _write(conn, rules, events, names, view, evaluated)
            return
        except _Changed:
            continue
        except asyncpg.LockNotAvailableError:
            break
    # A trigger is locked for long, or changes faster than it is evaluated. That is no fault of the events.
    await release_events(conn, events, HOLD)
    log.warning(
        "event batch released: a change of its triggers is under way", events=len(events), tenant=events[0]["tenant"]
    )


async def _look(conn: Connection, rules: Rules, event: Any, names: list[str]) -> View:
    """All that wait for one of these names and are of the event's tenant."""
    matched = await conn.fetch(SQL["read_triggers"], event["tenant_id"], names)
    await rules.load(conn, matched)
    waiting: dict[str, list[Waiting]] = {}
    for row in rules.known(matched):
        waiting.setdefault(row["event"], []).append(rules.waiting(row["id"], event["tenant"]))
    return View(waiting, rules.stamps(matched))


async def _write(
    conn: Connection, rules: Rules, events: Sequence[Any], names: list[str], view: View, evaluated: Evaluated
) -> None:
    handled, left = events[: evaluated.events], events[evaluated.events :]
    await conn.execute(SQL["wait_briefly"], LOCK_WAIT)
    taken = {row[0] for row in await conn.fetch(SQL["take_events"], [event["seq"] for event in handled])}
    if evaluated.begun:
        taken.add(await conn.fetchval(SQL["begin_event"], left[0]["seq"]))
    locked = await conn.fetch(SQL["lock_triggers"], events[0]["tenant_id"], names)
    # Locked by now, so nobody changes them until we are done; and who waited for us sees what we did.
    await rules.load(conn, locked)
    if rules.stamps(locked) != view.stamps:
        raise _Changed
    await _record(conn, rules, [d for d in evaluated.deliveries if d.event["seq"] in taken])
    if left:
        await release_events(conn, left)
    _, bad = rules.valid(locked)
    if bad:
        await disable_triggers(conn, bad, {})


async def _record(conn: Connection, rules: Rules, deliveries: Sequence[Delivery]) -> None:
    """The record first, and jobs only for lines that are new."""
    if not deliveries:
        return
    fired = [d for d in deliveries if d.made.payload is not None]
    ids = await make_job_ids(conn, len(fired))
    given = iter(ids)
    lines = [
        (d.event["id"], d.trigger_id, d.made.reason, d.made.detail, d.made.payload and next(given)) for d in deliveries
    ]
    written = {row["job_id"] for row in await conn.fetch(SQL["write_deliveries"], *columns(lines))}
    new = [(job_id, d) for job_id, d in zip(ids, fired, strict=True) if job_id in written]
    earlier = await _repeated(conn, new)
    places = await find_places(conn, rules, [d.rule for _, d in new])
    jobs = [_job(d, job_id, places[d.rule]) for job_id, d in new if job_id not in earlier]
    await enqueue_jobs(conn, jobs)
    if jobs:
        await conn.execute(SQL["count_fires"], [job.trigger_id for job in jobs])


async def _repeated(conn: Connection, new: Sequence[tuple[UUID, Delivery]]) -> dict[UUID, UUID]:
    """Those that the same trigger made with the same payload within its window, with the earlier job."""
    asked = [
        (job_id, d.trigger_id, d.made.payload or "", d.rule.dedupe_window.total_seconds())
        for job_id, d in new
        if d.rule.dedupe_window is not None
    ]
    earlier = await suppress_repeated(conn, asked)
    if earlier:
        lines = [(d.event["id"], d.trigger_id, earlier[job_id]) for job_id, d in new if job_id in earlier]
        await conn.execute(SQL["mark_deduplicated"], *columns(lines))
    return earlier


def _job(delivery: Delivery, job_id: UUID, place: JobPlace) -> TriggeredJob:
    event = delivery.event
    return TriggeredJob(
        id=job_id,
        tenant_id=event["tenant_id"],
        place=place,
        payload=delivery.made.payload or "{}",
        source="event",
        source_ref=event["id"],
        correlation_id=event["correlation_id"],
        trace_context=event["trace_context"],
        trigger=delivery.rule.name,
        trigger_id=delivery.trigger_id,
    )
