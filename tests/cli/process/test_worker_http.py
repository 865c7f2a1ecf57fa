"""`headrace worker --url`: a worker without a database, and what it says when it cannot be one."""

from __future__ import annotations

import http.server
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.cli.calling import Shell, one_line
from tests.waiting import PATIENCE, until
from tests.worker.own_http import OwnHttpServer, own_http_server
from tests.worker.running import app_on, finished, until_status

from headrace import Headrace
from headrace.db.connect import Connection
from headrace.service import Service

APP = """
from headrace import Headrace

hr = Headrace(app="shop")


@hr.job(cron="0 3 * * *")
async def greet(name: str = "you") -> str:
    return f"hello {name}"
"""
COMMANDS = """
[commands.echo]
argv = ["/bin/echo", "hello from a command"]
"""
NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"


@pytest.fixture
def server(database_url: str) -> Iterator[OwnHttpServer]:
    with own_http_server(database_url) as server:
        yield server


@pytest.fixture
async def hr(database_url: str) -> AsyncIterator[Headrace]:
    async with app_on(database_url) as hr:
        yield hr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "headrace.toml").write_text(COMMANDS)
    return tmp_path


async def test_a_worker_brings_its_definitions_and_runs_jobs_without_a_database(
    server: OwnHttpServer, hr: Headrace, folder: Path, connection: Connection
) -> None:
    made = await Service(hr).tokens.create("shop", "worker")
    # The database that this machine has in its configuration does not answer, and nobody asks it.
    shell = Shell(folder, HEADRACE_URL=server.url, HEADRACE_TOKEN=made.token, HEADRACE_DATABASE_URL=NOWHERE)
    process = shell.start("worker", "app:hr")
    try:
        known = "select count(*) = 2 from headrace.definition where key in ('greet', 'echo')"

        async def synced() -> bool:
            assert process.poll() is None, (folder / "said.log").read_text()
            return bool(await connection.fetchval(known))

        await until("its definitions are there", synced)
        assert (await finished(hr, await hr.enqueue("greet", {"name": "world"}))).result == "hello world"
        assert (await finished(hr, await hr.enqueue("echo"))).status == "succeeded"
        assert await connection.fetchval("select cron from headrace.trigger") == "0 3 * * *"
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    said = (folder / "said.log").read_text()
    assert "not over HTTP" in said
    assert made.token not in said
    assert await connection.fetchval("select state::text from headrace.worker") == "stopped"
    late = await hr.enqueue("greet")
    await until_status(connection, late, "queued")


async def test_a_token_that_does_not_fit_is_explained_in_one_line(
    server: OwnHttpServer, hr: Headrace, folder: Path
) -> None:
    viewer = await Service(hr).tokens.create("viewer", "tenant_viewer", tenant="default")
    mail = await Service(hr).tokens.create("mail", "worker", queues=("mail",))
    shell = Shell(folder)
    for token, arguments, words in [
        ("hr_wrong", (), "refuses this token"),
        (viewer.token, (), "the role tenant_viewer may not do this"),
        (mail.token, ("--queues", "default"), "this token serves mail and not default"),
    ]:
        said = shell.call("worker", "app:hr", "--url", server.url, "--token", token, *arguments)
        assert words in said.err
        assert (said.code, said.err.count("headrace: ")) == (4, 1)


class Stranger(http.server.BaseHTTPRequestHandler):
    """Some other server."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(404)
        self.end_headers()
        self.wfile.write(b"<html>not here</html>")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def stranger() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


async def test_a_server_that_is_away_is_waited_for(
    hr: Headrace, database_url: str, connection: Connection, folder: Path
) -> None:
    made = await Service(hr).tokens.create("shop", "worker")
    server = OwnHttpServer(database_url)
    process = Shell(folder, HEADRACE_URL=server.url, HEADRACE_TOKEN=made.token).start("worker", "app:hr")
    try:
        away = f"cannot reach a Headrace server at {server.url}"

        def waits() -> bool:
            assert process.poll() is None, (folder / "said.log").read_text()
            return away in (folder / "said.log").read_text()

        await until("it waits", waits)
        server.start()
        live = "select exists (select from headrace.worker where state = 'live' and pid = $1)"

        async def works() -> bool:
            assert process.poll() is None, (folder / "said.log").read_text()
            return bool(await connection.fetchval(live, process.pid))

        await until("it works", works)
    finally:
        process.send_signal(signal.SIGTERM)
        ended = process.wait(PATIENCE)
        server.kill()
    assert ended == 0


async def test_where_there_is_no_headrace_that_is_said_again_and_again(folder: Path, stranger: str) -> None:
    process = Shell(folder, HEADRACE_URL=stranger, HEADRACE_TOKEN="hr_x").start("worker", "app:hr")
    try:
        said = f"{stranger} is reachable, but did not return a Headrace API response"
        await until("it has said so twice", lambda: (folder / "said.log").read_text().count(said) > 1)
        assert process.poll() is None
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


def test_what_is_missing_is_said_in_one_line(folder: Path, tmp_path: Path) -> None:
    assert "needs a token" in one_line(Shell(folder).call("worker", "app:hr", "--url", "http://127.0.0.1:1"))
    (folder / "headrace.toml").unlink()
    said = Shell(folder).call("worker", "--url", "http://127.0.0.1:1", "--token", "hr_x")
    assert "there is nothing to serve" in one_line(said)
    assert said.code == 2
    bad = Shell(folder).call("worker", "app:hr", "--url", "ftp://x", "--token", "hr_x")
    assert bad.code in (2, 5)
    assert bad.err.count("headrace: ") == 1
