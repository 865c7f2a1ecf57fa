"""A worker that stands still for longer than its lease, and wakes up (rule 3)."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from tests.chaos.world.processes import Workers, attempts, enqueue, live_workers, until_ended, until_exists
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection


async def test_a_worker_stopped_past_its_lease_wakes_up_and_changes_nothing(
    connection: Connection, workers: Workers, tmp_path: Path
) -> None:
    job_id = await enqueue(connection, "hold", json.dumps({"folder": str(tmp_path)}))
    sleeper = workers.start()
    await until_exists(tmp_path / "started-1")
    os.kill(sleeper.pid, signal.SIGSTOP)
    other = workers.start()
    (tmp_path / "release-2").touch()
    finished = await until_ended(connection, job_id)
    assert finished == [(1, "lost", None), (2, "succeeded", "succeeded")]
    history = await connection.fetch("select * from headrace.attempt order by job_id, run")

    # It wakes up with a handler that may return at once: whatever it makes of that, nobody wants it any more.
    (tmp_path / "release-1").touch()
    os.kill(sleeper.pid, signal.SIGCONT)

    async def both_live() -> bool:
        return sorted(pid for _, pid in await live_workers(connection)) == sorted([sleeper.pid, other.pid])

    await until("it has registered anew", both_live)
    assert await connection.fetch("select * from headrace.attempt order by job_id, run") == history
    assert await connection.fetchval("select count(*) from headrace.queue") == 0
    states = await connection.fetch("select state::text from headrace.worker where pid = $1 order by id", sleeper.pid)
    assert [row[0] for row in states] == ["lost", "live"]

    # And it works on: with the other one gone, there is nobody else.
    other.terminate()
    assert other.wait(PATIENCE) == 0
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "release-1").touch()
    again = await enqueue(connection, "hold", json.dumps({"folder": str(tmp_path / "again")}))
    assert await until_ended(connection, again) == [(1, "succeeded", "succeeded")]
    assert (tmp_path / "again" / "returned-1").read_text() == str(sleeper.pid)
    assert await attempts(connection, job_id) == finished
