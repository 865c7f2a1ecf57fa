"""A worker is killed at each stage of a job: another one finishes it, and the job has one end."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tests.chaos.world.processes import Workers, enqueue, live_workers, until_ended, until_exists, until_live
from tests.waiting import until

from headrace.db.connect import Connection, Endpoint

LOST_THEN_DONE = [(1, "lost", None), (2, "succeeded", "succeeded")]


async def test_killed_after_the_claim_and_before_the_handler(
    connection: Connection, database_url: str, workers: Workers, tmp_path: Path
) -> None:
    job_id = await enqueue(connection, "hold", payload(tmp_path))
    locker = await Endpoint(database_url).connect("test")
    transaction = locker.transaction()
    await transaction.start()
    # The claim has nothing to do with this table; the look at the payload that follows has.
    await locker.execute("lock table headrace.job in access exclusive mode")
    first = workers.start()
    await until("the job is claimed", lambda: is_running(connection, job_id))
    first.kill()
    await transaction.rollback()
    await locker.close()
    workers.start()
    (tmp_path / "release-2").touch()
    assert await until_ended(connection, job_id) == LOST_THEN_DONE
    assert not (tmp_path / "started-1").exists()


async def test_killed_during_the_handler(connection: Connection, workers: Workers, tmp_path: Path) -> None:
    job_id = await enqueue(connection, "hold", payload(tmp_path))
    first = workers.start()
    await until_exists(tmp_path / "started-1")
    first.kill()
    second = workers.start()
    (tmp_path / "release-2").touch()
    assert await until_ended(connection, job_id) == LOST_THEN_DONE
    assert (tmp_path / "returned-2").read_text() == str(second.pid)
    row = await connection.fetchrow("select attempt_count, result from headrace.jobs where id = $1", job_id)
    assert tuple(row or ()) == (2, "2")
    assert [pid for _, pid in await live_workers(connection)] == [second.pid]


async def test_killed_after_the_handler_and_before_its_outcome_is_written(
    connection: Connection, database_url: str, workers: Workers, tmp_path: Path
) -> None:
    job_id = await enqueue(connection, "hold", payload(tmp_path))
    first = workers.start()
    await until_exists(tmp_path / "started-1")
    locker = await Endpoint(database_url).connect("test")
    transaction = locker.transaction()
    await transaction.start()
    await locker.execute("select from headrace.queue where job_id = $1 for update", job_id)
    (tmp_path / "release-1").touch()
    await until("the outcome waits for the row", lambda: finish_waits(connection))
    first.kill()
    # Its session would carry on without it: end that too, as a cut network or a crash would.
    await connection.fetch(f"select pg_terminate_backend(pid) from pg_stat_activity where {FINISH_WAITS}")
    await until("nobody waits for the row", lambda: nobody_waits(connection))
    await transaction.rollback()
    await locker.close()
    workers.start()
    (tmp_path / "release-2").touch()
    assert await until_ended(connection, job_id) == LOST_THEN_DONE
    assert (tmp_path / "returned-1").exists()


async def test_an_outcome_that_reached_the_server_counts_though_its_worker_was_killed(
    connection: Connection, database_url: str, workers: Workers, tmp_path: Path
) -> None:
    job_id = await enqueue(connection, "hold", payload(tmp_path))
    first = workers.start()
    await until_exists(tmp_path / "started-1")
    locker = await Endpoint(database_url).connect("test")
    async with locker.transaction():
        await locker.execute("select from headrace.queue where job_id = $1 for update", job_id)
        (tmp_path / "release-1").touch()
        await until("the outcome waits for the row", lambda: finish_waits(connection))
        first.kill()
        await asyncio.to_thread(first.wait)
    await locker.close()
    workers.start()
    assert await until_ended(connection, job_id) == [(1, "succeeded", "succeeded")]
    # The dead worker is noticed in time, and there is nothing to rescue.
    await until("the first is called lost", lambda: is_lost(connection, first.pid))
    await until_live(connection, 1)
    assert await until_ended(connection, job_id) == [(1, "succeeded", "succeeded")]


FINISH_WAITS = "datname = current_database() and application_name = 'headrace finish' and wait_event_type = 'Lock'"


def payload(folder: Path) -> str:
    return json.dumps({"folder": str(folder)})


async def is_running(connection: Connection, job_id: object) -> bool:
    return bool(await connection.fetchval("select status = 'running' from headrace.queue where job_id = $1", job_id))


async def finish_waits(connection: Connection) -> bool:
    return bool(await connection.fetchval(f"select exists (select from pg_stat_activity where {FINISH_WAITS})"))


async def nobody_waits(connection: Connection) -> bool:
    return not await finish_waits(connection)


async def is_lost(connection: Connection, pid: int) -> bool:
    return bool(await connection.fetchval("select state = 'lost' from headrace.worker where pid = $1", pid))
