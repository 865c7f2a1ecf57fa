"""The application of the test of limits: jobs of some length, in every place that a limit allows."""

from __future__ import annotations

import asyncio

from headrace import Context, Headrace
from headrace.worker.maintenance.maintenance import Rescuer

Rescuer.interval = 0.5

hr = Headrace(app="tests.chaos.world.limits")


@hr.job(max_attempts=1000, max_concurrency=1)
async def one() -> None:
    """One at a time."""
    await asyncio.sleep(0.02)


@hr.job(max_attempts=1000, max_concurrency=3)
async def three() -> None:
    """Three at a time."""
    await asyncio.sleep(0.03)


@hr.job(max_attempts=1000, max_concurrency=10, concurrency_key="key", max_concurrency_per_key=2)
async def ten(key: int) -> None:
    """Ten at a time, of each key two."""
    await asyncio.sleep(0.03)


@hr.job(max_attempts=1000, max_concurrency=4)
async def hold(ctx: Context) -> None:
    """The first attempt ends with its worker alone."""
    if ctx.attempt == 1:
        await asyncio.Event().wait()


@hr.job(max_attempts=1000, rate_limit="40/s", rate_burst=5)
async def rated() -> None:
    """Forty a second."""
