"""Leaving in order: running jobs may finish, the rest goes back unspent, outcomes before the lease (rule 17)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest
from tests.waiting import PATIENCE, until
from tests.worker.lines import Greedy
from tests.worker.running import (
    app_on,
    attempts,
    finished,
    running,
    speaking,
    worker_id,
    worker_of,
    working,
)

from headrace import Context, Headrace
from headrace.db.connect import Connection


async def test_running_jobs_may_finish_and_outcomes_come_before_the_lease_goes(
    hr: Headrace, connection: Connection
) -> None:
    started, release = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def last() -> str:
        started.set()
        await release.wait()
        return "in time"

    async with hr:
        async with running(worker_of(hr)) as process:
            job_id = await last.enqueue()
            await asyncio.wait_for(started.wait(), PATIENCE)
            process.stop()
            await until("it claims no more", lambda: process.worker._claimer._stopping)
            late = await last.enqueue()
            release.set()
        job = await hr.get_job(job_id)
        assert (job.status, job.result) == ("succeeded", "in time")
        assert (await hr.get_job(late)).status == "queued"
    row = await connection.fetchrow(
        "select state::text, running, armed, stopped_at >= finished_at from headrace.worker, headrace.attempt"
    )
    assert tuple(row or ()) == ("stopped", 0, False, True)


class Stubborn:
    """Handlers that do not want to end."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.release = threading.Event()

    async def obedient(self) -> None:
        self.started.set()
        await asyncio.Event().wait()

    def thread(self) -> None:
        self.started.set()
        self.release.wait(60)

    async def deaf(self) -> None:
        self.started.set()
        while not self.release.is_set():
            try:
                await until("released", self.release.is_set)
            except asyncio.CancelledError:
                continue


@pytest.fixture
async def stubborn() -> AsyncIterator[Stubborn]:
    stubborn = Stubborn()
    yield stubborn
    stubborn.release.set()
    await until("nothing of the handlers is left", lambda: len(asyncio.all_tasks()) == 1)


@pytest.mark.parametrize("kind", ["obedient", "thread", "deaf"])
async def test_what_does_not_finish_in_time_goes_back_unspent_and_can_be_claimed_at_once(
    database_url: str, connection: Connection, stubborn: Stubborn, kind: str
) -> None:
    hr = app_on(database_url, shutdown_timeout_s=0.1, kill_grace_s=0.2)
    hr.job("work")(getattr(stubborn, kind))
    async with hr:
        async with running(worker_of(hr)) as process:
            job_id = await hr.enqueue("work")
            await until("the handler runs", stubborn.started.is_set)
            first = worker_id(process)
        assert await attempts(connection, job_id) == [(1, "released", None)]
        job = await hr.get_job(job_id)
        assert (job.status, job.attempt_count) == ("queued", 0)
    assert await connection.fetchval("select state::text from headrace.worker where id = $1", first) == "stopped"

    after = app_on(database_url)

    @after.job(key="work")
    async def work(ctx: Context) -> tuple[int, int]:
        return ctx.attempt, ctx.fencing_token

    async with working(after):
        assert (await finished(after, job_id)).result == [1, 2]
    assert await attempts(connection, job_id) == [(1, "released", None), (2, "succeeded", "succeeded")]


async def test_jobs_fetched_ahead_go_back_at_the_end(hr: Headrace, connection: Connection) -> None:
    started, release = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def work() -> None:
        started.set()
        await release.wait()

    async with hr:
        ids = await work.enqueue_many([{}] * 4)
        async with running(speaking(worker_of(hr, concurrency=1), Greedy)) as process:
            await asyncio.wait_for(started.wait(), PATIENCE)
            assert len(process.worker._slots.waiting) == 3
            process.stop()
            await until("they are given back", lambda: not process.worker._slots.waiting)
            release.set()
    ended = [await attempts(connection, job_id) for job_id in ids]
    assert ended == [[(1, "succeeded", "succeeded")]] + [[(1, "released", None)]] * 3
    assert await connection.fetchval("select bool_and(spent = 0 and status = 'queued') from headrace.queue")


async def test_cancelling_run_worker_leaves_in_order_first(hr: Headrace, connection: Connection) -> None:
    started, release = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def last() -> None:
        started.set()
        await release.wait()

    async with hr:
        worker = asyncio.create_task(hr.run_worker(concurrency=2, queues=["default"]))
        job_id = await last.enqueue()
        await asyncio.wait_for(started.wait(), PATIENCE)
        worker.cancel()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await worker
    assert await attempts(connection, job_id) == [(1, "succeeded", "succeeded")]
    assert await connection.fetchval("select state::text from headrace.worker") == "stopped"


async def test_a_worker_ends_in_order_though_the_database_refuses_its_goodbye(
    hr: Headrace, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    @hr.job()
    async def work() -> str:
        return "done"

    async with working(hr):
        assert (await finished(hr, await work.enqueue())).result == "done"
        await connection.execute(
            "create function public.refuse() returns trigger language plpgsql as"
            " $$ begin raise exception 'a fault for the test' using errcode = '58030'; end $$;"
            "create trigger refuse before update on headrace.worker for each row when (new.state = 'stopped')"
            " execute function public.refuse()"
        )
    assert "sign-off of the worker failed" in caplog.text
