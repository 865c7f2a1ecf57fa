"""`headrace dev` in an empty folder: PostgreSQL, migrations, a worker and a tour, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from tests.cli.calling import Shell
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection, Endpoint

TOUR = {
    "say_hello": "succeeded",
    "call_flaky_service": "succeeded",
    "charge_card": "failed",
    "make_report": "succeeded",
    "send_reminder": "succeeded",
}


async def test_the_tour_runs_in_an_empty_folder_and_leaves_no_server_behind(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    dev = shell.start("dev")
    try:
        await until("the worker runs", lambda: "job succeeded" in log_of(tmp_path) or dev.poll() is not None)
        assert dev.poll() is None, log_of(tmp_path)
        connection = await Endpoint(shell.call("db", "url").out.strip()).connect("test")
        await until("the tour has ended", lambda: is_over(connection))
        postmaster = await connection.fetchval("select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int")
        await connection.close()

        asked = shell.call("db", "psql", "-At", "-c", "select definition, status from headrace.jobs")
        assert (asked.code, dict(line.split("|") for line in asked.out.splitlines())) == (0, TOUR)
        assert shell.call("db", "psql", "-c", "select nonsense").code == 1

        dev.send_signal(signal.SIGINT)
        assert dev.wait(PATIENCE) == 0, log_of(tmp_path)
    finally:
        end(dev)
    await until("no server is left", lambda: not lives(postmaster))
    assert "Traceback" not in log_of(tmp_path)


def log_of(folder: Path) -> str:
    return (folder / "said.log").read_text("utf-8", "replace")


async def is_over(connection: Connection) -> bool:
    rows = await connection.fetch("select definition, status from headrace.jobs")
    return {row[0]: row[1] for row in rows} == TOUR


def end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
        process.wait(PATIENCE)


def lives(pid: int) -> bool:
    """Whether there is a process of this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
