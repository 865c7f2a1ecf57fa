"""The examination finds what is wrong, and says what to do."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.db.pooler import pooled
from tests.engine import Engine
from tests.waiting import until

from headrace.config import DatabaseSettings, Settings, SqlSettings
from headrace.db.connect import Connection, Endpoint
from headrace.db.database import Database
from headrace.db.migrate import migrate, read_migrations
from headrace.service.doctor import Finding, Target, examine, run, schema


async def findings(url: str, **settings: Any) -> dict[str, Finding]:
    """The worst of each name."""
    database = await Database.open(url=url, data_dir=Path("nowhere"), pool_size=2, migrated=False)
    try:
        found = [one async for one in examine(Target(database, Settings(**settings)))]
    finally:
        await database.close()
    order = ("ok", "warn", "fail")
    return {one.name: one for one in sorted(found, key=lambda one: order.index(one.state))}


async def test_without_a_worker_everything_else_is_well(database_url: str) -> None:
    found = await findings(database_url)
    assert {name for name, finding in found.items() if finding.state != "ok"} == {"workers"}
    assert found["workers"].detail == "no worker is live: jobs wait"


async def test_a_database_without_our_schema_is_to_be_migrated(empty_database_url: str) -> None:
    found = await findings(empty_database_url)
    assert (found["migrations"].state, found["migrations"].do) == ("fail", "headrace db migrate")
    assert "workers" not in found


async def test_a_database_that_is_just_being_migrated_is_not_called_broken(empty_database_url: str) -> None:
    known = read_migrations()
    stays = replace(known[-1], up=f"{known[-1].up};\nselect pg_advisory_xact_lock(1)")
    waits = "select exists (select from pg_locks where locktype = 'advisory' and not granted and objid = 1)"
    holder = await Endpoint(empty_database_url).connect("test")
    await holder.execute("select pg_advisory_lock(1)")
    migrating = asyncio.create_task(migrate(Endpoint(empty_database_url), [*known[:-1], stays]))
    await until("the last step is under way", lambda: holder.fetchval(waits))
    found = await findings(empty_database_url)
    await holder.close()
    await migrating
    assert (found["migrations"].state, found["migrations"].do) == ("warn", "run headrace doctor again in a moment")
    assert found["migrations"].detail == f"the database is being migrated: {len(known) - 1} of {len(known)} are applied"
    assert "workers" not in found


async def test_settings_of_a_role_or_a_database_that_hurt_are_named_with_the_way_out(
    database_url: str, connection: Connection
) -> None:
    assert (await findings(database_url))[
        "session"
    ].detail == "no setting of the role or the database disturbs Headrace"
    database = await connection.fetchval("select current_database()")
    await connection.execute(f"alter database {database} set default_transaction_isolation = 'repeatable read'")
    try:
        found = (await findings(database_url))["session"]
        assert found.state == "ok"  # our connections have their own
        assert "default_transaction_isolation = repeatable read of the database; Headrace's conn" in found.detail
        async with pooled(database_url) as (url, _):
            behind = (await findings(url))["session"]
        assert behind.state == "warn"
        assert behind.detail.startswith(
            "default_transaction_isolation = repeatable read of the database applies to Headrace"
        )
        assert behind.do == f"ALTER DATABASE {database} RESET default_transaction_isolation"
        await connection.execute(f"alter database {database} set default_transaction_read_only = on")
        closed = (await findings(database_url))["session"]
        assert (closed.state, closed.do) == ("fail", f"ALTER DATABASE {database} RESET default_transaction_read_only")
    finally:
        await connection.execute("set default_transaction_read_only = off")
        await connection.execute(f"alter database {database} reset all")


async def test_a_database_of_a_newer_version_is_told(database_url: str, connection: Connection) -> None:
    await connection.execute("insert into headrace.migration (number, name, checksum) values (9999, 'later', 'x')")
    try:
        assert "newer version" in (await findings(database_url))["migrations"].detail
    finally:
        await connection.execute("delete from headrace.migration where number = 9999")


@pytest.mark.parametrize(
    ("change", "said", "do"),
    [
        (
            "update headrace.function_file set checksum = '-' where name = 'retry'",
            "function files of the database differ from this version's: retry",
            "headrace db migrate",
        ),
        (
            "update headrace.migration set name = 'nouns', checksum = '-' where number = 1",
            "the database was made with another baseline (nouns)",
            "headrace db migrate shows how to make it anew",
        ),
    ],
)
async def test_a_schema_that_differs_is_named_with_the_way_out(
    empty_database_url: str, change: str, said: str, do: str
) -> None:
    await migrate(Endpoint(empty_database_url))
    conn = await Endpoint(empty_database_url).connect("test")
    await conn.execute(change)
    await conn.close()
    found = await findings(empty_database_url)
    assert (found["migrations"].state, found["migrations"].detail, found["migrations"].do) == ("fail", said, do)
    assert "workers" not in found


async def test_stale_and_lost_workers_are_told(database_url: str, connection: Connection) -> None:
    engine = Engine(Endpoint(database_url), connection)
    stale, lost = await engine.worker(), await engine.worker()
    await connection.execute("update headrace.worker set heartbeat_at = now() - lease * 0.9 where id = $1", stale)
    await engine.lose(lost)
    await engine.enqueue()
    found = await findings(database_url)
    assert found["workers"].state == "warn"
    assert found["waiting"].state == "ok"  # the stale one may still run it
    await engine.lose(stale)
    found = await findings(database_url)
    assert found["waiting"].state == "fail"
    assert 'jobs of "work" wait in queue "default"' in found["waiting"].detail


async def test_jobs_and_triggers_of_a_definition_that_is_gone_are_told_first_of_our_schema(
    database_url: str, connection: Connection
) -> None:
    engine = Engine(Endpoint(database_url), connection)
    await engine.worker()
    await connection.execute("create or replace function public.tidy() returns jsonb language sql return '{}'::jsonb")
    await connection.execute("select headrace.define_sql_job('tidy', 'public.tidy')")
    await connection.execute("select headrace.schedule('nightly', 'tidy', '0 3 * * *')")
    await engine.enqueue("tidy")
    await engine.enqueue("charge")
    await connection.execute("select headrace.undefine_sql_job('tidy')")
    await connection.execute("update headrace.definition set deleted_from_code_at = now() where key = 'charge'")
    database = await Database.open(url=database_url, data_dir=Path("nowhere"), pool_size=2, migrated=False)
    try:
        found = [one async for one in examine(Target(database, Settings()))]
    finally:
        await database.close()
    told = found[[one.name for one in found].index("migrations") + 1 :]
    assert [(one.name, one.detail) for one in told[:3]] == [
        (
            "waiting",
            'jobs of "charge" wait in queue "default", and no live worker knows it: it was deleted from code',
        ),
        ("waiting", 'jobs of "tidy" wait in queue "default", and no live worker knows it: it was undefined'),
        ("triggers", 'trigger "nightly" is enabled but cannot enqueue jobs: the definition "tidy" was undefined'),
    ]
    assert told[0].do is not None
    assert told[0].do.endswith("cancel the jobs: headrace jobs bulk cancel -d charge")


async def test_a_long_transaction_is_named_with_how_to_end_it(
    database_url: str, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connection.transaction():
        await connection.fetchval("select 1")
        monkeypatch.setattr(schema, "LONG_TRANSACTION", 0.0)
        found = (await findings(database_url))["snapshots"]
    assert found.state == "warn"
    assert found.do is not None
    assert found.do.startswith("end it: SELECT pg_terminate_backend(")


async def test_missing_partitions_are_told(database_url: str, connection: Connection) -> None:
    taken = await connection.fetch("delete from headrace.log_partition where lower_bound > now() returning *")
    rows = [tuple(row) for row in taken]
    try:
        found = (await findings(database_url))["partitions"]
    finally:
        await connection.executemany(
            "insert into headrace.log_partition values ($1, $2, $3, $4)", [tuple(row) for row in rows]
        )
    assert found.state == "fail"
    assert "0 days ahead for log lines" in found.detail


async def test_a_missing_key_is_told_where_it_is_needed(database_url: str, connection: Connection) -> None:
    engine = Engine(Endpoint(database_url), connection)
    await engine.define("pay", payload_schema='{"properties": {"card": {"type": "string", "x-secret": true}}}')
    found = (await findings(database_url))["secret key"]
    assert found.state == "fail"
    assert "pay" in found.detail
    assert (await findings(database_url, secret_key="short"))["secret key"].state == "fail"
    good = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
    assert (await findings(database_url, secret_key=good))["secret key"].state == "ok"


async def test_sql_jobs_need_a_login_of_few_rights(database_url: str, connection: Connection) -> None:
    assert (await findings(database_url))["SQL role"].detail == "SQL jobs are off, and no SQL job is defined"
    await connection.execute("create or replace function public.tidy() returns jsonb language sql return '{}'::jsonb")
    await connection.execute("select headrace.define_sql_job('tidy', 'public.tidy')")
    assert (await findings(database_url))["SQL role"].do == "set sql.database_url"
    mighty = await findings(database_url, sql=SqlSettings(database_url=database_url))
    assert mighty["SQL role"].state == "fail"
    away = await findings(database_url, sql=SqlSettings(database_url="postgresql://x:hunter2@127.0.0.1:1/y"))
    assert away["SQL role"].state == "fail"
    assert "hunter2" not in away["SQL role"].detail


async def test_a_trigger_in_error_is_told(database_url: str, connection: Connection) -> None:
    engine = Engine(Endpoint(database_url), connection)
    await engine.define()
    await connection.execute("select headrace.schedule('nightly', 'work', '0 3 * * *')")
    await connection.execute("update headrace.trigger set last_error = 'it broke'")
    found = (await findings(database_url))["triggers"]
    assert found.state == "warn"
    assert found.do == "see headrace triggers list"


async def test_that_nobody_runs_built_in_jobs_is_told(database_url: str, connection: Connection) -> None:
    engine = Engine(Endpoint(database_url), connection)
    assert "built-in jobs" not in await findings(database_url)  # nobody works at all: that is told as such
    worker = await engine.worker()
    found = (await findings(database_url))["built-in jobs"]
    assert (found.state, found.detail) == (
        "warn",
        "no live worker runs them: nothing is pruned and no alert is sent",
    )
    definitions = ["work", "headrace.prune_jobs"]
    await connection.execute("update headrace.worker set definitions = $2 where id = $1", worker, definitions)
    assert (await findings(database_url))["built-in jobs"].state == "ok"
    await connection.execute("update headrace.worker set queues = '{mail}' where id = $1", worker)
    assert (await findings(database_url))["built-in jobs"].state == "warn"


async def test_open_alerts_are_told(database_url: str, connection: Connection) -> None:
    await connection.execute(
        "with rule as (insert into headrace.alert_rule (name, kind, created_by) values ('died', 'job_died', 'test')"
        " returning id)"
        " insert into headrace.alert (rule_id, subject, since, last_seen, count, closed_at)"
        " select id, subject, now(), now(), 1, closed_at"
        "   from rule, (values ('sync-dropbox', null), ('long over', now())) as a (subject, closed_at)"
    )
    found = (await findings(database_url))["alerts"]
    assert (found.state, found.detail, found.do) == ("warn", "1 open: died (sync-dropbox)", "see headrace alerts list")


async def test_what_was_said_of_the_pooler_is_not_needed(database_url: str) -> None:
    told = await findings(database_url, database=DatabaseSettings(pooler="transaction"))
    assert "is not needed" in told["pooler"].detail


async def test_a_look_that_fails_does_not_end_the_examination(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> list[Finding]:
        raise asyncpg.InsufficientPrivilegeError("permission denied")

    monkeypatch.setitem(run.FIRST, "disk", broken)
    found = await findings(database_url)
    assert found["disk"].detail == "the check failed: permission denied"
    assert found["triggers"].state == "ok"
