"""Many jobs, several workers at once: each job is claimed once and ends once."""

from __future__ import annotations

import asyncio
from collections import Counter
from uuid import UUID

import pytest
from tests.at_once import Another
from tests.engine import Engine

from headrace.db.connect import Connection

JOBS = 3000


async def drain(engine: Engine, conn: Connection, batch: int) -> list[tuple[UUID, int]]:
    """Claim and finish until nothing is left."""
    mine, runs = Engine(engine.endpoint, conn), []
    worker = await mine.worker()
    # A claim over several lanes may come back empty though jobs wait, when others have just taken the first of them.
    while await conn.fetchval("select exists (select from headrace.queue where status = 'queued')"):
        held = await mine.claim(worker, batch)
        runs += [(run.job_id, run.run) for run in held]
        if held:
            assert await mine.finish(worker, held) == {run.job_id for run in held}
    return runs


@pytest.mark.parametrize("definitions", [("work",), ("work", "other")])
async def test_three_workers_at_once_run_each_job_exactly_once(
    engine: Engine, another: Another, definitions: tuple[str, ...]
) -> None:
    bulks = [await engine.enqueue_many(JOBS // len(definitions), key) for key in definitions]
    connections = [await another() for _ in range(3)]
    drained = await asyncio.gather(
        *(drain(engine, conn, batch) for conn, batch in zip(connections, (20, 20, 50), strict=True))
    )
    ids = sorted(job_id for bulk in bulks for job_id in bulk)
    claims = Counter(run for runs in drained for run in runs)
    assert claims == {(job_id, 1): 1 for job_id in ids}
    assert await engine.db.fetchval("select count(*) from headrace.queue") == 0
    rows = await engine.db.fetch("select job_id, run, outcome::text, final::text from headrace.attempt order by job_id")
    assert [tuple(row) for row in rows] == [(job_id, 1, "succeeded", "succeeded") for job_id in ids]
