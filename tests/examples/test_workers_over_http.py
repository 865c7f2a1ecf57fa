"""The worker in shell of the how-to works as it is printed."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.waiting import PATIENCE
from tests.worker.own_http import OwnHttpServer, own_http_server
from tests.worker.running import app_on, finished, said

from headrace.db.connect import Connection
from headrace.service import Service

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "workers-over-http.md"


@pytest.fixture
def server(database_url: str) -> Iterator[OwnHttpServer]:
    with own_http_server(database_url) as server:
        yield server


async def test_a_worker_in_shell(server: OwnHttpServer, database_url: str, connection: Connection) -> None:
    (script,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    async with app_on(database_url) as hr:
        made = await Service(hr).tokens.create("shell", "worker")
        await connection.execute(
            "insert into headrace.definition (key, kind, app, hash) values ('greet', 'python', 'default', '-')"
        )
        job_id = await hr.enqueue("greet")
        shell = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-euc",
            script,
            env={**os.environ, "HEADRACE_URL": server.url, "HEADRACE_TOKEN": made.token},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await asyncio.wait_for(shell.communicate(), PATIENCE)
        assert shell.returncode == 0, out.decode()
        job = await finished(hr, job_id)
    assert (job.status, job.result, job.progress) == ("succeeded", {"said": "hello"}, 0.5)
    assert await said(connection, job_id) == ["on my way"]
    assert await connection.fetchval("select state::text from headrace.worker") == "stopped"
