"""An application with a worker in this very process, with leases as short as a test needs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

import pytest
from tests.engine import watched
from tests.waiting import PATIENCE, until
from tests.worker import over_http
from tests.worker.settings import settings_for

from headrace import Headrace
from headrace.db.connect import Connection, Endpoint
from headrace.db.listen import Listener
from headrace.model.job.job import Job
from headrace.queue.rescue import mark_lost_workers, rescue_jobs
from headrace.service.worker_protocol.state import protocol_state
from headrace.worker.claim.claim_session import ClaimSession
from headrace.worker.process.base import Process
from headrace.worker.process.database_worker import WorkerProcess
from headrace.worker.process.http_worker import HttpWorkerProcess

STOPS_WITHIN = 60.0
AnyProcess = TypeVar("AnyProcess", bound=Process)
# For tests that are about the habits of one of them.
only_postgres = pytest.mark.parametrize("transport", ["postgres"], indirect=True)
only_http = pytest.mark.parametrize("transport", ["http"], indirect=True)


def app_on(url: str, name: str = "test", **jobs: Any) -> Headrace:
    """An application that is not open yet: declare its jobs, then run it with `working`."""
    return set_up(Headrace(app=name), url, **jobs)


def set_up(hr: Headrace, url: str, **jobs: Any) -> Headrace:
    """The same for an application that a module declares."""
    hr._settings = settings_for(url, **jobs)
    return hr


@asynccontextmanager
async def working(
    hr: Headrace, *, concurrency: int | None = None, queues: tuple[str, ...] | None = None
) -> AsyncIterator[Process]:
    """Open the application and run a worker beside the block, which then leaves in order."""
    async with hr, running(worker_of(hr, concurrency=concurrency, queues=queues)) as process:
        yield process


def worker_of(hr: Headrace, *, concurrency: int | None = None, queues: tuple[str, ...] | None = None) -> Process:
    """A worker of an open application, over whichever transport the test is about."""
    if not over_http.is_wanted():
        return WorkerProcess(hr, concurrency=concurrency, queues=queues)
    assert hr.settings.database.url is not None
    access = over_http.server().on(hr.settings.database.url)
    return HttpWorkerProcess(hr, access.url, access.token, concurrency=concurrency, queues=queues)


def listener_of(process: Process) -> Listener:
    """Who hears for the worker that there is work, here or in the server."""
    if isinstance(process, WorkerProcess):
        return process._listener
    return protocol_state(over_http.server().runtime.database)._listener


async def stop_listening(process: Process) -> None:
    """Nobody hears notifications for the worker any more; over HTTP nobody heard of cancels anyway."""
    if isinstance(process, WorkerProcess):
        await process._listener.stop()


def claims_of(process: Process) -> ClaimSession:
    """What is remembered of the worker's lanes, here or in the server."""
    if isinstance(process, WorkerProcess):
        return process._transport.claims
    return protocol_state(over_http.server().runtime.database).claims_of(worker_id(process))


@asynccontextmanager
async def running(process: AnyProcess) -> AsyncIterator[AnyProcess]:
    """Run a worker of an open application beside the block."""
    task = asyncio.create_task(process.run())
    try:
        await until("the worker is ready", lambda: process.worker.ready.is_set() or task.done())
        yield process
    finally:
        process.stop()
        await asyncio.wait_for(task, STOPS_WITHIN)


def speaking(process: Process, line: type[Any]) -> Process:
    """Let a worker that does not run yet reach its jobs over a line with a fault."""
    transport = process._transport
    transport.__class__ = type(line.__name__, (line, type(transport)), {})
    return process


async def finished(hr: Headrace, job_id: UUID) -> Job:
    """The job once it has ended."""
    return await hr.wait(job_id, timeout=PATIENCE)


def worker_id(process: Process) -> int:
    """Under which id the worker is registered now."""
    return process._transport.worker_id


async def attempts(conn: Connection, job_id: UUID) -> list[tuple[int, str, str | None]]:
    """(run, outcome, final) of each run that ended, in order."""
    rows = await conn.fetch(
        "select run, outcome::text, final::text from headrace.attempt where job_id = $1 order by run", job_id
    )
    return [(row[0], row[1], row[2]) for row in rows]


async def errors(conn: Connection, job_id: UUID) -> list[str | None]:
    """The error of each run that ended, in order."""
    rows = await conn.fetch("select error from headrace.attempt where job_id = $1 order by run", job_id)
    return [row[0] for row in rows]


async def said(conn: Connection, job_id: UUID) -> list[str]:
    """The lines of all runs of a job, in order; each run's are numbered without a gap."""
    rows = await conn.fetch(
        "select run, seq, message from headrace.log where job_id = $1 order by run, seq, at, message", job_id
    )
    for run in {row[0] for row in rows}:
        numbers = [row[1] for row in rows if row[0] == run]
        assert numbers == list(range(1, len(numbers) + 1)), f"run {run} has a gap or a double"
    return [row[2] for row in rows]


async def until_said(conn: Connection, job_id: UUID, beginning: str) -> str:
    """Wait for a line that begins so."""
    found: list[str] = []

    async def look() -> bool:
        found[:] = [line for line in await said(conn, job_id) if line.startswith(beginning)]
        return bool(found)

    await until(f"the job says {beginning!r}", look)
    return found[0]


async def run_due(conn: Connection, job_id: UUID) -> None:
    """Spare the test a backoff: once the job waits for its next attempt, its time has come."""
    await until_status(conn, job_id, "scheduled")
    await conn.execute("update headrace.queue set run_at = clock_timestamp() where job_id = $1", job_id)
    await conn.execute("select pg_notify('headrace', 'due')")


async def status_is(conn: Connection, job_id: UUID, status: str) -> bool:
    """Whether the view shows the job in that status."""
    found: str | None = await conn.fetchval("select status from headrace.jobs where id = $1", job_id)
    return found == status


async def until_status(conn: Connection, job_id: UUID, status: str) -> None:
    """Wait for the job to come to a status that need not be final."""
    await until(f"the job is {status}", lambda: status_is(conn, job_id, status))


async def until_armed(conn: Connection, of: int) -> None:
    """Wait until the worker sleeps and wants to be woken."""

    async def armed() -> bool:
        return bool(await conn.fetchval("select armed from headrace.worker where id = $1", of))

    await until("the worker sleeps, armed", armed)


@contextmanager
def rescuing(url: str) -> Iterator[None]:
    """A rescuer with a loop of its own that looks all the time, so that only a lease can stand against it."""
    enough = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_rescue_until(enough, url)), daemon=True)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join(20)


async def _rescue_until(enough: threading.Event, url: str) -> None:
    connection = await Endpoint(url).connect("test rescue")

    async def rescue() -> bool:
        await mark_lost_workers(connection, watched(timedelta(days=1)))
        await rescue_jobs(connection)
        return enough.is_set()

    try:
        await until("nobody needs a rescuer any more", rescue)
    finally:
        await connection.close()
