"""The raw limit: a bare loop over the product's own claim and finish statements, no handler.

`python -m bench.raw --batch N` drains the queue of the database in HEADRACE_DATABASE_URL and ends.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from uuid import UUID

from headrace.cli.process.run import run_loop
from headrace.db.connect import Connection, Endpoint
from headrace.model.job.status import JobStatus
from headrace.model.job.transition import Transition
from headrace.queue.claim import SQL as CLAIM
from headrace.queue.finish import finish_attempts


async def drain(batch: int) -> None:
    """Claim on one connection while the batch before is finished on another."""
    endpoint = Endpoint(os.environ["HEADRACE_DATABASE_URL"])
    claimer, finisher = await endpoint.connect("raw claim"), await endpoint.connect("raw finish")
    worker_id, lane = int(os.environ["BENCH_WORKER_ID"]), int(os.environ["BENCH_LANE"])
    finishing: asyncio.Task[object] | None = None
    while rows := await claimer.fetch(CLAIM["claim_from_lane"], worker_id, lane, batch, 0):
        ids = [row[0] for row in rows]
        await claimer.fetch(CLAIM["fetch_payloads"], ids)
        if finishing:
            await finishing
        finishing = asyncio.create_task(_finish(finisher, worker_id, [(row[0], row[1]) for row in rows]))
    if finishing:
        await finishing


async def _finish(connection: Connection, worker_id: int, runs: list[tuple[UUID, int]]) -> None:
    ended = [Transition(job_id, run, "succeeded", JobStatus.SUCCEEDED, True) for job_id, run in runs]
    await finish_attempts(connection, worker_id=worker_id, transitions=ended)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=500)
    run_loop(drain(parser.parse_args().batch))
