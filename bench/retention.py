"""What pruning costs those who work meanwhile: history goes row by row beside a worker that drains a queue."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from bench.drain import drain_product
from bench.lines import Line, Scale, at_least
from bench.stage import Stage
from headrace.model.retention import Keep
from headrace.retention.prune import NO_LIMITS, PruneLimits, prune_jobs

ROUNDS = 5
WEEKS = 4
CHUNK = 250_000
KEEP = Keep(jobs=timedelta(days=7), dead_letters=timedelta(days=90))

PAST_WEEKS = """
    select headrace._create_partition(week, week + interval '168 hours')
      from (select date_trunc('week', now() at time zone 'UTC') at time zone 'UTC' - n * interval '168 hours'
              from generate_series(1, $1::int) as n) as weeks (week)
     where not exists (select from headrace.partition where lower_bound = week)
"""
# From ten days ago back to three weeks and a half. One in a hundred is a dead letter, so that no week can go whole.
ENDED = """
    with made as (
      select n, now() - interval '10 days' - n::float8 / $3 * interval '15 days' as at, lane.id as lane_id,
             definition_id
        from generate_series($1::int, $2::int) as n,
             headrace.lane join headrace.definition as d on d.id = definition_id and d.key = 'noop'),
    named as (
      select *, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008'
                 || lpad(to_hex(n), 15, '0'))::uuid as id
        from made),
    jobs as (
      insert into headrace.job (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source,
                                created_at)
      select id, 1, definition_id, lane_id, 100, 3, '{"text": "x"}', 'sql', at from named)
    insert into headrace.attempt (job_id, run, tenant_id, lane_id, worker_id, outcome, final, spent, queued_at,
                                  started_at, finished_at)
    select id, 1, 1, lane_id, 1, (case n % 100 when 0 then 'failed' else 'succeeded' end)::headrace.attempt_outcome,
           (case n % 100 when 0 then 'dead_letter' else 'succeeded' end)::headrace.job_status, 1, at, at, at
      from named
"""


async def measure_retention(stage: Stage, scale: Scale) -> list[Line]:
    """Drains with and without a prune beside them, interleaved; then the rest of it."""
    history = 5 * scale.million
    await stage.clear()
    await _fill(stage, history)
    without, beside = [], []
    removed = 0.0
    for _ in range(ROUNDS):
        await _full(stage, scale.drain)
        without.append(await drain_product(stage, scale.drain))
        await _full(stage, scale.drain)
        began, before = time.monotonic(), await _left(stage)
        async with _pruning(stage):
            beside.append(await drain_product(stage, scale.drain))
            seconds = time.monotonic() - began
        removed = (before - await _left(stage)) / seconds
    began, before = time.monotonic(), await _left(stage)
    await prune_jobs(stage.db, KEEP, PruneLimits(rest=0))
    alone = (before - await _left(stage)) / (time.monotonic() - began)
    ratio = statistics.median(two / one for one, two in zip(without, beside, strict=True))
    await stage.clear()
    return [
        at_least(f"drain while {history:,} ended jobs are pruned by the row", ratio, "×", 0.8),
        Line("ended jobs pruned meanwhile", removed, "jobs/s"),
        Line("ended jobs pruned without a rest", alone, "jobs/s"),
    ]


async def _fill(stage: Stage, history: int) -> None:
    await stage.db.execute(PAST_WEEKS, WEEKS)
    for first in range(1, history + 1, CHUNK):
        await stage.db.execute(ENDED, first, min(first + CHUNK - 1, history), float(history))
    await stage.db.execute("vacuum (analyze) headrace.job, headrace.attempt")


async def _full(stage: Stage, jobs: int) -> None:
    """A queue to drain, by workers of whom the first is the one to come."""
    await stage.db.execute("truncate headrace.worker")
    await stage.fill(jobs)
    await stage.settle()


async def _left(stage: Stage) -> int:
    """How many old ones there still are."""
    left: int = await stage.db.fetchval(
        "select count(*) from headrace.job where id < headrace._first_id(now() - interval '9 days')"
    )
    return left


@asynccontextmanager
async def _pruning(stage: Stage) -> AsyncIterator[None]:
    """A prune beside the block; wherever it is stopped, the next one goes on."""
    conn = await stage.endpoint.connect("bench prune")
    task = asyncio.create_task(prune_jobs(conn, KEEP, NO_LIMITS))
    try:
        yield
        if task.done():
            await task
            raise AssertionError("there was too little to prune")
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        conn.terminate()
