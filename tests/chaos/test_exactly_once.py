"""Many jobs, several workers and one poisonous job among the innocent (rules 3 and 6)."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.world.processes import Workers, declare, enqueue, until_ended, until_live
from tests.waiting import until

from headrace.db.connect import Connection

MOST_RESTARTS = 6


async def test_two_workers_finish_ten_thousand_jobs_once_each(connection: Connection, workers: Workers) -> None:
    await declare(connection, "noop")
    workers.start("--concurrency", "16")
    workers.start("--concurrency", "16")
    both = {worker_id for worker_id, _ in await until_live(connection, 2)}
    for _ in range(4):
        await connection.fetch("select headrace.enqueue_many('noop', array_fill('{}'::jsonb, array[2500]))")
    await until("all are finished", lambda: nothing_left(connection))
    summary = "select count(*), count(distinct job_id), min(run), max(run), count(final) from headrace.attempt"
    row = await connection.fetchrow(summary)
    assert tuple(row or ()) == (10_000, 10_000, 1, 1, 10_000)
    by = await connection.fetch("select distinct worker_id from headrace.attempt")
    assert {row[0] for row in by} <= both


async def test_a_poisonous_job_ends_alone(connection: Connection, workers: Workers, tmp_path: Path) -> None:
    await declare(connection, "poison", max_attempts=3)
    await declare(connection, "noop", max_attempts=3)
    poisonous = await enqueue(connection, "poison")
    await connection.fetch(
        "select headrace.enqueue_many('noop', array_fill('{}'::jsonb, array[100]), max_attempts => 3)"
    )
    worker, starts = workers.start("--concurrency", "50"), 1

    async def poison_has_ended() -> bool:
        nonlocal worker, starts
        if worker.poll() is not None:
            assert starts < MOST_RESTARTS, "the poison kills on and on"
            worker, starts = workers.start("--concurrency", "50"), starts + 1
        query = "select exists (select from headrace.attempt where job_id = $1 and final is not null)"
        return bool(await connection.fetchval(query, poisonous))

    await until("the poison has ended", poison_has_ended)
    await until("all are finished", lambda: nothing_left(connection))
    assert await until_ended(connection, poisonous) == [
        (1, "lost", None),
        (2, "lost", None),
        (3, "lost", "dead_letter"),
    ]
    finals = await connection.fetch(
        "select final::text, count(*) from headrace.attempt where final is not null group by 1"
    )
    assert {row[0]: row[1] for row in finals} == {"dead_letter": 1, "succeeded": 100}
    assert starts == 4


async def nothing_left(connection: Connection) -> bool:
    return bool(await connection.fetchval("select count(*) = 0 from headrace.queue"))
