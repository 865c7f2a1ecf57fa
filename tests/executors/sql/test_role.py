"""The embedded server's role for SQL jobs."""

from __future__ import annotations

from pathlib import Path

import asyncpg
import pytest
from tests.executors.sql.bench import SqlBench
from tests.servers import TestServer

from headrace.db.connect import Endpoint
from headrace.db.embedded.launch import DATABASE
from headrace.db.embedded.roles import SQL_ROLE, ensure_sql_role, sql_role_url


def test_its_address_is_the_same_but_for_the_user() -> None:
    assert sql_role_url("postgresql://headrace@/headrace?host=/a%20b&port=5432") == (
        "postgresql://headrace_sql@/headrace?host=/a%20b&port=5432"
    )
    assert (
        sql_role_url("postgresql://owner:secret@db.example:5433/jobs")
        == "postgresql://headrace_sql@db.example:5433/jobs"
    )


async def test_it_can_log_in_and_has_no_rights_on_headrace(sql: SqlBench) -> None:
    conn = await Endpoint(sql.url).connect("test")
    try:
        row = await conn.fetchrow(
            "select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls"
            " from pg_roles where rolname = user"
        )
        assert row is not None
        assert not any(row)
        assert await conn.fetchval("select session_user") == SQL_ROLE
        assert not await conn.fetchval("select has_schema_privilege('headrace', 'usage')")
        assert await conn.fetchval("select has_schema_privilege('public', 'usage')")
        for statement in ("select * from headrace.job", "select headrace.enqueue('x')", "create table public.x ()"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await conn.execute(statement)
    finally:
        await conn.close()


async def test_making_it_again_changes_nothing(every_server: TestServer) -> None:
    conn = await Endpoint(every_server.url).connect("test")
    try:
        socket_dir = Path((await conn.fetchval("show unix_socket_directories")).strip('"'))
        facts = "select oid, * from pg_authid where rolname = 'headrace_sql'"
        before = await conn.fetchrow(facts)
        ensure_sql_role(socket_dir, DATABASE)
        assert before is not None
        assert await conn.fetchrow(facts) == before
    finally:
        await conn.close()
