"""Progress, cancel, and a person's retry."""

from __future__ import annotations

import asyncio

from tests.tour.conftest import AWorker
from tests.waiting import until

from headrace import Context, Headrace


async def test_progress_can_be_seen(hr: Headrace, a_worker: AWorker) -> None:
    go_on = asyncio.Event()

    @hr.job
    async def long_work(ctx: Context) -> None:
        ctx.progress(0.4, "two of five")
        await go_on.wait()

    async with a_worker():
        job_id = await long_work.enqueue()

        async def is_seen() -> bool:
            return (await hr.get_job(job_id)).progress is not None

        await until("the progress is seen", is_seen)
        go_on.set()
        assert (await hr.wait(job_id)).progress is not None


async def test_a_running_job_is_told_to_stop_and_can_be_retried(hr: Headrace, a_worker: AWorker) -> None:
    started = asyncio.Event()
    patient = True

    @hr.job
    async def endless() -> str:
        started.set()
        if patient:
            await asyncio.Event().wait()
        return "in time"

    async with a_worker():
        job_id = await endless.enqueue()
        await started.wait()
        assert await hr.cancel(job_id)
        assert (await hr.wait(job_id)).status == "canceled"
        patient = False
        assert await hr.retry(job_id)
        assert (await hr.wait(job_id)).result == "in time"
