"""What runs is held by somebody, whatever the garbage collector does."""

from __future__ import annotations

import asyncio
import gc

from tests.waiting import until
from tests.worker.running import finished, working

from headrace import Headrace


async def test_a_run_that_only_waits_survives_the_garbage_collector(hr: Headrace) -> None:
    waits: list[asyncio.Future[None]] = []

    @hr.job
    async def patient() -> str:
        # Nobody but the handler's own frame holds what it waits for.
        future = asyncio.get_running_loop().create_future()
        waits.append(future)
        await future
        return "still here"

    async with working(hr, concurrency=10):
        ids = [await patient.enqueue() for _ in range(10)]
        await until("all of them run", lambda: len(waits) == 10)
        for _ in range(3):
            gc.collect()
        for future in waits:
            future.set_result(None)
        assert [(await finished(hr, job_id)).result for job_id in ids] == ["still here"] * 10
