"""PostgreSQL crashes or is away for longer than a lease: nothing is lost and nothing is done twice (rules 1 and 7)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from tests.chaos.world.load import BATCH, at_least, each_ended_once, enqueue_batches, nothing_left
from tests.chaos.world.processes import (
    LEASE,
    Workers,
    declare,
    enqueue,
    until_ended,
    until_exists,
    until_live,
    workers_on,
)
from tests.chaos.world.server import OwnServer, own_server
from tests.waiting import until

from headrace.db.connect import Connection, Endpoint
from headrace.db.migrate import migrate


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OwnServer]:
    with own_server(tmp_path / "pg") as server:
        yield server


@pytest.fixture
async def workers(server: OwnServer, tmp_path: Path) -> AsyncIterator[Workers]:
    await migrate(Endpoint(server.url))
    with workers_on(server.url, tmp_path) as workers:
        yield workers


async def test_a_crash_of_the_database_under_load_loses_no_acknowledged_job(
    server: OwnServer, workers: Workers
) -> None:
    connection = await Endpoint(server.url).connect("test")
    await declare(connection, "noop")
    running = [workers.start(), workers.start()]
    await until_live(connection, 2)
    acknowledged: list[UUID] = []
    enough = asyncio.Event()
    load = asyncio.create_task(enqueue_batches(server.url, acknowledged, enough))
    await until("work is done", lambda: at_least(connection, 5 * BATCH))
    await asyncio.to_thread(server.kill)
    connection.terminate()
    before = len(acknowledged)
    await asyncio.to_thread(server.start)
    await until("more is enqueued", lambda: len(acknowledged) >= before + 5 * BATCH)
    enough.set()
    await load
    connection = await Endpoint(server.url).connect("test")
    await until("nothing is left to do", lambda: nothing_left(connection))

    await each_ended_once(connection, acknowledged)
    assert [worker.poll() for worker in running] == [None, None]
    await connection.close()


async def test_a_long_job_outlives_an_outage_of_twice_its_lease(
    server: OwnServer, workers: Workers, tmp_path: Path
) -> None:
    connection = await Endpoint(server.url).connect("test")
    job_id = await enqueue(connection, "hold", json.dumps({"folder": str(tmp_path)}))
    first = workers.start()
    await until_exists(tmp_path / "started-1")
    second = workers.start()
    await until_live(connection, 2)
    await connection.close()
    await asyncio.to_thread(server.stop)
    over = time.monotonic() + 2 * LEASE
    await until("twice the lease has passed", lambda: time.monotonic() >= over)
    await asyncio.to_thread(server.start)
    connection = await Endpoint(server.url).connect("test")
    since = await connection.fetchval("select clock_timestamp()")
    # Both have the time to call each other lost before the job ends.
    await until("both beat again, for a whole lease", lambda: both_beat_for_a_lease(connection, since))
    assert not (tmp_path / "started-2").exists()
    (tmp_path / "release-1").touch()
    assert await until_ended(connection, job_id) == [(1, "succeeded", "succeeded")]
    assert await connection.fetchval("select array_agg(distinct state::text) from headrace.worker") == ["live"]
    assert (first.poll(), second.poll()) == (None, None)
    await connection.close()


async def both_beat_for_a_lease(connection: Connection, since: object) -> bool:
    query = "select count(*) = 2 from headrace.worker where heartbeat_at > $1::timestamptz + make_interval(secs => $2)"
    return bool(await connection.fetchval(query, since, 1.4 * LEASE))
