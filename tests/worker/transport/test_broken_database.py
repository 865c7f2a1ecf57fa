"""A worker whose database is gone or stands still: it survives, it can be stopped, and it forgets nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.chaos.world.server import OwnServer, own_server
from tests.waiting import PATIENCE, until
from tests.worker.running import (
    app_on,
    attempts,
    finished,
    only_postgres,
    working,
)

import headrace.db.link
import headrace.worker.worker
from headrace.db.connect import Endpoint
from headrace.worker.process.database_worker import WorkerProcess

pytestmark = only_postgres

# Claim 5, kill grace 2, outcomes 2, heartbeat 5, goodbyes 10, and some for a busy machine.
BOUND = 45


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OwnServer]:
    with own_server(tmp_path / "pg") as server:
        yield server


@pytest.mark.parametrize("fault", ["killed", "frozen"])
async def test_a_worker_stops_though_its_database_is_broken(
    server: OwnServer, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    # Shorter than in earnest, for the test's sake; what matters is that there is an end.
    monkeypatch.setattr(headrace.db.link, "COMMAND_TIMEOUT", 2.0)
    monkeypatch.setattr(headrace.worker.worker, "DRAIN_OUTCOMES_SECONDS", 2.0)
    hr = app_on(server.url, shutdown_timeout_s=1.0)
    started, release = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def work() -> None:
        started.set()
        await release.wait()

    async with hr:
        process = WorkerProcess(hr)
        worker = asyncio.create_task(process.run())
        await work.enqueue()
        await asyncio.wait_for(started.wait(), PATIENCE)
        await asyncio.to_thread(server.kill if fault == "killed" else server.freeze)
        release.set()
        process.stop()
        await asyncio.wait_for(worker, PATIENCE)


async def test_an_outcome_waits_for_the_database_to_come_back(server: OwnServer) -> None:
    hr = app_on(server.url, lease_duration_s=60.0)
    started, release = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def work() -> str:
        started.set()
        await release.wait()
        return "kept"

    async with working(hr) as process:
        job_id = await work.enqueue()
        await asyncio.wait_for(started.wait(), PATIENCE)
        await asyncio.to_thread(server.kill)
        release.set()
        await until("the run has ended", lambda: not process.worker._slots.running)
        await asyncio.to_thread(server.start)
        assert (await finished(hr, job_id)).result == "kept"
        again = await work.enqueue()
        assert (await finished(hr, again)).result == "kept"
        connection = await Endpoint(server.url).connect("test")
        assert await attempts(connection, job_id) == [(1, "succeeded", "succeeded")]
        await connection.close()
