"""A job exists if and only if your transaction commits."""

from __future__ import annotations

import asyncpg
import pytest

from headrace import Headrace, NotFound


async def test_a_job_is_part_of_the_callers_transaction(hr: Headrace, database_url: str) -> None:
    @hr.job
    async def send_welcome(user_id: int) -> None: ...

    connection = await asyncpg.connect(database_url)
    async with hr:
        transaction = connection.transaction()
        await transaction.start()
        job_id = await send_welcome.enqueue(user_id=7, connection=connection)
        with pytest.raises(NotFound):
            await hr.get_job(job_id)  # others do not see it yet
        await transaction.commit()
        assert (await hr.get_job(job_id)).status == "queued"

        transaction = connection.transaction()
        await transaction.start()
        job_id = await send_welcome.enqueue(user_id=8, connection=connection)
        await transaction.rollback()
        with pytest.raises(NotFound):
            await hr.get_job(job_id)
    await connection.close()
