"""The primary dies under load and its standby takes over: no acknowledged job is lost, and nobody has to help."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from pathlib import Path
from uuid import UUID

import pytest
from tests.chaos.world.load import BATCH, at_least, each_ended_once, enqueue_batches, nothing_left
from tests.chaos.world.pair import Pair, own_pair
from tests.chaos.world.processes import (
    Workers,
    declare,
    enqueue,
    live_workers,
    until_ended,
    until_exists,
    until_live,
    workers_on,
)
from tests.waiting import until

from headrace.db.connect import Connection, Endpoint
from headrace.db.migrate import migrate

# A worker that heard nothing would look again after ten seconds.
AT_ONCE = 3.0


@pytest.fixture
def pair() -> Iterator[Pair]:
    with own_pair() as pair:
        yield pair


@pytest.fixture
async def workers(pair: Pair, tmp_path: Path) -> AsyncIterator[Workers]:
    await migrate(Endpoint(pair.url))
    with workers_on(pair.url, tmp_path, "tests.chaos.world.failover_app:hr") as workers:
        yield workers


async def test_a_standby_takes_over_and_workers_follow_it(
    pair: Pair, workers: Workers, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    connection = await Endpoint(pair.url).connect("test")
    await until("commits wait for the standby", lambda: is_synchronous(connection))
    await declare(connection, "noop")
    long_job = await enqueue(connection, "hold", json.dumps({"folder": str(tmp_path)}))
    worker = workers.start()
    (before,) = await until_live(connection, 1)
    await until_exists(tmp_path / "started-1")
    await schedule_each_second(connection)
    acknowledged: list[UUID] = []
    enough = asyncio.Event()
    load = asyncio.create_task(enqueue_batches(pair.url, acknowledged, enough))
    await until("work is done", lambda: at_least(connection, 5 * BATCH))

    await asyncio.to_thread(pair.primary.kill)
    connection.terminate()
    killed, so_far = time.monotonic(), len(acknowledged)
    await asyncio.to_thread(pair.standby.promote)
    promoted = time.monotonic()
    await until("more is acknowledged", lambda: len(acknowledged) > so_far)
    taken = time.monotonic()
    connection = await Endpoint(pair.url).connect("test")
    ended = await connection.fetchval("select count(*) from headrace.attempt")
    since = await connection.fetchval("select clock_timestamp()")
    await until("the worker works again", lambda: at_least(connection, ended + BATCH))
    works = time.monotonic()
    await until("it has fired since", lambda: fired_since(connection, since))
    enough.set()
    await load

    assert not (tmp_path / "started-2").exists()
    (tmp_path / "release-1").touch()
    assert await until_ended(connection, long_job) == [(1, "succeeded", "succeeded")]
    await connection.execute("update headrace.trigger set enabled = false where name = 'each second'")
    await until("nothing is left to do", lambda: nothing_left(connection))
    await each_ended_once(connection, acknowledged)
    assert await missed_seconds(connection) == 0
    assert await live_workers(connection) == [before]
    assert worker.poll() is None
    slowest = max([await time_alone(connection) for _ in range(3)])
    assert slowest < AT_ONCE
    record_property("acknowledged", len(acknowledged))
    record_property("promoted after s", round(promoted - killed, 2))
    record_property("enqueues after s", round(taken - killed, 2))
    record_property("worker after s", round(works - killed, 2))
    record_property("slowest lone job s", round(slowest, 3))
    await connection.close()


async def is_synchronous(connection: Connection) -> bool:
    await connection.execute("select pg_stat_clear_snapshot()")
    return bool(await connection.fetchval("select exists (select from pg_stat_replication where sync_state = 'sync')"))


async def schedule_each_second(connection: Connection) -> None:
    await connection.execute(
        "insert into headrace.trigger (name, definition_id, every_seconds, starts_at, catch_up)"
        " select 'each second', id, 1, clock_timestamp(), 'all' from headrace.definition where key = 'noop'"
    )


async def fired_since(connection: Connection, since: datetime) -> bool:
    query = "select exists (select from headrace.fire where due_at > $1 and outcome = 'fired')"
    return bool(await connection.fetchval(query, since))


async def missed_seconds(connection: Connection) -> int:
    """Due times between the first and the last that made no job, or two."""
    missed: int = await connection.fetchval(
        "select extract(epoch from max(due_at) - min(due_at))::int + 1 - count(distinct job_id)"
        "  from headrace.fire join headrace.trigger on trigger.id = trigger_id"
        " where trigger.name = 'each second' and outcome = 'fired'"
    )
    return missed


async def time_alone(connection: Connection) -> float:
    """How long a job takes that comes while the worker sleeps."""
    asleep = "select bool_and(armed) from headrace.worker where state = 'live'"
    await until("the worker sleeps", lambda: connection.fetchval(asleep))
    began = time.monotonic()
    await until_ended(connection, await enqueue(connection, "noop"))
    return time.monotonic() - began
