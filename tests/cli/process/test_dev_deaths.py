"""`headrace dev` on the embedded server: whoever is killed, the jobs go on, and who lives is not called lost."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import httpx
import pytest
from tests.cli.calling import Shell
from tests.environ import bare_environ
from tests.waiting import PATIENCE, until, wait_until

from headrace.db.connect import TRANSIENT, Connection, Endpoint

TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorial.md"
POSTMASTER = "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int"
BEFORE_ITS_LEASE = "select stopped_at < lease_expires_at from headrace.worker where state = 'lost'"


class Folder:
    """An empty folder with the tutorial's `shop.py`, and what is started in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shell = Shell(path)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.started: list[subprocess.Popen[bytes]] = []
        code = re.search(r"`shop\.py`:\n\n```python\n(.*?)```", TUTORIAL.read_text(), re.DOTALL)
        assert code is not None
        (path / "shop.py").write_text(code[1])

    def dev(self) -> subprocess.Popen[bytes]:
        """`headrace dev shop:hr`, once its API answers."""
        dev = self.shell.start("dev", "shop:hr", "--port", str(self.port))
        self.started.append(dev)
        wait_until("dev answers", lambda: self.answers() or dev.poll() is not None)
        assert dev.poll() is None, (self.path / "said.log").read_text()
        return dev

    def answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def script(self) -> subprocess.Popen[bytes]:
        """`python shop.py`, which waits for its job."""
        with (self.path / "script.log").open("wb") as said:
            script = subprocess.Popen(
                [sys.executable, "shop.py"], cwd=self.path, env=bare_environ(), stdout=said, stderr=said
            )
        self.started.append(script)
        return script

    async def connect(self) -> Connection:
        """To the server that runs now."""
        return await Endpoint(self.shell.call("db", "url").out.strip()).connect("test")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    """Nothing of it runs after the test."""
    folder = Folder(tmp_path)
    yield folder
    for process in folder.started:
        if process.poll() is None:
            process.kill()
            process.wait(PATIENCE)


async def running_since(connection: Connection, run: int) -> bool:
    query = "select exists (select from headrace.queue where status = 'running' and run = $1)"
    return bool(await connection.fetchval(query, run))


async def test_the_tutorial_is_true_the_job_of_a_killed_worker_is_queued_again_before_its_lease_is_over(
    folder: Folder,
) -> None:
    dev, script = folder.dev(), folder.script()
    connection = await folder.connect()
    await until("the job runs", lambda: running_since(connection, 1))
    dev.kill()
    dev.wait()
    folder.dev()
    assert script.wait(PATIENCE) == 0
    assert "succeeded {'image': 'cat.png', 'width': 800}" in (folder.path / "script.log").read_text()
    outcomes = await connection.fetch("select outcome::text from headrace.attempt order by run")
    assert [row[0] for row in outcomes] == ["lost", "succeeded"]
    assert await connection.fetchval(BEFORE_ITS_LEASE) is True
    await connection.close()


async def test_a_script_that_waits_notices_by_itself_that_the_worker_was_killed(folder: Folder) -> None:
    dev = folder.dev()
    folder.script()
    connection = await folder.connect()
    await until("the job runs", lambda: running_since(connection, 1))
    dev.kill()
    dev.wait()

    async def freed() -> bool:
        return bool(await connection.fetchval("select status = 'queued' from headrace.queue"))

    await until("the job waits again", freed)
    assert await connection.fetchval(BEFORE_ITS_LEASE) is True
    await connection.close()


def test_a_restart_keeps_a_worker_over_http_and_its_job(folder: Folder) -> None:
    dev = folder.dev()
    url = f"http://127.0.0.1:{folder.port}/api/v1"
    admin = {"Authorization": f"Bearer {(folder.path / '.headrace' / 'admin-token').read_text().strip()}"}
    made = httpx.post(f"{url}/admin/tokens", json={"name": "far", "role": "worker"}, headers=admin).json()
    far = httpx.Client(headers={"Authorization": f"Bearer {made['token']}"}, timeout=PATIENCE)
    declared = [{"app": "far", "definitions": [{"key": "greet"}]}]
    hello = {"name": "far", "definitions": ["greet"], "declared": declared}
    worker = far.post(f"{url}/worker/register", json=hello).json()["worker_id"]
    job = httpx.post(f"{url}/jobs", json={"definition": "greet"}, headers=admin).json()["id"]
    claimed = far.post(f"{url}/worker/jobs/claim", json={"worker_id": worker, "wait_seconds": 20}).json()["jobs"]
    assert [one["id"] for one in claimed] == [job]
    dev.kill()
    dev.wait()
    folder.dev()

    def has_begun() -> bool:
        live = httpx.get(f"{url}/admin/workers", params={"state": "live"}, headers=admin).json()["items"]
        return any(one["id"] > worker for one in live)

    wait_until("dev's own worker is there, and has seen to those that were before", has_begun)
    run = {"worker_id": worker, "run": 1}
    assert far.post(f"{url}/worker/jobs/{job}/heartbeat", json=run).status_code == 200
    assert far.post(f"{url}/worker/jobs/{job}/complete", json=run).json()["final"] == "succeeded"
    far.close()


async def test_a_killed_server_is_started_again_and_jobs_go_on(folder: Folder) -> None:
    folder.dev()
    connection = await folder.connect()
    postmaster = await connection.fetchval(POSTMASTER)
    await connection.close()
    url = folder.shell.call("db", "url").out.strip()
    for _ in range(2):
        os.kill(postmaster, signal.SIGKILL)
        postmaster = await until_another(url, postmaster)
    assert folder.script().wait(PATIENCE) == 0
    assert "succeeded" in (folder.path / "script.log").read_text()


async def until_another(url: str, postmaster: int) -> int:
    """The process id of the server that answers there, once it is not this one any more."""
    found = postmaster

    async def answers() -> bool:
        nonlocal found
        try:
            connection = await asyncpg.connect(url, timeout=5)
            found = await connection.fetchval(POSTMASTER)
            await connection.close()
        except TRANSIENT:
            return False
        return bool(found != postmaster)

    await until("another server answers", answers)
    return found
