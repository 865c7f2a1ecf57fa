"""Workers that are asked to go finish what they run, and nobody starts them again."""

from __future__ import annotations

import json
from pathlib import Path

from tests.chaos.world.processes import Workers, attempts, enqueue, live_workers, until_exists, until_live
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection


async def drain(connection: Connection, worker_id: int) -> None:
    """What the API does."""
    await connection.execute("update headrace.worker set draining = true where id = $1", worker_id)
    await connection.execute("select pg_notify('headrace', 'drain ' || $1::bigint)", worker_id)


async def test_a_drained_process_waits_for_its_job_and_ends_well(
    connection: Connection, workers: Workers, tmp_path: Path
) -> None:
    job_id = await enqueue(connection, "hold", json.dumps({"folder": str(tmp_path)}))
    worker = workers.start()
    [(worker_id, _)] = await until_live(connection, 1)
    await until_exists(tmp_path / "started-1")
    await drain(connection, worker_id)
    await until("it has heard it", lambda: "drain requested" in workers.said(worker))
    assert worker.poll() is None

    (tmp_path / "release-1").touch()

    assert worker.wait(PATIENCE) == 0
    assert await attempts(connection, job_id) == [(1, "succeeded", "succeeded")]


async def test_a_drained_child_is_not_replaced_and_the_last_one_ends_the_parent(
    connection: Connection, workers: Workers
) -> None:
    parent = workers.start("--processes", "2")
    (first, _), (second, _) = sorted(await until_live(connection, 2))
    await drain(connection, first)

    async def alone() -> bool:
        return [worker_id for worker_id, _ in await live_workers(connection)] == [second]

    await until("one is left", alone)
    assert parent.poll() is None
    await drain(connection, second)

    assert parent.wait(PATIENCE) == 0
    assert "worker process replaced" not in workers.said(parent)
