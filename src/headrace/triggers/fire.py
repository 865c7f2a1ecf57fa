"""Fire: enqueue what is due, a batch in a transaction.

Whoever is killed between two of its statements leaves nothing behind; whoever is stopped there loses the session, and
with it the locks, after two seconds.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from time import monotonic
from typing import Any, NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.log import get_logger
from headrace.model.trigger.fire_plan import MOST_TEXT, Entry, Plan, Room, Standing, plan_fires
from headrace.model.trigger.rule import Rule
from headrace.triggers.enqueue import (
    JobPlace,
    TriggeredJob,
    columns,
    enqueue_jobs,
    find_places,
    make_job_ids,
    suppress_repeated,
)
from headrace.triggers.rules import Rules

SQL = statements(__file__)
log = get_logger("headrace.triggers")
# Small, so that several schedulers share what is due in the same second.
BATCH = 200
# The session ends when it is silent for two seconds.
SECONDS = 0.5


class Planned(NamedTuple):
    """A locked trigger, its rule and what to do with it."""

    row: Any
    rule: Rule
    plan: Plan


class Decided(NamedTuple):
    """Plans, and the due triggers that go to the end of the line because their tenant has used its share."""

    planned: list[Planned]
    back: list[UUID]


@asynccontextmanager
async def short_transaction(conn: Connection) -> AsyncIterator[None]:
    """A transaction that the server ends when its client falls silent."""
    async with conn.transaction():
        await conn.execute(SQL["end_when_silent"])
        yield


async def fire_due(conn: Connection, rules: Rules, *, batch: int = BATCH) -> int:
    """Fire the triggers that have been due longest; gives back how many had their turn."""
    async with short_transaction(conn):
        return await _fire_locked(conn, rules, await conn.fetch(SQL["lock_due"], batch))


async def fire_pending(conn: Connection, rules: Rules, *, batch: int = BATCH) -> int:
    """Fire due times that waited for an earlier job, where that has ended; gives back how many triggers had a turn."""
    async with short_transaction(conn):
        return await _fire_locked(conn, rules, await conn.fetch(SQL["lock_pending"], batch))


async def read_locked(conn: Connection, rules: Rules, ids: Iterable[UUID]) -> list[Any]:
    """How triggers stand that this transaction has locked; their rules are then known."""
    rows = await conn.fetch(SQL["read_locked"], list(ids))
    await rules.load(conn, rows)
    return rows


async def _fire_locked(conn: Connection, rules: Rules, locked: Sequence[Any]) -> int:
    if not locked:
        return 0
    rows = await read_locked(conn, rules, [row["id"] for row in locked])
    good, bad = rules.valid(rows)
    planned, back = await _plan(conn, rules, good)
    turns = len(planned) + len(bad)
    paused = {p.row["id"]: p.plan.pause_note for p in planned if p.plan.pause_note is not None}
    planned = [p for p in planned if p.plan.pause_note is None]
    if told := [p.row["id"] for p in planned if p.plan.cancel]:
        await conn.execute(SQL["cancel_live"], told)
    made = await write_entries(conn, rules, [(p.row, p.rule, entry) for p in planned for entry in p.plan.entries])
    inits = {p.row["id"]: p.rule.init_version for p in planned if p.rule.trigger_type == "init"}
    if once := [(job.source_ref, inits[job.source_ref], job.id) for job in made if job.source_ref in inits]:
        await conn.execute(SQL["remember_fired"], *columns(once))
    await _advance(conn, planned, made)
    if back:
        await conn.execute(SQL["put_back"], back)
    if bad or paused:
        await disable_triggers(conn, bad, paused)
    return turns


async def _plan(conn: Connection, rules: Rules, good: Sequence[tuple[Any, Rule]]) -> Decided:
    """Look at what the plans depend on, in statements after the one that locked, and then decide."""
    live = await live_overlaps(conn, [row["id"] for row, rule in good if rule.overlap != "allow"])
    bearing = [
        (row["id"], rule.pause_on_failures, row["effective_from"]) for row, rule in good if rule.pause_on_failures
    ]
    failing = {row[0] for row in await conn.fetch(SQL["failing"], *columns(bearing))} if bearing else set()
    inits = [(row["id"], rule.init_version) for row, rule in good if rule.trigger_type == "init"]
    before = {row[0] for row in await conn.fetch(SQL["fired_before"], *columns(inits))} if inits else set()
    standings = [
        Standing(
            tenant=row["tenant"],
            next_run_at=row["next_run_at"] if row["due"] else None,
            pending_due_at=row["pending_due_at"],
            fires=row["fires"],
            live=row["id"] in live,
            failing=row["id"] in failing,
            fired_before=row["id"] in before,
            obstacle=rules.terms(rule).obstacle_of(row["tenant"]),
        )
        for row, rule in good
    ]
    # In a thread: large payloads take long to make, and the jobs of this process would wait.
    return await asyncio.to_thread(_decide, rules, good, standings)


def _decide(rules: Rules, good: Sequence[tuple[Any, Rule]], standings: Sequence[Standing]) -> Decided:
    """Plan while there is room. What is left stays due, behind all others where its tenant has had its share."""
    planned: list[Planned] = []
    left: list[UUID] = []
    rooms: defaultdict[str, Room] = defaultdict(Room)
    enough = monotonic() + SECONDS
    for (row, rule), standing in zip(good, standings, strict=True):
        room = rooms[standing.tenant]
        if room.is_full:
            left += [row["id"]] if row["due"] else []
        elif not planned or (sum(one.used for one in rooms.values()) < MOST_TEXT and monotonic() < enough):
            plan = plan_fires(rule, standing, now=row["now"], check=rules.terms(rule).check, room=room)
            planned.append(Planned(row, rule, plan))
    # Last those that had a turn.
    return Decided(planned, [*left, *(row["id"] for row, _, plan in planned if plan.is_cut)])


async def live_overlaps(conn: Connection, trigger_ids: Sequence[UUID]) -> set[UUID]:
    """Those of the triggers that have a live job."""
    return {row[0] for row in await conn.fetch(SQL["live_overlaps"], trigger_ids)} if trigger_ids else set()


async def write_entries(
    conn: Connection, rules: Rules, entries: Sequence[tuple[Any, Rule, Entry]], *, occasion: str = ""
) -> list[TriggeredJob]:
    """Fires first, and jobs only for lines that are new; gives back the jobs."""
    if not entries:
        return []
    # Oldest first over all triggers, so that jobs are queued in the order of their due times.
    entries = sorted(entries, key=lambda item: item[2].due_at)
    fired = [item for item in entries if item[2].payload is not None]
    ids = iter(await make_job_ids(conn, len(fired)))
    jobs = {(row["id"], entry.due_at): next(ids) for row, _, entry in fired}
    lines = [_line(row, entry, jobs.get((row["id"], entry.due_at))) for row, _, entry in entries]
    written = {row["job_id"] for row in await conn.fetch(SQL["write_fires"], occasion, *columns(lines))}
    places = await find_places(conn, rules, [rule for _, rule, _ in fired])
    new = [
        _job(row, rule, entry, jobs[row["id"], entry.due_at], places[rule])
        for row, rule, entry in fired
        if jobs[row["id"], entry.due_at] in written
    ]
    if not occasion:  # who asks for a backfill wants each of its times
        windows = {row["id"]: rule.dedupe_window for row, rule, _ in fired if rule.dedupe_window is not None}
        new = await _without_repeated(conn, new, windows)
    await enqueue_jobs(conn, new)
    return new


async def _without_repeated(
    conn: Connection, jobs: list[TriggeredJob], windows: dict[UUID, timedelta]
) -> list[TriggeredJob]:
    """Leave out what the same trigger enqueued with the same payload within its window; the fire says so."""
    asked = [
        (job.id, job.source_ref, job.payload, windows[job.source_ref].total_seconds())
        for job in jobs
        if job.source_ref in windows
    ]
    earlier = await suppress_repeated(conn, asked)
    if not earlier:
        return jobs
    lines = [(job.source_ref, job.scheduled_for, earlier[job.id]) for job in jobs if job.id in earlier]
    await conn.execute(SQL["mark_deduplicated"], *columns(lines))
    return [job for job in jobs if job.id not in earlier]


def _line(row: Any, entry: Entry, job_id: UUID | None) -> tuple[Any, ...]:
    return (row["id"], entry.due_at, entry.reason, entry.detail, entry.until, entry.n, job_id, entry.triggered_by)


def _job(row: Any, rule: Rule, entry: Entry, job_id: UUID, place: JobPlace) -> TriggeredJob:
    return TriggeredJob(
        id=job_id,
        tenant_id=row["tenant_id"],
        place=place,
        payload=entry.payload or "{}",
        source=entry.triggered_by,
        source_ref=row["id"],
        scheduled_for=entry.due_at,
        overlap_id=None if rule.overlap == "allow" else row["id"],
        trigger=rule.name,
    )


async def _advance(conn: Connection, planned: Sequence[Planned], made: Sequence[TriggeredJob]) -> None:
    """Move on in any case: a due time that has a fire already must not come again."""
    fired: dict[UUID, list[Any]] = {}
    for job in made:
        fired.setdefault(job.source_ref, []).append(job.scheduled_for)
    lines = []
    for row, rule, plan in planned:
        fire_at = plan.next_run_at and plan.next_run_at + with_jitter(rule)
        times = fired.get(row["id"], [])
        last = max(times, default=None)
        lines.append(
            (row["id"], row["due"], plan.next_run_at, fire_at, plan.pending_due_at, len(times), last, plan.error)
        )
    if lines:
        await conn.execute(SQL["advance"], *columns(lines))


def with_jitter(rule: Rule) -> timedelta:
    """Some part of the rule's jitter."""
    return rule.jitter * random.random() if rule.jitter else timedelta(0)  # noqa: S311 - no secret


async def disable_triggers(conn: Connection, bad: dict[UUID, str], paused: Mapping[UUID, str | None]) -> None:
    """Turn off what cannot be read, with what is wrong, and what failed too often, with a note."""
    lines = [(key, bad.get(key), paused.get(key)) for key in (*bad, *paused)]
    for row in await conn.fetch(SQL["disable"], *columns(lines)):
        log.warning(
            "trigger disabled", trigger=row["name"], tenant=row["tenant"], why=row["last_error"] or row["pause_note"]
        )
