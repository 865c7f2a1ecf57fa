"""A function may change its own role, and no other SQL job has less for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.db.embedded.owners import run_sql
from tests.executors.sql.bench import DONE, SCHEMA, SqlBench, result, timeout_text
from tests.executors.sql.session_pooler import session_pooled
from tests.waiting import until

from headrace.config import Settings, SqlSettings
from headrace.db.database import Database
from headrace.db.embedded import EmbeddedServer
from headrace.db.embedded.initialise import ROLE
from headrace.db.embedded.roles import SQL_ROLE
from headrace.executors.sql import SqlExecutor
from headrace.service.doctor.finding import Finding
from headrace.service.doctor.roles import sql_role

# What would end each later login, each statement, or the way back.
ATTACKS = (
    "statement_timeout = '1ms'",
    "idle_session_timeout = '1ms'",
    "local_preload_libraries = 'no_such_library'",
    "default_transaction_read_only = on",
    "search_path = elsewhere",
    "work_mem = '64kB'",
    "exit_on_error = on",
)
SINCE_17 = "transaction_timeout = '1ms'"


@pytest.fixture
async def bench(sql: SqlBench) -> AsyncIterator[SqlBench]:
    """Under a role of this test's own: roles are the whole server's."""
    role = f"shop_{uuid4().hex[:12]}"
    await sql.db.execute(f"create role {role} login; grant usage on schema {SCHEMA} to {role}")
    url = sql.url.replace(SQL_ROLE, role)
    executor = SqlExecutor(url, allowed_schemas=(SCHEMA,))
    yield SqlBench(sql.db, executor, url, sql.major)
    await executor.close()
    await sql.db.execute(f"drop owned by {role}; drop role {role}")


async def attack(bench: SqlBench, *changes: str) -> None:
    """A job whose function changes its own role, and says that all went well."""
    quoted = [change.replace("'", "''") for change in changes]
    await bench.make("".join(f"execute 'alter role session_user {change}';" for change in quoted) + DONE)
    assert result(await bench.run()) == {"message": "done"}


def later(bench: SqlBench) -> SqlBench:
    """Another worker's, or this one's after its next start."""
    return SqlBench(bench.db, SqlExecutor(bench.url, allowed_schemas=(SCHEMA,)), bench.url, bench.major)


async def settings_left(bench: SqlBench) -> int:
    role = bench.url.partition("//")[2].partition("@")[0]
    left: int = await bench.db.fetchval(
        "select count(*) from pg_db_role_setting where setrole = $1::text::regrole", role
    )
    return left


async def test_a_setting_that_a_function_gives_to_its_role_holds_for_no_later_job(bench: SqlBench) -> None:
    database = await bench.db.fetchval("select current_database()")
    for setting in [*ATTACKS, *([SINCE_17] if bench.major >= 17 else [])]:
        await attack(bench, f"set {setting}", f'in database "{database}" set {setting}')
        assert await settings_left(bench) == 2
        name = setting.partition(" ")[0]
        await bench.make(
            "perform pg_sleep(0.01); "
            f"return jsonb_build_object('success', true, 'message', current_setting('{name}'));",
            name="looks",
        )
        other = later(bench)
        try:
            # Twice, and one that has to be stopped from outside: the first login is not the only one.
            seen = [result(await other.run("looks"))["message"] for _ in range(2)]
            await bench.make(f"perform pg_sleep(60); {DONE}", name="sleeps")
            assert timeout_text(await other.run("sleeps", timeout=0.3)).startswith("timed out after 0.3 s"), setting
        finally:
            await other.executor.close()
        assert not {"1ms", "no_such_library", "on", "elsewhere", "64kB"} & set(seen), (setting, seen)
        assert await settings_left(bench) == 0, setting


async def test_behind_a_session_pooler_that_takes_no_settings_sql_jobs_run_and_mend_their_role(bench: SqlBench) -> None:
    await attack(bench, "set work_mem = '64kB'")
    async with session_pooled(bench.url) as (url, refused):
        other = SqlBench(bench.db, SqlExecutor(url, allowed_schemas=(SCHEMA,)), url, bench.major)
        await bench.make("return jsonb_build_object('success', true, 'message', current_setting('work_mem'));")
        try:
            assert result(await other.run())["message"] != "64kB"
        finally:
            await other.executor.close()
    assert b"statement_timeout" in refused
    assert await settings_left(bench) == 0


async def test_a_password_that_a_function_gives_to_its_role_changes_nothing_on_the_embedded_server(
    bench: SqlBench,
) -> None:
    await attack(bench, "password 'mine'")
    other = later(bench)
    try:
        assert result(await other.run()) == {"message": "done"}
    finally:
        await other.executor.close()


async def examined(owner: str, url: str) -> Finding:
    """What the doctor says of the login of SQL jobs."""
    database = await Database.open(url=owner, data_dir=Path("nowhere"))
    try:
        async with database.pool.acquire() as conn:
            (finding,) = await sql_role(database, Settings(sql=SqlSettings(database_url=url)), conn)
    finally:
        await database.close()
    return finding


async def test_the_doctor_names_settings_of_the_role_and_the_way_out(sql: SqlBench, bench: SqlBench) -> None:
    owner = sql.url.replace(SQL_ROLE, ROLE)
    assert (await examined(owner, bench.url)).state == "ok"
    await attack(bench, "set statement_timeout = '1ms'")
    finding = await examined(owner, bench.url)
    assert finding.state == "warn"
    assert "has settings, which a SQL job may have made: statement_timeout=1ms" in finding.detail
    assert (finding.do or "").startswith("ALTER ROLE ")


async def test_the_doctor_names_a_password_that_a_job_may_have_changed(tmp_path: Path) -> None:
    with EmbeddedServer.start(tmp_path / ".headrace") as server:
        run_sql(server.url, "create role shop login password 'ours'")
        [[access]] = run_sql(server.url, "show hba_file")
        rules = Path(str(access)).read_text()
        Path(str(access)).write_text(f"local all shop scram-sha-256\n{rules}")
        run_sql(server.url, "select pg_reload_conf()")
        url = server.url.replace(f"{ROLE}@", "shop:ours@")
        await until("passwords count", lambda: is_ok(server.url, url))

        run_sql(server.url, "alter role shop password 'changed'")
        finding = await examined(server.url, url)
        assert finding.state == "fail"
        assert "A SQL job may have changed the password of its own role" in finding.detail
        assert (finding.do or "").startswith("as an administrator: ALTER ROLE ")


async def is_ok(owner: str, url: str) -> bool:
    return (await examined(owner, url)).state == "ok"
