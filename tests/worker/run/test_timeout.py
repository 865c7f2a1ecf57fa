"""Timeouts: an async handler is ended, a thread is given up but keeps its place."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta

from tests.waiting import until
from tests.worker.running import app_on, attempts, errors, finished, working

from headrace import Headrace, RetryPolicy
from headrace.db.connect import Connection


async def test_an_async_handler_is_ended_at_its_timeout_and_tried_again(hr: Headrace, connection: Connection) -> None:
    ended: list[str] = []

    @hr.job(timeout=0.2, max_attempts=2, retry=RetryPolicy(base=timedelta(0), jitter=timedelta(0)))
    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    async with working(hr):
        job = await finished(hr, await slow.enqueue())
    assert await attempts(connection, job.id) == [(1, "timed_out", None), (2, "timed_out", "dead_letter")]
    assert await errors(connection, job.id) == ["timed out after 0.2 s"] * 2
    assert ended == ["ended"] * 2


async def test_a_thread_given_up_at_its_timeout_keeps_its_place_until_it_ends(
    database_url: str, connection: Connection
) -> None:
    hr = app_on(database_url, lease_duration_s=3.0)
    release = threading.Event()

    @hr.job(timeout=0.2, max_attempts=1)
    def stuck() -> None:
        release.wait(60)

    @hr.job()
    async def fine() -> None:
        pass

    async with working(hr, concurrency=1) as process:
        try:
            job = await finished(hr, await stuck.enqueue())
            assert await attempts(connection, job.id) == [(1, "timed_out", "dead_letter")]
            assert str(job.last_error).startswith("timed out after 0.2 s; its thread cannot be ended and may still run")
            assert process.worker._slots.free == 0
            waits = await fine.enqueue()
            await until("the worker beats again without taking it", lambda: beaten_since(connection, waits))
            assert await attempts(connection, waits) == []
        finally:
            release.set()
        assert (await finished(hr, waits)).status == "succeeded"
        assert process.worker._slots.stuck == 0


async def beaten_since(connection: Connection, job_id: object) -> bool:
    """Whether every worker gave a sign of life after the job was enqueued."""
    return bool(
        await connection.fetchval(
            "select bool_and(heartbeat_at > (select created_at from headrace.job where id = $1)) from headrace.worker",
            job_id,
        )
    )


async def test_a_handler_that_is_done_in_time_is_left_alone(hr: Headrace) -> None:
    @hr.job(timeout=30)
    async def quick() -> str:
        return "quick"

    async with working(hr):
        job = await finished(hr, await quick.enqueue())
    assert (job.status, job.result) == ("succeeded", "quick")
