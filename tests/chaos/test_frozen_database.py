"""PostgreSQL stands still for longer than a lease, and goes on: nobody who lives is called lost (rule 7)."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.chaos.world.faults import wait
from tests.chaos.world.processes import LEASE, Workers, enqueue, until_ended, until_exists, until_live, workers_on
from tests.chaos.world.server import OwnServer, own_server
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection, Endpoint
from headrace.db.migrate import migrate

WORKERS = 3
# The longer one takes a quarter of an hour.
LEASES = (LEASE, 60.0) if os.environ.get("LONG_TESTS") else (LEASE,)
# All of the test together waits for less than so many leases.
FOR_ALL = 20


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OwnServer]:
    with own_server(tmp_path / "pg") as server:
        yield server


@pytest.fixture(params=LEASES, ids=lambda lease: f"{lease:g} s")
def lease(request: pytest.FixtureRequest) -> float:
    return float(request.param)


@pytest.fixture
async def workers(server: OwnServer, tmp_path: Path, lease: float) -> AsyncIterator[Workers]:
    await migrate(Endpoint(server.url))
    with workers_on(server.url, tmp_path, lease=lease) as workers:
        yield workers


async def test_a_database_that_stands_still_and_goes_on_costs_nobody_a_lease(
    server: OwnServer, workers: Workers, tmp_path: Path, lease: float
) -> None:
    patience = PATIENCE + FOR_ALL * lease
    connection = await Endpoint(server.url).connect("test")
    job_id = await enqueue(connection, "hold", json.dumps({"folder": str(tmp_path), "patience": patience}))
    started = [workers.start() for _ in range(WORKERS)]
    await until_exists(tmp_path / "started-1")
    registered = await until_live(connection, WORKERS)
    # Each has watched for as long as it must before it may call another one lost.
    watched = partial(all_beat_for, connection, registered, 2 * lease)
    await until("all beat for two leases", watched, patience=patience)
    for leases in (0.5, 1, 2, 3):
        await asyncio.to_thread(server.freeze)
        await wait(leases * lease)
        server.thaw()
        # All have the time to call each other lost before the job ends.
        since = await connection.fetchval("select clock_timestamp()")
        again = partial(all_beat_since, connection, since, 1.5 * lease)
        await until("all beat again for a while", again, patience=patience)
        states = await connection.fetch("select id, pid, state::text from headrace.worker order by id")
        assert [tuple(row) for row in states] == [(*one, "live") for one in registered], leases
        assert not (tmp_path / "started-2").exists()
    (tmp_path / "release-1").touch()
    assert await until_ended(connection, job_id) == [(1, "succeeded", "succeeded")]
    assert [worker.poll() for worker in started] == [None] * WORKERS
    await connection.close()


async def all_beat_for(connection: Connection, registered: list[tuple[int, int]], seconds: float) -> bool:
    """Whether the last heartbeat of each is so much later than its start."""
    query = (
        "select count(*) from headrace.worker"
        " where id = any($1) and heartbeat_at > started_at + make_interval(secs => $2)"
    )
    return bool(await connection.fetchval(query, [one for one, _ in registered], seconds) == WORKERS)


async def all_beat_since(connection: Connection, since: object, seconds: float) -> bool:
    """Whether so many as were started beat later than that, under whichever id."""
    query = (
        "select count(*) from headrace.worker"
        " where state = 'live' and heartbeat_at > $1::timestamptz + make_interval(secs => $2)"
    )
    return bool(await connection.fetchval(query, since, seconds) == WORKERS)
