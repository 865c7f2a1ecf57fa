"""A handler that holds the GIL for longer than the lease: its worker is lost, and everybody is told why."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.chaos.world.processes import Workers, declare, enqueue, until_ended
from tests.service.test_doctor import findings
from tests.waiting import until

from headrace.db.connect import Connection

WHY = 's while its process lived: does a handler hold the GIL? Declare it with isolation="process"'


async def test_a_worker_that_comes_back_says_that_a_handler_held_the_gil(
    connection: Connection, database_url: str, workers: Workers, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    await declare(connection, "grip", max_attempts=1)
    job_id = await enqueue(connection, "grip", json.dumps({"pipe": str(pipe)}))
    held = workers.start()
    workers.start("--queues", "nothing")
    assert await until_ended(connection, job_id) == [(1, "lost", "dead_letter")]

    pipe.write_text(".")  # its process can run again

    async def told() -> bool:
        error = await connection.fetchval("select last_error from headrace.jobs where id = $1", job_id)
        return str(error).startswith("its worker was silent for ") and str(error).endswith(WHY)

    await until("the dead letter says why", told)
    found = (await findings(database_url))["workers"]
    assert (found.state, found.do) == (
        "warn",
        'a handler may hold the GIL: declare that handler with isolation="process"',
    )
    assert f":{held.pid} for " in found.detail
    await until("its own log says why", lambda: "worker blocked: no thread could run" in workers.said(held))
