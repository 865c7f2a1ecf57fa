"""Lines that wait: for a newline, for a database that is gone; and the time that they are given."""

from __future__ import annotations

import asyncio
import datetime as clock
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.chaos.world.server import own_server
from tests.waiting import PATIENCE, until
from tests.worker.running import app_on, finished, said, working

import headrace.capture
import headrace.worker.transport.database_clock
import headrace.worker.worker
from headrace.db.connect import Connection
from headrace.worker.process.database_worker import WorkerProcess


class Looked(io.StringIO):
    """Counts how often all that was begun is read again."""

    looks = 0

    def getvalue(self) -> str:
        Looked.looks += 1
        return super().getvalue()


async def test_dots_without_a_newline_are_looked_at_once(
    database_url: str, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headrace.capture, "io", SimpleNamespace(StringIO=Looked))
    hr = app_on(database_url)

    @hr.job()
    def dots() -> None:
        for _ in range(60_000):
            print(".", end="")

    async with working(hr):
        job = await finished(hr, await hr.enqueue("dots"))
    assert Looked.looks == 1
    assert {line.strip(".…") for line in await said(connection, job.id)} == {""}


async def test_a_worker_whose_clock_is_an_hour_off_stores_the_databases_time(
    database_url: str, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    hr = app_on(database_url)

    class Wrong(clock.datetime):
        @classmethod
        def now(cls, tz: clock.tzinfo | None = None) -> Any:
            return clock.datetime.now(tz) - clock.timedelta(hours=1)

    monkeypatch.setattr(headrace.worker.transport.database_clock, "datetime", Wrong)

    @hr.job()
    async def chatter() -> None:
        print("now")

    async with working(hr):
        before = await connection.fetchval("select clock_timestamp()")
        await finished(hr, await hr.enqueue("chatter"))
        at = await connection.fetchval("select at from headrace.log")
    assert abs((at - before).total_seconds()) < 30


async def test_a_worker_stops_though_lines_wait_for_a_database_that_is_gone_and_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headrace.worker.worker, "DRAIN_OUTCOMES_SECONDS", 1.0)
    started, release = asyncio.Event(), asyncio.Event()
    with own_server(tmp_path / "pg") as server:
        hr = app_on(server.url, shutdown_timeout_s=0.5)

        @hr.job()
        async def chatter() -> None:
            started.set()
            await release.wait()
            print("said while the database is gone")

        async with hr:
            process = WorkerProcess(hr)
            worker = asyncio.create_task(process.run())
            await chatter.enqueue()
            await asyncio.wait_for(started.wait(), PATIENCE)
            (run,) = process.worker._slots.running.values()
            await asyncio.to_thread(server.kill)
            release.set()
            await until("the handler has ended", lambda: run.ended)
            process.stop()
            await asyncio.wait_for(worker, PATIENCE)
            assert run.task is not None
            await until("nothing of the run goes on", run.task.done)
