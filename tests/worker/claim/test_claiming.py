"""How many jobs a worker takes, how soon it hears of them, and what it does while there are none."""

from __future__ import annotations

import asyncio
import collections
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from tests.waiting import until
from tests.worker.handlers import block_loop
from tests.worker.lines import Greedy
from tests.worker.running import (
    app_on,
    attempts,
    finished,
    listener_of,
    only_postgres,
    rescuing,
    running,
    speaking,
    until_armed,
    worker_id,
    worker_of,
    working,
)

import headrace.service.worker_protocol.state
import headrace.worker.claim.claim_session
import headrace.worker.claim.claimer
import headrace.worker.maintenance.maintenance
from headrace import Context, Headrace, RetryPolicy
from headrace.db.connect import Connection, Endpoint, OwnConnection

IDLE = 15


async def nothing_to_do() -> None:
    """A job that nobody enqueues."""


def enough_time(seconds: float) -> Callable[[], bool]:
    """A condition that holds after so many seconds: some things can only be seen in the course of time."""
    over = time.monotonic() + seconds
    return lambda: time.monotonic() >= over


async def test_no_more_jobs_run_at_a_time_than_allowed(hr: Headrace, connection: Connection) -> None:
    now, most = 0, 0
    lock = threading.Lock()

    def count(change: int) -> None:
        nonlocal now, most
        with lock:
            now += change
            most = max(most, now)

    @hr.job()
    async def on_the_loop() -> None:
        count(+1)
        for _ in range(5):
            await asyncio.sleep(0)
        count(-1)

    @hr.job()
    def in_a_thread() -> None:
        count(+1)
        count(-1)

    async with working(hr, concurrency=3):
        ids = await on_the_loop.enqueue_many([{}] * 200) + await in_a_thread.enqueue_many([{}] * 200)
        await until("all have ended", lambda: ended(connection, ids))
    assert most == 3
    assert await connection.fetchval("select count(*) from headrace.attempt where final = 'succeeded'") == 400


async def ended(connection: Connection, ids: list[UUID]) -> bool:
    """Whether each of the jobs has come to its end."""
    done = await connection.fetchval(
        "select count(*) from headrace.attempt where job_id = any($1) and final is not null", ids
    )
    return bool(done == len(ids))


async def test_jobs_fetched_ahead_of_a_long_one_go_back_and_run_elsewhere(hr: Headrace, connection: Connection) -> None:
    release = asyncio.Event()

    @hr.job()
    async def work(long: bool) -> None:
        if long:
            await release.wait()

    async with hr:
        long = await work.enqueue(long=True, priority=1)
        short = await work.enqueue_many([{"long": False}] * 5)
        async with running(speaking(worker_of(hr, concurrency=1), Greedy)):
            await until("the short ones were given back", lambda: released(connection, short))
            async with running(worker_of(hr, concurrency=1)) as other:
                await until("all short ones have ended", lambda: ended(connection, short))
                by = await connection.fetch("select distinct worker_id from headrace.attempt where final is not null")
                assert [row[0] for row in by] == [worker_id(other)]
            assert await attempts(connection, long) == []
            release.set()
            assert (await finished(hr, long)).attempt_count == 1
    for job_id in short:
        assert await attempts(connection, job_id) == [(1, "released", None), (2, "succeeded", "succeeded")]
        assert await connection.fetchval("select attempt_count from headrace.jobs where id = $1", job_id) == 1


async def released(connection: Connection, ids: list[UUID]) -> bool:
    """Whether each of the jobs was given back once."""
    back = await connection.fetchval(
        "select count(*) from headrace.attempt where job_id = any($1) and outcome = 'released'", ids
    )
    return bool(back == len(ids))


