"""The embedded server's role for SQL jobs, and those that are refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from tests.executors.sql.bench import SqlBench
from tests.servers import TestServer

from headrace.db.connect import Endpoint
from headrace.db.embedded.launch import DATABASE
from headrace.db.embedded.roles import SQL_ROLE, ensure_sql_role, sql_role_url
from headrace.errors import ConfigError
from headrace.executors.sql import SqlExecutor, SqlFunction
from headrace.model.job.outcome import Failed


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


@pytest.fixture
async def role(sql: SqlBench) -> AsyncIterator[str]:
    """A login of this test's own; roles are the whole server's."""
    name = f"shop_{uuid4().hex[:12]}"
    await sql.db.execute(f"create role {name} login")
    yield name
    await sql.db.execute(f"alter schema headrace owner to headrace; drop role {name}")


MIGHTY = {
    "alter role {role} superuser": "a superuser",
    "grant headrace to {role}": "a superuser",
    "alter role {role} bypassrls": "a role with BYPASSRLS",
    "alter schema headrace owner to {role}": "the owner of schema headrace",
    "grant headrace_worker to {role}": "a role of applications, workers or servers",
    "grant headrace_app to {role}": "a role of applications, workers or servers",
    "alter role {role} createrole": "a role that makes roles, or reads or writes everything",
    "grant pg_write_all_data to {role}": "a role that makes roles, or reads or writes everything",
}


@pytest.mark.parametrize("made", MIGHTY)
async def test_a_login_that_could_change_headrace_is_refused_at_start_and_at_a_run(
    sql: SqlBench, role: str, made: str
) -> None:
    await sql.make("""return '{"success": true, "message": "done"}';""")
    executor = SqlExecutor(sql.url.replace(SQL_ROLE, role), allowed_schemas=("app",))
    try:
        await executor.check_role()
        await sql.db.execute(made.format(role=role))
        with pytest.raises(ConfigError, match=f"may not log in as '{role}', which is or may become {MIGHTY[made]}: "):
            await executor.check_role()
        ended = await executor.run(
            SqlFunction("app", "f", "(jsonb)"), "{}", timeout=20, kill_grace=0.2, on_notice=lambda *_: None
        )
        assert isinstance(ended.outcome, Failed)
        assert "Create a role for them (create role headrace_sql login" in ended.outcome.error
    finally:
        await executor.close()


async def test_a_server_that_does_not_answer_is_no_reason_to_refuse_the_role() -> None:
    executor = SqlExecutor("postgresql://nobody@127.0.0.1:1/nothing")
    await executor.check_role()
    await executor.close()
