"""What goes wrong for a moment while a worker starts is tried again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
import pytest
from tests.chaos.world.server import own_server
from tests.waiting import until
from tests.worker.refusing import inserts_tried, refuse_inserts
from tests.worker.running import app_on, finished, only_postgres, running

from headrace import Headrace
from headrace.cli.process.run import opened
from headrace.db.connect import PASSING, Connection, Endpoint
from headrace.errors import DatabaseUnusable
from headrace.worker.process.database_worker import WorkerProcess

WAITING = (
    "select array_agg(pid) from pg_stat_activity"
    " where datname = current_database() and application_name = 'headrace app' and wait_event_type = 'Lock'"
)
# A connection, a transaction, a resource, an operator, a system or a bug of the server's: these pass by themselves.
CLASSES = ("08", "40", "53", "57", "58", "XX")
pytestmark = only_postgres


async def test_a_session_that_is_ended_while_definitions_are_synced_costs_a_moment(
    database_url: str, connection: Connection
) -> None:
    hr = app_on(database_url)
    hr.job("work")(work)
    keeper = await Endpoint(database_url).connect("test")
    async with hr:
        async with keeper.transaction():
            await keeper.execute("lock table headrace.definition in exclusive mode")
            process = WorkerProcess(hr)
            starting = asyncio.create_task(until_ready(process))
            await until("it waits in the midst of it", lambda: some(connection))
            assert await connection.fetchval(
                "select bool_and(pg_terminate_backend(p)) from unnest($1::int[]) as p",
                await connection.fetchval(WAITING),
            )
            await until("it tries again", lambda: some(connection))
        await starting
    await keeper.close()


def test_whatever_passes_by_itself_is_waited_for_at_start() -> None:
    kinds = [kind for kind in vars(asyncpg.exceptions).values() if getattr(kind, "sqlstate", None)]
    assert {kind.sqlstate[:2] for kind in kinds} > set(CLASSES)
    assert [kind for kind in kinds if kind.sqlstate.startswith(CLASSES) and not issubclass(kind, PASSING)] == []


@pytest.mark.parametrize("table", ["definition", "worker"])
@pytest.mark.parametrize("sqlstate", ["58030", "XX000", "40001", "53200"])
async def test_a_statement_that_is_refused_for_a_moment_at_start_costs_a_moment(
    database_url: str, connection: Connection, table: str, sqlstate: str
) -> None:
    hr = app_on(database_url)
    hr.job("work")(work)
    await refuse_inserts(connection, table, sqlstate, times=2)
    async with opened(hr):
        await until_ready(WorkerProcess(hr))
    assert await inserts_tried(connection) > 2


@pytest.mark.parametrize("table", ["definition", "worker"])
@pytest.mark.parametrize("sqlstate", ["42P01", "42501"])
async def test_a_table_or_a_right_that_is_missing_ends_the_start_with_a_sentence(
    database_url: str, connection: Connection, table: str, sqlstate: str
) -> None:
    hr = app_on(database_url)
    hr.job("work")(work)
    await refuse_inserts(connection, table, sqlstate, times=1)
    with pytest.raises(DatabaseUnusable, match=r"this process cannot .*: a fault for the test\. .*headrace doctor"):
        async with opened(hr):
            await WorkerProcess(hr).run()
    assert await inserts_tried(connection) == 1


async def test_a_worker_that_waits_for_its_database_can_be_stopped(database_url: str, connection: Connection) -> None:
    hr = app_on(database_url)
    hr.job("work")(work)
    keeper = await Endpoint(database_url).connect("test")
    async with hr, keeper.transaction():
        await keeper.execute("lock table headrace.definition in exclusive mode")
        process = WorkerProcess(hr)
        starting = asyncio.create_task(process.run())
        await until("it waits in the midst of it", lambda: some(connection))
        process.stop()
        await starting
    assert not process.worker.ready.is_set()
    await keeper.close()


async def test_a_server_of_ours_that_dies_before_the_worker_is_ready_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hr = Headrace(data_dir=tmp_path, app="test")
    hr.job("work")(work)
    synced = asyncio.Event()
    with own_server(tmp_path) as server:

        async def sync_commands(self: WorkerProcess) -> None:
            if not synced.is_set():
                synced.set()
                await asyncio.to_thread(server.kill)
            async with hr.database.pool.acquire() as conn:
                await conn.execute("select 1")

        monkeypatch.setattr(WorkerProcess, "_sync_commands", sync_commands)
        async with hr:
            await until_ready(WorkerProcess(hr))
    assert synced.is_set()


async def some(connection: Connection) -> bool:
    """Whether a session waits for the lock."""
    return bool(await connection.fetchval(WAITING))


async def until_ready(process: WorkerProcess) -> None:
    """It starts, and does its work."""
    async with running(process):
        assert process.worker.ready.is_set()
        job = await finished(process._app, await process._app.enqueue("work"))  # type: ignore[arg-type,attr-defined]
    assert job.status == "succeeded"


async def work() -> None:
    """Nothing."""
