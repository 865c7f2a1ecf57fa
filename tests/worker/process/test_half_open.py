"""A heartbeat's connection that was cut without a word is given up while there is time for another one."""

from __future__ import annotations

import asyncio
from functools import partial
from urllib.parse import parse_qs, urlsplit

from tests.waiting import PATIENCE, until
from tests.worker import over_http
from tests.worker.half_open import Proxy, serving
from tests.worker.running import app_on, attempts, finished, only_http, only_postgres, rescuing, running, worker_id

from headrace import Headrace
from headrace.db.connect import Connection, Endpoint
from headrace.worker.process.base import Process
from headrace.worker.process.database_worker import WorkerProcess
from headrace.worker.process.http_worker import HttpWorkerProcess

# Less than the 30 s that other statements may take; its third leaves time for another connection on a busy machine.
LEASE = 15.0


@only_postgres
async def test_over_postgresql(database_url: str, connection: Connection) -> None:
    where = urlsplit(database_url)
    query = parse_qs(where.query)
    socket = f"{query['host'][0]}/.s.PGSQL.{query['port'][0]}"
    proxy = Proxy(partial(asyncio.open_unix_connection, socket))
    async with serving(proxy) as port:
        hr = app_on(database_url, lease_duration_s=LEASE)
        hr.job("work")(Work.run)
        async with hr:
            hr.database.endpoint = Endpoint(f"postgresql://{where.netloc}127.0.0.1:{port}{where.path}")
            await falls_silent(hr, WorkerProcess(hr), proxy, b"headrace heartbeat", connection, database_url)


@only_http
async def test_over_http(database_url: str, connection: Connection) -> None:
    access = over_http.server().on(database_url)
    where = urlsplit(access.url)
    proxy = Proxy(partial(asyncio.open_connection, where.hostname, where.port))
    async with serving(proxy) as port:
        hr = app_on(database_url, lease_duration_s=LEASE)
        hr.job("work")(Work.run)
        async with hr:
            process = HttpWorkerProcess(hr, f"http://127.0.0.1:{port}", access.token)
            await falls_silent(hr, process, proxy, b"/worker/heartbeat", connection, database_url)


class Work:
    """A job that runs until it may end."""

    started: asyncio.Event
    release: asyncio.Event

    @staticmethod
    async def run() -> str:
        Work.started.set()
        await Work.release.wait()
        return "done"


async def falls_silent(
    hr: Headrace, process: Process, proxy: Proxy, word: bytes, connection: Connection, database_url: str
) -> None:
    """The heartbeat's line, while a job runs and somebody waits for the lease to run out."""
    Work.started, Work.release = asyncio.Event(), asyncio.Event()
    async with running(process):
        job_id = await hr.enqueue("work")
        await asyncio.wait_for(Work.started.wait(), PATIENCE)
        me = worker_id(process)
        with rescuing(database_url):
            since = await connection.fetchval("select clock_timestamp()")
            await until("it beats", lambda: beaten_after(connection, me, since))
            assert proxy.mute(word) > 0
            # A beat that was under way may still arrive.
            later = await connection.fetchval("select clock_timestamp() + make_interval(secs => $1)", LEASE / 5)
            await until("it beats again", lambda: beaten_after(connection, me, later))
            Work.release.set()
            assert (await finished(hr, job_id)).result == "done"
    assert await attempts(connection, job_id) == [(1, "succeeded", "succeeded")]


async def beaten_after(connection: Connection, worker: int, since: object) -> bool:
    """Whether it has, or has been called lost."""
    row = await connection.fetchrow(
        "select state::text, heartbeat_at > $2 from headrace.worker where id = $1", worker, since
    )
    assert row is not None
    assert row[0] == "live", "it was called lost"
    return bool(row[1])
