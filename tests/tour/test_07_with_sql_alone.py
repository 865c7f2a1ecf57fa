"""Any client that speaks SQL has the same functions, in its own transaction."""

from __future__ import annotations

import asyncpg
from tests.tour.conftest import AWorker

from headrace import Headrace


async def test_enqueue_look_cancel_and_retry_from_sql(hr: Headrace, a_worker: AWorker, database_url: str) -> None:
    @hr.job
    async def add(a: int, b: int) -> int:
        return a + b

    sql = await asyncpg.connect(database_url)
    async with hr:  # the definition is known from here on
        pass
    job_id = await sql.fetchval("""select headrace.enqueue('add', '{"a": 2, "b": 3}', priority => 5)""")
    assert await sql.fetchval("select headrace.cancel($1)", job_id)
    assert await sql.fetchval("select headrace.retry($1)", job_id)
    async with a_worker():
        await hr.wait(job_id)
    row = await sql.fetchrow("select status, result, attempt_count, source from headrace.jobs where id = $1", job_id)
    assert row is not None
    assert tuple(row) == ("succeeded", "5", 1, "sql")
    await sql.close()
