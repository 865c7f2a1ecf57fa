"""Behind a transaction pooler: noticed, survived, and served by polling."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from tests.db.pooler import pooled
from tests.waiting import PATIENCE, until

from headrace import Headrace
from headrace.db.connect import Connection, Endpoint
from headrace.db.migrate import applied_migrations, read_migrations
from headrace.db.server_check import check_server
from headrace.worker.process.database_worker import WorkerProcess


async def test_a_direct_connection_is_not_called_pooled(database_url: str) -> None:
    report = await check_server(database_url)
    assert (report.pooled, report.version) == (False, 18)
    assert not [warning for warning in report.warnings if "pooler" in warning]


@pytest.mark.parametrize("backends", [1, 2, 8])
async def test_a_transaction_pooler_is_noticed_whatever_its_size(database_url: str, backends: int) -> None:
    async with pooled(database_url, backends=backends) as (url, _):
        report = await asyncio.wait_for(check_server(url), PATIENCE)
    assert report.pooled
    assert "so workers poll" in report.warnings[0]


async def test_the_pooler_of_these_tests_breaks_prepared_statements(database_url: str) -> None:
    async with pooled(database_url) as (url, _):
        first, second = await asyncpg.connect(url), await asyncpg.connect(url)
        await first.fetchval("select 1 + $1::int", 1)
        async with second.transaction():
            await second.execute("select 1")  # takes the backend that knows the statement
            with pytest.raises(asyncpg.InvalidSQLStatementNameError):
                await first.fetchval("select 1 + $1::int", 1)
        await first.close()
        await second.close()


async def test_our_connections_stand_that(database_url: str) -> None:
    async with pooled(database_url) as (url, _):
        endpoint = Endpoint(url, pooled=True)
        first, second = await endpoint.connect("test"), await endpoint.connect("test")
        assert await first.fetchval("select 1 + $1::int", 1) == 2
        async with second.transaction():
            await second.execute("select 1")
            assert await first.fetchval("select 1 + $1::int", 1) == 2
        await first.close()
        await second.close()


async def test_a_worker_runs_jobs_through_a_pooler_by_polling(database_url: str, connection: Connection) -> None:
    async with pooled(database_url, backends=3) as (url, pooler):
        hr = Headrace(url, app="pooled")
        hr.configure({"jobs.poll_interval_ms": 100})
        ran: list[int] = []

        @hr.job
        async def work(n: int) -> int:
            ran.append(n)
            return n * n

        async with hr:
            assert hr.database.report.pooled
            process = WorkerProcess(hr)
            running = asyncio.create_task(process.run())
            await process.worker.ready.wait()
            ids = [await hr.enqueue("work", {"n": n}) for n in range(10)]
            ids += await hr.enqueue_many("work", [{"n": n} for n in range(10, 20)])
            jobs = await asyncio.wait_for(asyncio.gather(*(hr.wait(job_id) for job_id in ids)), PATIENCE)
            process.stop()
            await running
        assert sorted(ran) == list(range(20))
        assert [job.result for job in jobs] == [n * n for n in range(20)]
        assert {str(job.status) for job in jobs} == {"succeeded"}
        assert pooler.most_lent <= 3
        assert pooler.transactions > 20
    assert await connection.fetchval("select count(*) from headrace.queue") == 0
    assert await connection.fetchval("select state::text from headrace.worker") == "stopped"


async def test_an_empty_database_is_migrated_through_a_pooler(empty_database_url: str) -> None:
    async with pooled(empty_database_url) as (url, _), Headrace(url, app="pooled") as hr:
        assert hr.database.report.pooled
    assert len(await applied_migrations(Endpoint(empty_database_url))) == len(read_migrations())


async def test_a_client_that_vanishes_does_not_keep_a_backend(database_url: str) -> None:
    async with pooled(database_url, backends=1) as (url, pooler):
        rude = await asyncpg.connect(url, statement_cache_size=0)
        await rude.execute("begin; select 1")
        rude.terminate()
        await until("the backend is free again", lambda: pooler.lent == 0)
        polite = await asyncpg.connect(url, statement_cache_size=0)
        assert await polite.fetchval("select 1") == 1
        await polite.close()
