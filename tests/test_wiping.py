"""A database that is used again is as if it were new."""

from __future__ import annotations

import asyncpg
from tests.servers import TestServer

SETTING = "select allowed_schemas from headrace.sql_setting"


async def test_the_schemas_that_one_test_allowed_are_not_allowed_in_the_next(embedded_server: TestServer) -> None:
    async with embedded_server.database() as first:
        connection = await asyncpg.connect(first)
        await connection.execute("update headrace.sql_setting set allowed_schemas = '{shop}'")
        await connection.close()
    async with embedded_server.database() as second:
        assert second == first
        connection = await asyncpg.connect(second)
        assert await connection.fetchval(SETTING) == ["public"]
        await connection.close()