async def test_a_lone_job_is_picked_up_by_notification(
    database_url: str, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No look within the time of this test: only the notification can tell of the job.
    monkeypatch.setattr(headrace.worker.claim.claim_session, "LOOKS", ())
    monkeypatch.setattr(headrace.worker.claim.claimer, "LONGEST_WAIT", 3600.0)
    monkeypatch.setattr(headrace.service.worker_protocol.state, "POLL_INTERVAL", 3600.0)
    hr = app_on(database_url, poll_interval_ms=3_600_000)

    @hr.job()
    async def lone() -> str:
        return "noticed"

    async with working(hr) as process:
        await until("somebody listens for it", listener_of(process).listening.is_set)
        for _ in range(3):
            await until_armed(connection, worker_id(process))
            assert (await finished(hr, await lone.enqueue())).result == "noticed"


@only_postgres
async def test_an_immediate_retry_does_not_wait_for_the_next_look(
    database_url: str, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headrace.worker.claim.claim_session, "LOOKS", ())
    monkeypatch.setattr(headrace.worker.claim.claimer, "LONGEST_WAIT", 3600.0)
    hr = app_on(database_url, poll_interval_ms=3_600_000)

    @hr.job(retry=RetryPolicy(base=timedelta(0), cap=timedelta(0), jitter=timedelta(0)))
    async def flaky(ctx: Context) -> int:
        if ctx.attempt < 3:
            raise ConnectionError("not yet")
        return ctx.attempt

    async with working(hr) as process:
        await until("somebody listens for it", listener_of(process).listening.is_set)
        await until_armed(connection, worker_id(process))
        assert (await finished(hr, await flaky.enqueue())).result == 3


@pytest.mark.parametrize("concurrency", [1, 10])
async def test_a_row_without_its_record_leaves_the_queue_by_itself_and_its_neighbours_run(
    hr: Headrace, connection: Connection, caplog: pytest.LogCaptureFixture, concurrency: int
) -> None:
    @hr.job()
    async def work(n: int) -> int:
        return n

    async with hr:
        first, gone, last = await work.enqueue_many([{"n": n} for n in range(3)])
        await connection.execute("delete from headrace.job where id = $1", gone)
        async with running(worker_of(hr, concurrency=concurrency)):
            assert [(await finished(hr, job_id)).result for job_id in (first, last)] == [0, 2]
    assert await connection.fetchval("select count(*) from headrace.queue") == 0
    assert caplog.text.count("has no record") == 1
    assert str(gone) in caplog.text


@only_postgres
async def test_polling_alone_suffices_when_nobody_can_listen(database_url: str, connection: Connection) -> None:
    hr = app_on(database_url, poll_interval_ms=100)

    @hr.job()
    async def patient() -> str:
        return "found"

    async with hr:
        hr.database.endpoint = Endpoint(database_url, pooled=True)
        async with running(worker_of(hr)) as process:
            assert (await finished(hr, await patient.enqueue())).result == "found"
            assert (await finished(hr, await patient.enqueue(delay=0.2, queue="other"))).result == "found"
            assert not listener_of(process).listening.is_set()
            assert not await connection.fetchval("select bool_or(armed) from headrace.worker")


async def test_a_handler_that_blocks_the_loop_for_longer_than_the_lease_does_not_lose_it(
    database_url: str, connection: Connection
) -> None:
    hr = app_on(database_url, lease_duration_s=2.0)

    @hr.job()
    async def selfish() -> str:
        block_loop(4)
        return "done"

    with rescuing(database_url):
        async with working(hr) as process:
            job = await finished(hr, await selfish.enqueue())
            state = await connection.fetchval("select state from headrace.worker where id = $1", worker_id(process))
    assert (job.result, state) == ("done", "live")
    assert await attempts(connection, job.id) == [(1, "succeeded", "succeeded")]


@only_postgres
async def test_an_idle_worker_asks_at_most_twice_a_second(
    database_url: str, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headrace.worker.maintenance.maintenance.Rescuer, "jitter", 0.0)
    asked: list[str] = []

    class Counted(Endpoint):
        async def connect(self, name: str, *, command_timeout: float | None = None) -> OwnConnection:
            connection = await super().connect(name, command_timeout=command_timeout)
            connection.add_query_logger(lambda query: asked.append(f"{name}: {query.query.split()[0:2]}"))
            return connection

    hr = app_on(database_url, lease_duration_s=60)  # who has a short lease is looked at more often
    hr.job(nothing_to_do)
    async with hr:
        hr.database.endpoint = Counted(database_url)
        async with running(worker_of(hr)) as process:
            await until_armed(connection, worker_id(process))
            await until("its first looks are over", enough_time(1))
            asked.clear()
            await until("it has been idle for a while", enough_time(IDLE))
            seen = list(asked)
    assert len(seen) <= 2 * IDLE, collections.Counter(seen)
    assert len(seen) >= IDLE / 2, "the worker did not even look"


async def test_suspects_run_one_at_a_time_and_without_a_wait_between_them(hr: Headrace, connection: Connection) -> None:
    now, most = 0, 0

    @hr.job()
    async def suspicious() -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        for _ in range(5):
            await asyncio.sleep(0)
        now -= 1

    async with hr:
        ids = await suspicious.enqueue_many([{}] * 30)
        await connection.execute("update headrace.queue set suspect = true")
        async with running(worker_of(hr, concurrency=10)):
            await until("all have ended", lambda: ended(connection, ids))
    assert most == 1
