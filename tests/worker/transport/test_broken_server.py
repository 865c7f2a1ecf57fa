"""A worker over HTTP whose server is gone or stands still: it survives, it can be stopped, and it forgets nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from tests.waiting import PATIENCE, until
from tests.worker.own_http import OwnHttpServer, own_http_server
from tests.worker.running import (
    app_on,
    attempts,
    finished,
    only_http,
    running,
    said,
    until_armed,
    until_said,
    worker_id,
)

import headrace.worker.transport.server
import headrace.worker.worker
from headrace import Headrace
from headrace.db.connect import Connection
from headrace.service import Service
from headrace.worker.process.http_worker import HttpWorkerProcess

pytestmark = only_http

# Claim 5, kill grace 2, outcomes 2, heartbeat 5, goodbyes 2, and some for a busy machine.
BOUND = 40


@pytest.fixture
def server(database_url: str) -> Iterator[OwnHttpServer]:
    with own_http_server(database_url) as server:
        yield server


async def process_of(hr: Headrace, server: OwnHttpServer) -> HttpWorkerProcess:
    """A worker of an open application for that server."""
    made = await Service(hr).tokens.create("test", "worker")
    return HttpWorkerProcess(hr, server.url, made.token)


@pytest.mark.parametrize("fault", ["killed", "frozen"])
async def test_a_worker_stops_though_its_server_is_broken(
    server: OwnHttpServer, database_url: str, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    # Shorter than in earnest, for the test's sake; what matters is that there is an end.
    monkeypatch.setattr(headrace.worker.transport.server, "ANSWER_WITHIN", 2.0)
    monkeypatch.setattr(headrace.worker.worker, "DRAIN_OUTCOMES_SECONDS", 2.0)
    hr = app_on(database_url, shutdown_timeout_s=1.0)
    started, release = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def work() -> None:
        started.set()
        await release.wait()

    async with hr:
        process = await process_of(hr, server)
        worker = asyncio.create_task(process.run())
        await until("the worker is ready", process.worker.ready.is_set)
        await work.enqueue()
        await asyncio.wait_for(started.wait(), PATIENCE)
        await asyncio.to_thread(server.kill if fault == "killed" else server.freeze)
        release.set()
        process.stop()
        await asyncio.wait_for(worker, PATIENCE)


async def test_outcomes_and_lines_wait_for_the_server_to_come_back(
    server: OwnHttpServer, database_url: str, connection: Connection
) -> None:
    hr = app_on(database_url, lease_duration_s=60.0)
    gone, ended = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def work() -> str:
        print("before")
        await gone.wait()
        for number in range(1500):
            print("during", number)
        ended.set()
        return "kept"

    async with hr, running(await process_of(hr, server)) as process:
        job_id = await work.enqueue()
        await until_said(connection, job_id, "before")
        await asyncio.to_thread(server.kill)
        gone.set()
        await asyncio.wait_for(ended.wait(), PATIENCE)
        await asyncio.to_thread(server.start)
        assert (await finished(hr, job_id)).result == "kept"
        again = await work.enqueue()
        assert (await finished(hr, again)).result == "kept"
        assert process.worker.ready.is_set()
    assert await said(connection, job_id) == ["before", *(f"during {number}" for number in range(1500))]
    assert await attempts(connection, job_id) == [(1, "succeeded", "succeeded")]


async def test_a_worker_whose_token_is_revoked_gets_no_more_jobs(
    server: OwnHttpServer, database_url: str, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    hr = app_on(database_url)

    @hr.job()
    async def work() -> str:
        return "done"

    async with hr:
        process = await process_of(hr, server)
        async with running(process):
            await finished(hr, await work.enqueue())
            await until_armed(connection, worker_id(process))  # a claim waits, which was allowed when it began
            token = (await Service(hr).tokens.list())[0]
            await Service(hr).tokens.revoke(token.id)
            await until("its claim is refused", lambda: "401 unauthenticated" in caplog.text)
            late = await work.enqueue()
        assert (await hr.get_job(late)).status == "queued"
    assert await attempts(connection, late) == []
