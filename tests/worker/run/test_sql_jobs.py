"""SQL jobs through the whole worker: defined, enqueued and scheduled with SQL alone."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import until
from tests.worker.running import (
    app_on,
    attempts,
    finished,
    only_postgres,
    run_due,
    running,
    said,
    until_armed,
    worker_id,
    working,
)

from headrace import Headrace
from headrace.config import DatabaseSettings, JobsSettings, Settings, SqlSettings
from headrace.db.connect import Connection
from headrace.db.embedded.roles import SQL_ROLE, sql_role_url
from headrace.errors import ConfigError
from headrace.worker.process.database_worker import WorkerProcess

pytestmark = only_postgres

DONE = """return '{"success": true, "message": "done"}';"""


@pytest.fixture
async def schema(connection: Connection) -> AsyncIterator[str]:
    """A schema of its own for functions, dropped after the test."""
    await connection.execute(
        f"create schema shop; grant usage on schema shop to {SQL_ROLE};"
        f"create table shop.kept (what text); grant select, insert on shop.kept to {SQL_ROLE};"
        "update headrace.sql_setting set allowed_schemas = '{shop}'"
    )
    yield "shop"
    await connection.execute("drop schema shop cascade")


@pytest.fixture
def sql(database_url: str, schema: str) -> Headrace:
    """An application without jobs of its own, whose worker runs SQL jobs."""
    settings = SqlSettings(database_url=sql_role_url(database_url), allowed_schemas=(schema,))
    return app_on(database_url, "sql", sql=settings)


async def define(connection: Connection, body: str, *, max_attempts: int = 1) -> None:
    await connection.execute(
        "create or replace function shop.work(payload jsonb) returns jsonb"
        f" language plpgsql as $body$ begin {body} end $body$"
    )
    await connection.execute("select headrace.define_sql_job('work', 'shop.work', '', null, $1)", max_attempts)


async def enqueue(connection: Connection, **payload: Any) -> Any:
    return await connection.fetchval("select headrace.enqueue('work', $1)", json.dumps(payload))


async def test_a_job_that_is_defined_while_the_worker_runs_is_run(sql: Headrace, connection: Connection) -> None:
    async with working(sql) as process:
        await until_armed(connection, worker_id(process))
        await define(
            connection,
            "insert into shop.kept values (payload ->> 'what');"
            """return jsonb_build_object('success', true, 'message', 'kept', 'details', '{"rows": 1}'::jsonb);""",
        )
        job = await finished(sql, await enqueue(connection, what="work"))
    assert job.result == {"message": "kept", "details": {"rows": 1}}
    assert await connection.fetchval("select what from shop.kept") == "work"


async def test_notices_are_lines_with_their_level_and_outlive_a_rollback(sql: Headrace, connection: Connection) -> None:
    levels = ("debug", "log", "info", "notice", "warning")
    body = "set local client_min_messages = debug;" + "".join(f"raise {level} 'a {level}';" for level in levels)
    await define(connection, f"{body} insert into shop.kept values ('work'); raise 'it broke';")
    async with working(sql):
        job = await finished(sql, await enqueue(connection))
    rows = await connection.fetch(
        "select message, level, stream from headrace.log where message like 'a %' order by seq"
    )
    wanted = [("debug", 10), ("log", 20), ("info", 20), ("notice", 20), ("warning", 30)]
    assert [tuple(row) for row in rows] == [(f"a {name}", level, 3) for name, level in wanted]
    assert job.last_error == "SQLSTATE P0001: it broke"
    assert await connection.fetchval("select count(*) from shop.kept") == 0


@pytest.mark.parametrize("commit", [True, False])
async def test_a_function_that_says_no_fails_with_its_message(
    sql: Headrace, connection: Connection, commit: bool
) -> None:
    answer = json.dumps({"success": False, "message": "not today", "commit": commit})
    await define(connection, f"insert into shop.kept values ('work'); return '{answer}';")
    async with working(sql):
        job = await finished(sql, await enqueue(connection))
    assert (job.status, job.last_error) == ("dead_letter", "not today")
    assert await connection.fetchval("select count(*) from shop.kept") == int(commit)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("return '[]';", "must return"),
        ("return null;", "must return"),
        ("perform 1 / 0; return null;", "SQLSTATE 22012: division by zero"),
        ("perform chr(0); return null;", "SQLSTATE 54000"),
        ("reset role; perform count(*) from headrace.job; return null;", "SQLSTATE 42501"),
    ],
)
async def test_what_a_function_must_not_do_is_a_clear_failure(
    sql: Headrace, connection: Connection, body: str, error: str
) -> None:
    await define(connection, body)
    async with working(sql):
        job = await finished(sql, await enqueue(connection))
    assert error in str(job.last_error)
    assert await attempts(connection, job.id) == [(1, "failed", "dead_letter")]


async def test_a_function_that_was_dropped_is_missed_at_its_run_and_found_when_it_is_back(
    sql: Headrace, connection: Connection
) -> None:
    await define(connection, DONE, max_attempts=2)
    await connection.execute("drop function shop.work")
    async with working(sql):
        job_id = await enqueue(connection)
        await until("it has failed", lambda: has_failed(connection))
        await define(connection, DONE, max_attempts=2)
        await run_due(connection, job_id)
        job = await finished(sql, job_id)
    assert job.status == "succeeded"
    assert [outcome for _, outcome, _ in await attempts(connection, job_id)] == ["failed", "succeeded"]


async def test_what_a_function_answers_is_kept_without_secrets(sql: Headrace, connection: Connection) -> None:
    said_no = "jsonb_build_object('success', false, 'message', 'no', 'details', payload)"
    await define(connection, f"return {said_no};")
    async with working(sql):
        await finished(sql, await enqueue(connection, password="tr0ub4dor-horse"))
    detail = json.loads(await connection.fetchval("select detail from headrace.attempt"))
    assert json.loads(detail["answer"])["details"] == {"password": "***"}


async def has_failed(connection: Connection) -> bool:
    return bool(await connection.fetchval("select exists (select from headrace.attempt)"))


async def test_a_schedule_fires_it(sql: Headrace, connection: Connection) -> None:
    await define(connection, f"insert into shop.kept values (payload ->> 'what'); {DONE}")
    await connection.execute(
        """select headrace.schedule('often', 'work', every => '200 ms', payload => '{"what": "scheduled"}')"""
    )

    async def kept() -> bool:
        return bool(await connection.fetchval("select count(*) >= 2 from shop.kept where what = 'scheduled'"))

    async with working(sql):
        await until("it has run twice", kept)


async def test_without_a_login_they_are_off_and_wait(
    sql: Headrace, database_url: str, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await define(connection, DONE)
    without = app_on(database_url, "without")

    @without.job()
    async def other() -> None: ...

    job_id = await enqueue(connection)
    async with working(without):
        assert "SQL jobs disabled: set sql.database_url to a login of their own" in caplog.text
        await finished(without, await without.enqueue("other"))
        assert (await without.get_job(job_id)).status == "queued"
    async with working(sql):
        assert (await finished(sql, job_id)).status == "succeeded"


async def test_a_worker_whose_sql_jobs_would_run_as_a_superuser_does_not_start(database_url: str) -> None:
    hr = app_on(database_url, "sql", sql=SqlSettings(database_url=database_url))
    async with hr:
        process = WorkerProcess(hr)
        with pytest.raises(ConfigError, match=r"sql.database_url: SQL jobs may not log in as 'headrace', .* superuser"):
            await process.run()
        assert not process.worker.ready.is_set()


async def test_a_worker_that_is_stopped_lets_nothing_be_committed(sql: Headrace, connection: Connection) -> None:
    await define(
        connection, f"insert into shop.kept values ('work'); raise notice 'started'; perform pg_sleep(60); {DONE}"
    )
    jobs = sql.settings.jobs.model_copy(update={"shutdown_timeout_s": 0.1})
    sql._settings = sql.settings.model_copy(update={"jobs": jobs})
    async with sql:
        async with running(WorkerProcess(sql)):
            job_id = await enqueue(connection)
            await until("it runs", lambda: has_said(connection, job_id))
        assert (await sql.get_job(job_id)).attempt_count == 0
    assert await attempts(connection, job_id) == [(1, "released", None)]
    assert await connection.fetchval("select count(*) from shop.kept") == 0


async def has_said(connection: Connection, job_id: Any) -> bool:
    return "started" in await said(connection, job_id)


async def test_the_embedded_server_has_a_role_for_them_and_no_setting_is_needed(tmp_path: Path) -> None:
    hr = Headrace(app="embedded")
    jobs = JobsSettings.model_construct(kill_grace_s=1.0)
    hr._settings = Settings.model_construct(database=DatabaseSettings(), jobs=jobs, data_dir=tmp_path / "pg")
    async with working(hr):
        async with hr.database.pool.acquire() as conn:
            await conn.execute(
                "create function public.who() returns jsonb language sql as"
                " $$select jsonb_build_object('success', true, 'message', session_user)$$;"
                "select headrace.define_sql_job('who', 'public.who()')"
            )
        job = await finished(hr, await hr.enqueue("who"))
    assert job.result["message"] == SQL_ROLE


async def test_a_payload_that_python_cannot_read_is_worked_on_once(sql: Headrace, connection: Connection) -> None:
    await define(connection, f"insert into shop.kept values ('paid'); raise notice 'paid'; {DONE}", max_attempts=2)
    async with working(sql):
        job_id = await connection.fetchval("select headrace.enqueue('work', scheduled_for => now() + interval '1 day')")
        unreadable = f'{{"password": "correct-horse", "amount": {"1" * 5000}}}'
        await connection.execute("update headrace.job set payload = $2::jsonb where id = $1", job_id, unreadable)
        await run_due(connection, job_id)
        assert (await finished(sql, job_id)).status == "succeeded"
    assert await connection.fetchval("select array_agg(what) from shop.kept") == ["paid"]
