"""Jobs that kill their worker, one fresh one after another, beside innocent ones that were hit before (rule 6)."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from tests.chaos.world.processes import Workers, declare
from tests.engine import watched
from tests.waiting import until

from headrace.db.connect import Connection
from headrace.queue.rescue import mark_lost_workers, rescue_jobs

INNOCENT = 8
ROUNDS = 5


async def test_an_innocent_job_spends_one_attempt_at_most_on_the_crashes_of_others(
    connection: Connection, workers: Workers
) -> None:
    """Each round a worker claims fresh poison together with a suspect, which is hit again and must not pay for it."""
    await declare(connection, "noop")
    await declare(connection, "poison")
    innocent = await enqueue(connection, "noop", INNOCENT, max_attempts=2, priority=100)
    poisonous = []
    for _ in range(ROUNDS):
        # More urgent than the innocent, so it is in the first claim with whatever comes beside it.
        poisonous += await enqueue(connection, "poison", 1, max_attempts=1, priority=0)
        worker = workers.start("--concurrency", "4")
        await until("the poison has killed its worker", lambda worker=worker: worker.poll() is not None)  # type: ignore[misc]
        await lose_all(connection)
    hits = "select count(*) from headrace.attempt where job_id = any($1) group by job_id order by 1 desc limit 1"
    assert await connection.fetchval(hits, innocent) > 1, "no innocent job was hit again: this proves nothing"
    workers.start("--concurrency", "4")
    await until("all have ended", lambda: nothing_left(connection))
    assert await finals(connection, poisonous) == [("dead_letter", 1)] * ROUNDS
    assert {final for final, _ in await finals(connection, innocent)} == {"succeeded"}
    assert max(spent for _, spent in await finals(connection, innocent)) == 2


async def enqueue(connection: Connection, key: str, n: int, *, max_attempts: int, priority: int) -> list[UUID]:
    rows = await connection.fetch(
        "select headrace.enqueue_many($1, array_fill('{}'::jsonb, array[$2::int]), max_attempts => $3, priority => $4)",
        key,
        n,
        max_attempts,
        priority,
    )
    return [row[0] for row in rows]


async def lose_all(connection: Connection) -> None:
    """What a rescuer would do once the leases have run out."""
    await connection.execute(
        "update headrace.worker set lease_expires_at = now() - interval '1 s' where state = 'live'"
    )
    assert await mark_lost_workers(connection, watched(timedelta(hours=1)))
    while await rescue_jobs(connection):
        pass


async def finals(connection: Connection, ids: list[UUID]) -> list[tuple[str, int]]:
    rows = await connection.fetch(
        "select final::text, spent from headrace.attempt where job_id = any($1) and final is not null", ids
    )
    return [(row[0], row[1]) for row in rows]


async def nothing_left(connection: Connection) -> bool:
    return bool(await connection.fetchval("select count(*) = 0 from headrace.queue"))
