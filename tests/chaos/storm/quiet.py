"""The schedules of a storm, and the time after it: until all has ended, or nothing moves any more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import datetime

from tests.chaos.storm.deployment import Deployment

from headrace.aio import wait_for_event
from headrace.db.connect import Connection
from headrace.triggers.change import create_trigger

Done = Callable[[Sequence[int]], bool]
TRIGGERS = 6
# Longer than a silent connection is waited for, a lease, a backoff and a start together.
NOTHING_MOVES = 75.0
PROGRESS = (
    "select (select count(*) from headrace.queue), (select count(*) from headrace.event_inbox),"
    "       (select count(*) from headrace.trigger where enabled and every_seconds is not null"
    "         and (next_run_at is null or next_run_at <= $1)),"
    "       (select count(*) from headrace.attempt where final is not null)"
)


async def create_triggers(deployment: Deployment) -> None:
    """Schedules of a second and more that catch up with all that they missed, and one that waits for events."""
    db = await deployment.connect()
    for n in range(TRIGGERS):
        name = f"t{n}"
        settings = {"every_seconds": 1 + n % 3 * 0.5, "catch_up": "all", "catch_up_cap": 1000}
        await create_trigger(db, name, "fired", {**settings, "payload": {"trigger": name}}, tenant="default")
    heard = {"event": "storm.paid", "payload": {"token": "{{event.token}}"}}
    await create_trigger(db, "heard", "heard", heard, tenant="default")
    await db.close()


async def become_quiet(deployment: Deployment) -> tuple[datetime, list[str]]:
    """Until when due times count; and what stood still."""
    for resident in deployment.residents.values():
        resident.thaw()
        resident.set_clock(0.0)
    db = await deployment.connect()
    try:
        horizon: datetime = await db.fetchval("select clock_timestamp()")
        stuck = await _until_still(db, horizon, "the schedules do not fire", lambda left: not left[2])
        await db.execute("update headrace.trigger set enabled = false where every_seconds is not null")
        stuck += await _until_still(db, horizon, "", lambda left: not any(left[:2]))
        stuck += [*await _events_left(db), *await _all_back(deployment)]  # poison kills until it has ended
    finally:
        db.terminate()
    return horizon, stuck


async def _all_back(deployment: Deployment) -> list[str]:
    """Wait until every process is up and every worker live, and none beside them."""
    deadline = time.monotonic() + NOTHING_MOVES
    while not await deployment.all_work():
        if time.monotonic() > deadline:
            return ["not all processes came back"]
        await wait_for_event(asyncio.Event(), 0.2)
    return []


async def _until_still(db: Connection, horizon: datetime, complaint: str, done: Done) -> list[str]:
    """Wait until it is done; a sentence when nothing has moved for a long time."""
    before, moved = None, time.monotonic()
    while True:
        left = tuple(await db.fetchrow(PROGRESS, horizon) or ())
        if done(left):
            return []
        if left != before:
            before, moved = left, time.monotonic()
        if time.monotonic() - moved > NOTHING_MOVES:
            return [complaint] if complaint else []
        await wait_for_event(asyncio.Event(), 0.2)


async def _events_left(db: Connection) -> list[str]:
    left = await db.fetchval("select count(*) from headrace.event_inbox")
    return [f"{left} events were not dispatched"] if left else []
