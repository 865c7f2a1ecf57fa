"""`headrace dev` in an empty folder: PostgreSQL, migrations, a worker and a tour, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path
from uuid import UUID

import httpx
from tests.api.served import free_port
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


async def test_the_link_that_dev_prints_opens_one_session_and_no_log_has_the_token(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    dev = shell.start("dev", "--data-dir", "data", "--port", str(free_port()))
    try:
        await until("the link is printed", lambda: "#code=" in log_of(tmp_path) or dev.poll() is not None)
        assert dev.poll() is None, log_of(tmp_path)
        printed = re.search(r"sign in at (\S+)/#code=(\S+) within 60 seconds; .* run: headrace (.*)", log_of(tmp_path))
        assert printed is not None, log_of(tmp_path)
        where, code, again = printed.groups()
        link = (await asyncio.to_thread(shell.call, *shlex.split(again))).out
        assert link.startswith(f"{where}/#code=")

        assert (tmp_path / "data" / "admin-token").read_text().strip() not in log_of(tmp_path) + link
        async with httpx.AsyncClient(base_url=where) as client:
            codes = (code, code, link.strip().partition("#code=")[2])
            answers = [await client.post("/api/v1/session", json={"code": one}) for one in codes]
            assert [answer.status_code for answer in answers] == [204, 422, 204]
            assert (await client.get("/api/v1/session")).json()["role"] == "super_admin"
    finally:
        end(dev)


async def test_dev_goes_on_when_its_worker_is_drained_and_ends_with_a_signal(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    dev = shell.start("dev")
    try:
        await until("the worker runs", lambda: "job succeeded" in log_of(tmp_path) or dev.poll() is not None)
        connection = await Endpoint(shell.call("db", "url").out.strip()).connect("test")
        await until("the tour has ended", lambda: is_over(connection))
        worker_id = await connection.fetchval("update headrace.worker set draining = true returning id")
        await connection.execute("select pg_notify('headrace', 'drain ' || $1::bigint)", worker_id)
        await until("it is drained", lambda: "worker drained" in log_of(tmp_path) or dev.poll() is not None)
        assert dev.poll() is None, log_of(tmp_path)
        # The API answers and the scheduler goes on; only nobody runs jobs.
        where = next(word for word in log_of(tmp_path).split() if word.startswith("http://") and "/api/v1" in word)
        async with httpx.AsyncClient() as client:
            assert (await client.get(where.replace("/api/v1", "/healthz"))).status_code == 200
        job_id = await connection.fetchval(
            "select headrace.enqueue('say_hello', '{\"name\": \"a\"}', scheduled_for => now() + interval '1s')"
        )
        await until("a due job is promoted", lambda: is_queued(connection, job_id))
        await connection.close()
        dev.send_signal(signal.SIGINT)
        assert dev.wait(PATIENCE) == 0, log_of(tmp_path)
    finally:
        end(dev)
    assert "Traceback" not in log_of(tmp_path)


async def is_queued(connection: Connection, job_id: UUID) -> bool:
    status = await connection.fetchval("select status::text from headrace.queue where job_id = $1", job_id)
    return bool(status == "queued")


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
