"""Worker processes to send signals to, and what their database says of the jobs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import pytest
from tests.environ import bare_environ
from tests.waiting import until

from headrace.db.connect import Connection

ROOT = Path(__file__).parents[3]
LEASE = 5.0
Attempts = list[tuple[int, str, str | None]]


class Workers:
    """Starts `headrace worker` as often as asked, and leaves none behind."""

    def __init__(self, url: str, folder: Path, app: str = "tests.chaos.world.jobs:hr", *, lease: float = LEASE) -> None:
        self._url = url
        self._lease = lease
        self._app = app
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        """A worker process; what it says goes to a file of its own."""
        return self._start(["worker", self._app, *options])

    def serve(self, port: int) -> subprocess.Popen[bytes]:
        """A server beside them."""
        return self._start(["serve", "--port", str(port)])

    def _start(self, words: list[str]) -> subprocess.Popen[bytes]:
        environ = bare_environ(HEADRACE_DATABASE_URL=self._url, HEADRACE_JOBS_LEASE_DURATION_S=f"{self._lease:g}")
        command = [sys.executable, "-m", "headrace", *words]
        with self._log(len(self._started)).open("wb") as log:
            worker = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=log, stderr=log, start_new_session=True)
        self._started.append(worker)
        return worker

    def said(self, worker: subprocess.Popen[bytes]) -> str:
        """What the process wrote so far."""
        return self._log(self._started.index(worker)).read_text("utf-8", "replace")

    def end(self) -> None:
        """Kill what still runs, with what it started."""
        for worker in self._started:
            if worker.poll() is None:
                os.kill(worker.pid, signal.SIGTERM)
                os.kill(worker.pid, signal.SIGCONT)
        for worker in self._started:
            try:
                worker.wait(10)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait(10)

    def _log(self, number: int) -> Path:
        return self._folder / f"worker-{number}.log"


@contextmanager
def workers_on(
    url: str, folder: Path, app: str = "tests.chaos.world.jobs:hr", *, lease: float = LEASE
) -> Iterator[Workers]:
    """Worker processes that are gone after the block."""
    workers = Workers(url, folder, app, lease=lease)
    try:
        yield workers
    finally:
        workers.end()


async def enqueue(connection: Connection, definition: str, payload: str = "{}") -> UUID:
    """One job; its definition is declared by hand if no worker has done so yet."""
    await declare(connection, definition)
    job_id: UUID = await connection.fetchval("select headrace.enqueue($1, $2::jsonb)", definition, payload)
    return job_id


async def declare(connection: Connection, definition: str, max_attempts: int = 5) -> None:
    """What a worker's start would do."""
    await connection.execute(
        "insert into headrace.definition (key, kind, app, hash, max_attempts) values ($1, 'python', 'default', '-', $2)"
        " on conflict do nothing",
        definition,
        max_attempts,
    )


async def attempts(connection: Connection, job_id: UUID) -> Attempts:
    """(run, outcome, final) of each run that ended, in order."""
    rows = await connection.fetch(
        "select run, outcome::text, final::text from headrace.attempt where job_id = $1 order by run", job_id
    )
    return [(row[0], row[1], row[2]) for row in rows]


async def until_ended(connection: Connection, job_id: UUID, seconds: float = 60) -> Attempts:
    """What came of the job's runs, once it has ended."""

    async def ended() -> bool:
        query = "select exists (select from headrace.attempt where job_id = $1 and final is not null)"
        return bool(await connection.fetchval(query, job_id))

    await until("the job has ended", ended)
    return await attempts(connection, job_id)


async def until_exists(file: Path, seconds: float = 30) -> None:
    """Wait for a handler's word."""
    await until(f"{file.name} is there", file.exists)


async def live_workers(connection: Connection) -> list[tuple[int, int]]:
    """(id, process id) of those that count as live."""
    rows = await connection.fetch("select id, pid from headrace.worker where state = 'live' order by id")
    return [(row[0], row[1]) for row in rows]


async def until_live(connection: Connection, workers: int) -> list[tuple[int, int]]:
    """Wait until so many workers are live."""

    async def live() -> bool:
        return len(await live_workers(connection)) == workers

    await until(f"{workers} workers are live", live)
    return await live_workers(connection)


@pytest.fixture
async def workers(database_url: str, tmp_path: Path) -> AsyncIterator[Workers]:
    """Worker processes on the test's database."""
    with workers_on(database_url, tmp_path) as started:
        yield started
