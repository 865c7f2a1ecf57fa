"""Draining a queue with real processes, timed by the database's own clock."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench.stage import Stage

BOUND = 300.0


async def drain_raw(stage: Stage, jobs: int, *, batch: int = 500) -> float:
    """Jobs a second by a bare loop over the statements."""
    environment = {"BENCH_WORKER_ID": str(await stage.worker_id()), "BENCH_LANE": str(await stage.lane())}
    async with running_process(stage, "bench.raw", "--batch", str(batch), environment=environment) as process:
        await asyncio.wait_for(process.wait(), BOUND)
    return await rate(stage, jobs)


async def drain_product(stage: Stage, jobs: int, *, processes: int = 1, concurrency: int = 500) -> float:
    """Jobs a second by worker processes, calling a handler for each job."""
    async with workers(stage, processes=processes, concurrency=concurrency):
        await drained(stage)
    return await rate(stage, jobs)


LEFT = """
    select exists (select from headrace.queue where lane_id = $1 and status = 'queued' and not suspect and gate is null)
        or exists (select from headrace.queue where lane_id = $1 and status = 'queued' and suspect and gate is null)
        or exists (select from headrace.tenant cross join lateral (
                     select from headrace.queue where lane_id = $1 and status = 'queued' and gate is not null
                        and tenant_id = tenant.id limit 1) as waits where name <> 'crowd')
        or exists (select from headrace.queue join headrace.tenant on tenant.id = tenant_id
                    where status = 'running' and lane_id = $1 and name <> 'crowd')
"""


async def drained(stage: Stage) -> None:
    """Wait until nothing of `noop` waits or runs, but for the tenant `crowd`, which a scenario may have blocked.

    Asked by indexes alone: a look at a million blocked jobs every moment would be what is measured.
    """
    lane = await stage.lane()
    async with asyncio.timeout(BOUND):
        while await stage.db.fetchval(LEFT, lane):
            await asyncio.sleep(0.1)


async def rate(stage: Stage, jobs: int) -> float:
    """From the first claim to the last outcome."""
    ended, seconds = await stage.db.fetchrow(  # type: ignore[misc]
        "select count(*), extract(epoch from max(finished_at) - min(started_at))::float8 from headrace.attempt"
        " where finished_at > (select min(started_at) from headrace.worker)"
    )
    assert ended >= jobs, f"only {ended} of {jobs} jobs ended"
    return float(ended / seconds)


@asynccontextmanager
async def workers(stage: Stage, *, processes: int = 1, concurrency: int = 500) -> AsyncIterator[list[int]]:
    """Worker processes, stopped afterwards; gives their process ids."""
    arguments = ("--concurrency", str(concurrency))
    async with running_process(stage, "bench.worker", *arguments) as first:
        if processes == 1:
            yield [first.pid]
        else:
            async with workers(stage, processes=processes - 1, concurrency=concurrency) as others:
                yield [first.pid, *others]


@asynccontextmanager
async def running_process(
    stage: Stage, module: str, *arguments: str, environment: dict[str, str] | None = None, output: bool = False
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A Python module as a process on that database, stopped afterwards. `output`: what it prints is for us to read."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        env={**os.environ, "HEADRACE_DATABASE_URL": stage.endpoint.url, **(environment or {})},
        stdout=asyncio.subprocess.PIPE if output else None,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(process.wait(), 30)
