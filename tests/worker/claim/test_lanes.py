"""Which jobs a worker takes: what it can run, from its queues, while nobody has paused or disabled them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import UUID

from tests.waiting import until
from tests.worker.running import (
    app_on,
    attempts,
    claims_of,
    finished,
    running,
    until_armed,
    until_status,
    worker_id,
    worker_of,
    working,
)

from headrace import Headrace, RetryPolicy
from headrace.db.connect import Connection
from headrace.worker.process.base import Process


async def test_definitions_that_a_worker_does_not_know_are_left_for_others(
    database_url: str, connection: Connection
) -> None:
    shop, mail = app_on(database_url, "shop"), app_on(database_url, "mail")

    @shop.job()
    async def sell() -> str:
        return "sold"

    @mail.job()
    async def send() -> str:
        return "sent"

    async with shop, mail:
        letter, sale = await send.enqueue(), await sell.enqueue()
        async with running(worker_of(shop)):
            assert (await finished(shop, sale)).result == "sold"
            assert await attempts(connection, letter) == []
            assert (await shop.get_job(letter)).status == "queued"
        async with running(worker_of(mail)):
            assert (await finished(mail, letter)).result == "sent"
    assert await connection.fetchval("select count(*) from headrace.definition where deleted_from_code_at is null") == 2


async def test_a_worker_serves_only_its_queues(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def work(n: int) -> int:
        return n

    async with working(hr, queues=("mail",)):
        ordinary = await work.enqueue(n=1)
        mailed = await work.enqueue(n=2, queue="mail")
        assert (await finished(hr, mailed)).result == 2
        assert (await hr.get_job(ordinary)).status == "queued"
    assert await attempts(connection, ordinary) == []


async def test_a_paused_lane_is_not_claimed_until_it_goes_on(hr: Headrace, connection: Connection) -> None:
    @hr.job(queue="slow")
    async def paused() -> str:
        return "at last"

    @hr.job()
    async def other() -> str:
        return "meanwhile"

    async with working(hr) as process:
        await connection.execute("update headrace.lane set paused = true where queue = 'slow'")
        await until_told(process)
        job_id = await paused.enqueue()
        assert (await finished(hr, await other.enqueue())).result == "meanwhile"
        assert (await hr.get_job(job_id)).status == "queued"
        await connection.execute("update headrace.lane set paused = false")
        assert (await finished(hr, job_id)).result == "at last"


async def test_an_operators_changes_take_effect_without_a_restart(hr: Headrace, connection: Connection) -> None:
    @hr.job(max_attempts=2, retry=RetryPolicy(base=timedelta(hours=1)))
    async def endless() -> None:
        await asyncio.Event().wait()

    async def change(setting: str) -> None:
        await connection.execute(f"update headrace.definition set {setting} where key = 'endless'")
        await until_told(process)

    async with working(hr) as process:
        await change("timeout_seconds = 0.1, retry_base_seconds = 0, retry_cap_seconds = 0, retry_jitter_seconds = 0")
        job = await finished(hr, await endless.enqueue())
        assert await attempts(connection, job.id) == [(1, "timed_out", None), (2, "timed_out", "dead_letter")]
        waits = await endless.enqueue(delay=0.1)
        await change("enabled = false")
        await until_queued_and_left(connection, waits, process)
        await change("enabled = true")
        assert (await finished(hr, waits)).status == "dead_letter"


async def test_a_queue_that_is_new_is_served_too(hr: Headrace) -> None:
    @hr.job()
    async def work() -> str:
        return "done"

    async with working(hr) as process:
        async with hr.database.pool.acquire() as conn:
            await until_armed(conn, worker_id(process))
        job = await finished(hr, await work.enqueue(queue="never-seen-before"))
    assert (job.queue, job.result) == ("never-seen-before", "done")


async def until_told(process: Process) -> None:
    """Wait until the worker has read the lanes anew after a notification."""
    claims = claims_of(process)
    before = claims.lanes_read_at
    await until("the worker has read its lanes again", lambda: claims.lanes_read_at not in (before, float("-inf")))


async def until_queued_and_left(connection: Connection, job_id: UUID, process: Process) -> None:
    """Wait until the job is queued, and then for the worker to look and leave it."""
    await until_status(connection, job_id, "queued")
    claims = claims_of(process)
    claims.lanes_read_at = float("-inf")
    await until("the worker has looked", lambda: claims.lanes_read_at != float("-inf"))
    assert await attempts(connection, job_id) == []
