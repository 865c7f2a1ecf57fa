"""Services that share a database: each keeps its own jobs, and a key that two of them have is said at start."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chaos.world.processes import attempts, until_ended
from tests.cli.calling import Shell, one_line
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection

APP = """
from headrace import Headrace

hr = Headrace()


@hr.job
async def {key}() -> str:
    return "{service}"
"""
PROJECT = """
[project]
name = "{service}"
version = "1"
"""
IN_CODE = "select app from headrace.definition where key = $1 and deleted_from_code_at is null"


def service(folder: Path, name: str, *, key: str, url: str, project: bool = True, **variables: str) -> Shell:
    """A folder with a `jobs.py`, as every service has one."""
    folder = folder / name
    folder.mkdir()
    (folder / "jobs.py").write_text(APP.format(key=key, service=name))
    if project:
        (folder / "pyproject.toml").write_text(PROJECT.format(service=name))
    return Shell(folder, HEADRACE_DATABASE_URL=url, **variables)


@contextmanager
def worker_of(shell: Shell) -> Iterator[subprocess.Popen[bytes]]:
    """`headrace worker`, which then leaves in order."""
    process = shell.start("worker", "jobs:hr")
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


async def until_served(connection: Connection, process: subprocess.Popen[bytes], shell: Shell, key: str) -> None:
    """A live worker has the job, and the process that should be one lives."""

    async def served() -> bool:
        assert process.poll() is None, (shell.folder / "said.log").read_text()
        query = (
            "select exists (select from headrace.worker where state = 'live' and pid = $1 and $2 = any(definitions))"
        )
        return bool(await connection.fetchval(query, process.pid, key))

    await until(f"a worker serves {key}", served)


async def test_two_services_with_a_module_of_one_name_keep_their_jobs(
    database_url: str, connection: Connection, tmp_path: Path
) -> None:
    billing = service(tmp_path, "billing", key="charge", url=database_url)
    mail = service(tmp_path, "mail", key="send", url=database_url)
    assert billing.call("definitions", "sync", "jobs:hr").out == "added    charge\n"
    with worker_of(mail) as worker:
        await until_served(connection, worker, mail, "send")
        assert await connection.fetchval(IN_CODE, "charge") == "billing"  # though nobody runs it now
        assert await connection.fetchval(IN_CODE, "send") == "mail"
        assert billing.call("jobs", "enqueue", "charge").code == 0


async def test_a_key_of_another_service_is_refused_at_start_and_moves_when_that_is_said(
    database_url: str, connection: Connection, tmp_path: Path
) -> None:
    billing = service(tmp_path, "billing", key="charge", url=database_url)
    shop = service(tmp_path, "shop", key="charge", url=database_url)
    with worker_of(billing) as worker:
        await until_served(connection, worker, billing, "charge")
        said = one_line(shop.call("worker", "jobs:hr"))
        assert "definition 'charge' is a job of app 'billing' already, served by" in said
        assert "this is app 'shop'" in said
        ids = [await connection.fetchval("select headrace.enqueue('charge')") for _ in range(6)]
        for job_id in ids:
            await until_ended(connection, job_id)
        results = await connection.fetch("select result::text from headrace.attempt where job_id = any($1)", ids)
        assert {row[0] for row in results} == {'"billing"'}
    # It is billing's also while billing is down.
    assert "--take-from billing" in one_line(shop.call("definitions", "sync", "jobs:hr"))
    assert shop.call("definitions", "sync", "jobs:hr", "--take-from", "billing").out == "changed  charge\n"
    assert await connection.fetchval(IN_CODE, "charge") == "shop"
    assert "of app 'shop' already" in one_line(billing.call("worker", "jobs:hr"))


async def test_what_a_live_worker_serves_is_not_gone_though_the_app_is_the_same(
    database_url: str, connection: Connection, tmp_path: Path
) -> None:
    one = service(tmp_path, "one", key="charge", url=database_url, HEADRACE_APP="shop")
    two = service(tmp_path, "two", key="send", url=database_url, HEADRACE_APP="shop")
    with worker_of(one) as first:
        await until_served(connection, first, one, "charge")
        with worker_of(two) as second:
            await until_served(connection, second, two, "send")
            said = (two.folder / "said.log").read_text()
            assert "live workers of other processes serve them" in said
            job_id = await connection.fetchval("select headrace.enqueue('charge')")
            await until_ended(connection, job_id)
            assert await attempts(connection, job_id) == [(1, "succeeded", "succeeded")]
    assert two.call("definitions", "sync", "jobs:hr").out == "deleted  charge\n"


async def test_a_service_without_a_name_calls_nothing_gone_and_yields_to_one_with_a_name(
    database_url: str, connection: Connection, tmp_path: Path
) -> None:
    one = service(tmp_path, "one", key="charge", url=database_url, project=False)
    two = service(tmp_path, "two", key="send", url=database_url, project=False)
    assert one.call("definitions", "sync", "jobs:hr").out == "added    charge\n"
    said = two.call("definitions", "sync", "jobs:hr")
    assert said.out == "added    send\nkept     charge\n"
    assert "this app has no name" in said.err
    assert await connection.fetchval(IN_CODE, "charge") == "default"
    (one.folder / "headrace.toml").write_text('app = "billing"\n')
    assert one.call("definitions", "sync", "jobs:hr").out == "changed  charge\n"
    assert await connection.fetchval(IN_CODE, "charge") == "billing"
