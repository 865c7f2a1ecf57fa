"""A bench for each test, on every PostgreSQL that is here."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.executors.sql.bench import SCHEMA, SqlBench
from tests.servers import TestServer

from headrace.db.connect import Endpoint
from headrace.db.embedded.roles import SQL_ROLE, sql_role_url
from headrace.executors.sql import SqlExecutor


@pytest.fixture
async def sql(every_server: TestServer) -> AsyncIterator[SqlBench]:
    """With a schema of its own, dropped after it, so that the database can be used again."""
    async with every_server.database() as url:
        db = await Endpoint(url).connect("test")
        executor = SqlExecutor(sql_role_url(url), allowed_schemas=(SCHEMA,))
        try:
            await db.execute(
                f"create schema {SCHEMA}; grant usage on schema {SCHEMA} to {SQL_ROLE};"
                f"create table {SCHEMA}.kept (what text); grant select, insert on {SCHEMA}.kept to {SQL_ROLE};"
                f"update headrace.sql_setting set allowed_schemas = '{{{SCHEMA},public}}'"
            )
            yield SqlBench(db, executor, sql_role_url(url), int(every_server.major))
        finally:
            await executor.close()
            await db.execute(f"drop schema {SCHEMA} cascade")
            await db.close()
