"""`headrace worker --processes 2`: started, replaced and stopped together."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from tests.chaos.world.processes import Workers, attempts, enqueue, live_workers, until_exists, until_live
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection


async def test_sigterm_ends_all_of_them_in_order(connection: Connection, workers: Workers) -> None:
    parent = workers.start("--processes", "2")
    children = [pid for _, pid in await until_live(connection, 2)]
    assert parent.pid not in children
    parent.terminate()
    assert parent.wait(PATIENCE) == 0
    assert not any(lives(pid) for pid in children)
    states = await connection.fetch("select state::text from headrace.worker")
    assert [row[0] for row in states] == ["stopped", "stopped"]


async def test_a_killed_child_is_replaced(connection: Connection, workers: Workers) -> None:
    parent = workers.start("--processes", "2")
    first = dict(await until_live(connection, 2))
    victim = min(first.values())
    os.kill(victim, signal.SIGKILL)

    async def replaced() -> bool:
        pids = {pid for worker_id, pid in await live_workers(connection) if worker_id not in first}
        return len(pids) == 1 and victim not in pids

    await until("another has taken its place", replaced)
    assert "worker process replaced" in workers.said(parent)
    parent.send_signal(signal.SIGINT)
    assert parent.wait(PATIENCE) == 0


async def test_a_second_signal_ends_them_at_once(connection: Connection, workers: Workers, tmp_path: Path) -> None:
    job_id = await enqueue(connection, "hold", json.dumps({"folder": str(tmp_path)}))
    parent = workers.start("--processes", "2")
    children = [pid for _, pid in await until_live(connection, 2)]
    await until_exists(tmp_path / "started-1")
    parent.terminate()
    await until(
        "both have heard it", lambda: workers.said(parent).count("a second signal ends the process at once") == 2
    )
    parent.terminate()
    assert parent.wait(PATIENCE) != 0
    assert not any(lives(pid) for pid in children)
    assert await attempts(connection, job_id) == []


async def test_a_second_signal_ends_a_single_worker_at_once(
    connection: Connection, workers: Workers, tmp_path: Path
) -> None:
    await enqueue(connection, "hold", json.dumps({"folder": str(tmp_path)}))
    worker = workers.start()
    await until_exists(tmp_path / "started-1")
    worker.send_signal(signal.SIGINT)
    await until("it has heard it", lambda: "a second signal ends the process at once" in workers.said(worker))
    assert worker.poll() is None
    worker.send_signal(signal.SIGINT)
    assert worker.wait(PATIENCE) == 128 + signal.SIGINT


async def test_one_signal_lets_a_worker_finish_its_job(
    connection: Connection, workers: Workers, tmp_path: Path
) -> None:
    job_id = await enqueue(connection, "hold", json.dumps({"folder": str(tmp_path)}))
    worker = workers.start()
    await until_exists(tmp_path / "started-1")
    worker.terminate()
    await until("it has heard it", lambda: "a second signal ends the process at once" in workers.said(worker))
    (tmp_path / "release-1").touch()
    assert worker.wait(PATIENCE) == 0
    assert await attempts(connection, job_id) == [(1, "succeeded", "succeeded")]


def lives(pid: int) -> bool:
    """Whether there is a process of this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
