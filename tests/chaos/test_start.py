"""Workers start whatever the database does meanwhile: it is away, or its settings are those of others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.api.served import free_port
from tests.chaos.world.processes import Workers, enqueue, until_ended, until_live, workers_on
from tests.chaos.world.server import OwnServer, own_server
from tests.waiting import until

from headrace.db.connect import Connection, Endpoint
from headrace.db.migrate import migrate

HOSTILE = {
    "default_transaction_isolation": "'serializable'",
    "lock_timeout": "'1ms'",
    "idle_in_transaction_session_timeout": "'1ms'",
    "idle_session_timeout": "'1s'",
    "transaction_timeout": "'3s'",
    "statement_timeout": "'3s'",
}
WORKERS = 3


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OwnServer]:
    with own_server(tmp_path / "pg") as server:
        yield server


@pytest.fixture
def workers(server: OwnServer, tmp_path: Path) -> Iterator[Workers]:
    with workers_on(server.url, tmp_path) as workers:
        yield workers


async def test_workers_and_servers_wait_for_a_database_that_is_away_and_bring_their_own_settings(
    server: OwnServer, workers: Workers
) -> None:
    await migrate(Endpoint(server.url))
    connection = await Endpoint(server.url).connect("test")
    await be_hostile(connection)
    await connection.close()
    await asyncio.to_thread(server.stop)
    port = free_port()
    started = [workers.serve(port), *(workers.start() for _ in range(WORKERS))]
    for worker in started:
        await until("it waits", lambda: "cannot connect to PostgreSQL" in workers.said(worker))  # noqa: B023
        assert worker.poll() is None, workers.said(worker)
    await asyncio.to_thread(server.start)
    connection = await Endpoint(server.url).connect("test")
    await until_live(connection, WORKERS)
    assert await until_ended(connection, await enqueue(connection, "noop")) == [(1, "succeeded", "succeeded")]
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        await until("the server answers", lambda: answers(client))
    assert [process.poll() for process in started] == [None] * (WORKERS + 1)
    await connection.close()


async def answers(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/readyz")).status_code == 200
    except httpx.TransportError:
        return False


async def be_hostile(connection: Connection) -> None:
    """Settings for everybody who comes to this database."""
    database = await connection.fetchval("select current_database()")
    for name, value in HOSTILE.items():
        await connection.execute(f'alter database "{database}" set {name} = {value}')
