"""What real worker and server processes print: lines of JSON with the same words for the same things."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.api.served import serve
from tests.cli.calling import Shell
from tests.waiting import PATIENCE, until
from tests.worker.running import app_on, finished, run_due, until_status

from headrace import Headrace
from headrace.db.connect import Connection
from headrace.service import Service

APP = """
import asyncio, logging
from headrace import Headrace

hr = Headrace(app="shop")


@hr.job
async def fine() -> None:
    logging.getLogger("shop").info("a line of the handler")


@hr.job(max_attempts=2)
async def boom(password: str) -> None:
    raise ValueError(f"it broke with {password}")


@hr.job
async def hold() -> None:
    await asyncio.sleep(3600)
"""
SECRET = "correct-horse-battery"


class Said:
    """The log of a process, read again and again."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def text(self) -> str:
        return self._file.read_text()

    def lines(self) -> list[dict[str, Any]]:
        """All of them: each must be JSON."""
        return [json.loads(line) for line in self.text.splitlines()]

    def of(self, event: str, job_id: object = None) -> list[dict[str, Any]]:
        """Those of an event, and of a job if one is named."""
        return [
            line
            for line in self.lines()
            if line["event"] == event and (job_id is None or line.get("job_id") == str(job_id))
        ]

    async def hear(self, event: str, job_id: object) -> dict[str, Any]:
        """The line, once it is there."""
        await until(f"{event!r} is said", lambda: len(self.of(event, job_id)) > 0)
        return self.of(event, job_id)[0]


@pytest.fixture
async def hr(database_url: str) -> AsyncIterator[Headrace]:
    async with app_on(database_url) as hr:
        yield hr


@pytest.fixture
async def worker(database_url: str, hr: Headrace, connection: Connection, tmp_path: Path) -> AsyncIterator[Said]:
    """A worker that says everything."""
    (tmp_path / "app.py").write_text(APP)
    variables = {
        "HEADRACE_LOGS_LEVEL": "debug",
        "HEADRACE_JOBS_LEASE_DURATION_S": "5",
        "HEADRACE_JOBS_SHUTDOWN_TIMEOUT_S": "1",
    }
    process = Shell(tmp_path, HEADRACE_DATABASE_URL=database_url, **variables).start("worker", "app:hr")
    said = Said(tmp_path / "said.log")

    async def serves() -> bool:
        assert process.poll() is None, said.text
        return bool(await connection.fetchval("select exists (select from headrace.worker where state = 'live')"))

    try:
        await until("the worker is there", serves)
        yield said
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0, said.text


async def worker_id(connection: Connection) -> int:
    found: int = await connection.fetchval("select max(id) from headrace.worker")
    return found


async def test_a_worker_tells_of_starts_and_ends_with_whose_they_are(
    worker: Said, hr: Headrace, connection: Connection
) -> None:
    job_id = await hr.enqueue("fine")
    await finished(hr, job_id)
    whose = {
        "job_id": str(job_id),
        "tenant": "default",
        "definition": "fine",
        "attempt_no": 1,
        "run": 1,
        "worker_id": await worker_id(connection),
    }
    for event, level in (("job started", "debug"), ("a line of the handler", "info"), ("job succeeded", "debug")):
        line = await worker.hear(event, job_id)
        assert {name: line[name] for name in whose} == whose
        assert line["level"] == level


async def test_a_worker_tells_of_failures_and_retries_without_secrets(
    worker: Said, hr: Headrace, connection: Connection
) -> None:
    job_id = await hr.enqueue("boom", {"password": SECRET})
    again = await worker.hear("job retried", job_id)
    assert (again["level"], again["outcome"], again["attempt_no"]) == ("warning", "failed", 1)
    assert again["error"] == "ValueError: it broke with ***"
    assert again["delay_seconds"] > 0
    await run_due(connection, job_id)
    died = await worker.hear("job died", job_id)
    assert (died["level"], died["definition"], died["attempt_no"]) == ("error", "boom", 2)
    assert SECRET not in worker.text


async def test_a_worker_tells_of_cancels_and_of_a_lost_lease(
    worker: Said, hr: Headrace, connection: Connection
) -> None:
    job_id = await hr.enqueue("hold")
    await until_status(connection, job_id, "running")
    await hr.cancel(job_id)
    canceled = await worker.hear("job canceled", job_id)
    assert (canceled["definition"], canceled["attempt_no"]) == ("hold", 1)
    job_id = await hr.enqueue("hold")
    await until_status(connection, job_id, "running")
    first = await worker_id(connection)
    await connection.execute("update headrace.worker set state = 'lost', stopped_at = now() where state = 'live'")
    lost = await worker.hear("lease lost", job_id)
    assert {name: lost[name] for name in ("tenant", "definition", "attempt_no")} == {
        "tenant": "default",
        "definition": "hold",
        "attempt_no": 1,
    }
    second = await worker.hear("job started", job_id)
    assert second["worker_id"] == first
    await until("it runs again", lambda: len(worker.of("job started", job_id)) == 2)
    assert worker.of("job started", job_id)[1]["worker_id"] > first


async def test_a_server_tells_of_requests_and_every_line_is_json(
    database_url: str, hr: Headrace, tmp_path: Path
) -> None:
    token = (await Service(hr).tokens.create("ops", "super_admin")).token
    async with serve(database_url, tmp_path, token) as server, server.client() as client:
        await client.get("/api/v1/jobs", headers={"X-Request-ID": "edge-1"})
        await client.get("/healthz")
    said = Said(tmp_path / "said.log")
    (line,) = [line for line in said.of("request handled") if line.get("request_id") == "edge-1"]
    assert (line["principal"], line["role"], line["tenant"]) == ("token ops", "super_admin", None)
    assert (line["method"], line["route"], line["status"], line["level"]) == ("GET", "list_jobs", 200, "info")
    assert not [line for line in said.of("request handled") if line["path"] == "/healthz"]
    assert {"uvicorn.error", "headrace"} <= {line["logger"] for line in said.lines()}
    assert token not in said.text


async def test_the_settings_say_whether_lines_are_for_people(database_url: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path, HEADRACE_DATABASE_URL=database_url, HEADRACE_LOGS_FORMAT="xml")
    assert "logs.format" in shell.call("serve", "--port", "1").err
    shell = Shell(tmp_path, HEADRACE_DATABASE_URL="postgresql://nobody@127.0.0.1:1/x", HEADRACE_LOGS_FORMAT="text")
    process = shell.start("serve", "--port", "1")
    said = Said(tmp_path / "said.log")
    await until("the server says that it waits", lambda: "start delayed" in said.text)
    process.terminate()
    process.wait()
    assert "{" not in said.text
