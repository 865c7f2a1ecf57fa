"""Following a job: its history, then what comes, no gap and no double, until it ends."""

from __future__ import annotations

import asyncio
import random

from tests.engine import Engine
from tests.logs.printing import Another, Run, start
from tests.waiting import until

from headrace.db.connect import Connection, OwnConnection, Pool
from headrace.logs.read import Position, follow
from headrace.model.job.outcome import Released
from headrace.model.log.line import LogLine

QUICK = 0.005


async def collect(pool: Pool, run: Run, into: list[LogLine], after: Position | None = None) -> None:
    async for line in follow(pool.acquire, run.job_id, after=after, poll=QUICK):
        into.append(line)  # noqa: PERF401 - somebody watches it grow


async def test_history_comes_first_then_new_lines_and_then_the_end(engine: Engine) -> None:
    run = await start(engine)
    await run.write(run.lines(3))
    seen: list[LogLine] = []
    async with await engine.endpoint.pool("follow", size=1) as pool:
        following = asyncio.create_task(collect(pool, run, seen))
        await until("history is there", lambda: len(seen) == 3)
        await run.write(run.lines(2))
        await until("the new lines are there", lambda: len(seen) == 5)
        await run.write(run.lines(1))
        await run.finish()
        await following
    assert seen == run.written


async def test_a_job_that_has_ended_is_read_and_left(engine: Engine) -> None:
    run = await start(engine)
    await run.write(run.lines(2500))
    await run.finish()
    seen: list[LogLine] = []
    async with await engine.endpoint.pool("follow", size=1) as pool:
        await collect(pool, run, seen)
        assert seen == run.written
        seen.clear()
        await collect(pool, run, seen, after=(1, 2400))
        assert seen == run.written[2400:]


async def test_a_follower_goes_on_over_a_release_to_the_next_run(engine: Engine) -> None:
    run = await start(engine)
    await run.write(run.lines(2))
    seen: list[LogLine] = []
    async with await engine.endpoint.pool("follow", size=1) as pool:
        following = asyncio.create_task(collect(pool, run, seen))
        await until("the first run is there", lambda: len(seen) == 2)
        await engine.finish(run.worker, run.held, Released())
        (held,) = await engine.claim(run.worker)
        second = Run(engine, run.worker, held, run.began)
        await second.write(second.lines(2))
        await until("the second run is there", lambda: len(seen) == 4)
        await second.finish()
        await following
    assert seen == run.written + second.written


async def test_concurrent_flushes_that_commit_in_any_order_leave_no_gap_and_no_double(
    engine: Engine, another: Another
) -> None:
    chance = random.Random(4)  # noqa: S311
    runs = [await start(engine) for _ in range(3)]
    flushes = {run.job_id: [run.lines(chance.randint(1, 30)) for _ in range(25)] for run in runs}
    seen: dict[object, list[LogLine]] = {run.job_id: [] for run in runs}
    connections = [await another() for _ in range(6)]

    async def write(run: Run, conn: OwnConnection, mine: list[list[LogLine]]) -> None:
        for lines in mine:
            async with conn.transaction():
                await run.write(lines, conn)
                await asyncio.sleep(chance.random() * 0.01)

    async def live(run: Run, pair: list[OwnConnection]) -> None:
        # A worker has one flush in flight for a run. Two at once are what must not harm a reader all the same.
        halves = flushes[run.job_id][::2], flushes[run.job_id][1::2]
        await asyncio.gather(*(write(run, conn, half) for conn, half in zip(pair, halves, strict=True)))
        await finished(run, pair[0])

    async def finished(run: Run, conn: Connection) -> None:
        await Run(Engine(engine.endpoint, conn), run.worker, run.held, run.began).finish()

    async with await engine.endpoint.pool("follow", size=3) as pool:
        followers = [asyncio.create_task(collect(pool, run, seen[run.job_id])) for run in runs]
        await asyncio.gather(*(live(run, connections[2 * n : 2 * n + 2]) for n, run in enumerate(runs)))
        await asyncio.gather(*followers)
    for run in runs:
        assert seen[run.job_id] == [line for flush in flushes[run.job_id] for line in flush]
