"""Settings come from code, and an operator's change stays."""

from __future__ import annotations

import asyncpg
import pytest

from headrace import Conflict, Headrace


async def test_an_operators_change_survives_the_next_start(hr: Headrace, database_url: str) -> None:
    @hr.job(max_attempts=3)
    async def work() -> None: ...

    sql = await asyncpg.connect(database_url)
    async with hr:
        await sql.execute("update headrace.definition set max_attempts = 9 where key = 'work'")
    async with hr:
        job = await hr.get_job(await work.enqueue())
        assert job.max_attempts == 9
        await hr.sync_definitions(force=True)
        assert (await hr.get_job(await work.enqueue())).max_attempts == 3
    await sql.close()


async def test_a_disabled_definition_takes_no_jobs(hr: Headrace, database_url: str) -> None:
    @hr.job
    async def work() -> None: ...

    sql = await asyncpg.connect(database_url)
    async with hr:
        await sql.execute("update headrace.definition set enabled = false where key = 'work'")
        with pytest.raises(Conflict, match="disabled"):
            await work.enqueue()
    await sql.close()
