"""Cancel: a waiting job never runs, a running one is told within a second (rule 13)."""

from __future__ import annotations

import asyncio
import threading

from tests.waiting import PATIENCE, until
from tests.worker.handlers import wait_for_cancel
from tests.worker.running import (
    attempts,
    finished,
    stop_listening,
    working,
)

from headrace import Context, Headrace
from headrace.db.connect import Connection
from headrace.worker.process.heartbeat import BUSY_INTERVAL


async def test_a_running_async_handler_is_cancelled_and_told_through_its_context(
    hr: Headrace, connection: Connection
) -> None:
    started, told = asyncio.Event(), asyncio.Event()

    @hr.job()
    async def endless(ctx: Context) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if ctx.canceled:
                told.set()
            raise

    async with working(hr):
        job_id = await endless.enqueue()
        await asyncio.wait_for(started.wait(), PATIENCE)
        assert await hr.cancel(job_id)
        await until("the handler was told", told.is_set)
        job = await finished(hr, job_id)
    assert (job.status, job.last_error) == ("canceled", "canceled on request")
    assert await attempts(connection, job_id) == [(1, "canceled", "canceled")]


async def test_the_cancel_is_heard_with_the_next_beat_even_without_a_notification(
    hr: Headrace, connection: Connection
) -> None:
    started = asyncio.Event()

    @hr.job()
    async def endless() -> None:
        started.set()
        await asyncio.Event().wait()

    async with working(hr) as process:
        await stop_listening(process)
        job_id = await endless.enqueue()
        await asyncio.wait_for(started.wait(), PATIENCE)
        assert await hr.cancel(job_id)
        job = await finished(hr, job_id)
    assert job.status == "canceled"
    assert BUSY_INTERVAL <= 1.0, "what the docs promise: a running job hears of its cancel within a second"


async def test_a_running_sync_handler_that_looks_at_its_context_stops(hr: Headrace, connection: Connection) -> None:
    started, stopped = threading.Event(), threading.Event()

    @hr.job()
    def look(ctx: Context) -> None:
        started.set()
        wait_for_cancel(ctx)
        stopped.set()

    async with working(hr, concurrency=1) as process:
        job_id = await look.enqueue()
        await until("the handler runs", started.is_set)
        assert await hr.cancel(job_id)
        job = await finished(hr, job_id)
        await until("its thread saw it", stopped.is_set)
        await until("its place is free again", lambda: process.worker._slots.free == 1)
    assert job.status == "canceled"
    assert await attempts(connection, job_id) == [(1, "canceled", "canceled")]


async def test_a_queued_job_that_is_canceled_never_runs(hr: Headrace, connection: Connection) -> None:
    ran: list[str] = []

    @hr.job()
    async def note(name: str) -> None:
        ran.append(name)

    async with hr:
        unwanted = await note.enqueue(name="unwanted")
        later = await note.enqueue(name="later", delay=3600)
        assert await hr.cancel(unwanted)
        assert await hr.cancel(later)
        assert not await hr.cancel(later)
    async with working(hr):
        await finished(hr, await note.enqueue(name="wanted"))
    assert ran == ["wanted"]
    for job_id in (unwanted, later):
        assert await attempts(connection, job_id) == [(1, "canceled", "canceled")]


async def test_a_handler_that_swallows_its_cancellation_and_returns_has_succeeded(
    hr: Headrace, connection: Connection
) -> None:
    started = asyncio.Event()

    @hr.job()
    async def tidy() -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "finished all the same"
        return "never"

    async with working(hr):
        job_id = await tidy.enqueue()
        await asyncio.wait_for(started.wait(), PATIENCE)
        assert await hr.cancel(job_id)
        job = await finished(hr, job_id)
    assert (job.status, job.result) == ("succeeded", "finished all the same")
    assert await attempts(connection, job_id) == [(1, "succeeded", "succeeded")]


async def test_a_requested_cancel_beats_the_retry_of_a_failing_handler(hr: Headrace, connection: Connection) -> None:
    started = asyncio.Event()

    @hr.job(max_attempts=5)
    async def breaks() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise ValueError("broke while stopping")

    async with working(hr):
        job_id = await breaks.enqueue()
        await asyncio.wait_for(started.wait(), PATIENCE)
        assert await hr.cancel(job_id)
        job = await finished(hr, job_id)
    assert job.status == "canceled"
    assert await attempts(connection, job_id) == [(1, "canceled", "canceled")]


async def test_a_canceled_job_can_be_retried_by_a_person(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def fine() -> str:
        return "fine"

    async with working(hr):
        job_id = await fine.enqueue(delay=3600)
        assert await hr.cancel(job_id)
        assert await hr.retry(job_id)
        job = await finished(hr, job_id)
    assert (job.status, job.result) == ("succeeded", "fine")
    assert await attempts(connection, job_id) == [(1, "canceled", None), (2, "succeeded", "succeeded")]
