"""Migrations: up, down, once each, whoever else is at it and whatever dies."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from tests.db import migrating
from tests.waiting import until

from headrace.db import migrate as migrate_module
from headrace.db.connect import Connection, Endpoint
from headrace.db.embedded.roles import SQL_ROLE, sql_role_url
from headrace.db.migrate import Migration, applied_migrations, migrate, read_migrations, rollback
from headrace.errors import DatabaseUnusable

KNOWN = read_migrations()
# Steps of the test's own come after ours, so that there are always several.
ALL = [
    *KNOWN,
    Migration(len(KNOWN) + 1, "one", "create table headrace.one (n int)", "drop table headrace.one"),
    Migration(
        len(KNOWN) + 2, "two", "alter table headrace.one add column m int", "alter table headrace.one drop column m"
    ),
]
NUMBERS = [step.number for step in ALL]

# Everything a migration may make, by name and shape.
FINGERPRINT = """
select 'relation', c.relname::text, c.relkind::text, coalesce(c.reloptions::text, '')
  from pg_class c where c.relnamespace = 'headrace'::regnamespace
union all
select 'column', attrelid::regclass::text, attname::text, format_type(atttypid, atttypmod) || attnotnull
  from pg_attribute join pg_class c on c.oid = attrelid
 where c.relnamespace = 'headrace'::regnamespace and attnum > 0 and not attisdropped
union all
select 'function', oid::regprocedure::text, '', md5(prosrc)
  from pg_proc where pronamespace = 'headrace'::regnamespace
union all
select 'type', typname::text, typtype::text, '' from pg_type where typnamespace = 'headrace'::regnamespace
union all
select 'constraint', conrelid::regclass::text, conname::text, pg_get_constraintdef(oid)
  from pg_constraint where connamespace = 'headrace'::regnamespace
union all
select 'trigger', tgrelid::regclass::text, tgname::text, '' from pg_trigger where not tgisinternal
order by 1, 2, 3, 4
"""


async def fingerprint(conn: Connection) -> list[tuple[str, ...]]:
    return [tuple(row) for row in await conn.fetch(FINGERPRINT)]


@pytest.fixture
def endpoint(empty_database_url: str) -> Endpoint:
    return Endpoint(empty_database_url)


async def connect(endpoint: Endpoint) -> asyncpg.Connection[asyncpg.Record]:
    return await endpoint.connect("test")


def test_the_steps_are_numbered_without_gaps_and_each_has_a_way_back() -> None:
    assert list(range(1, len(ALL) + 1)) == NUMBERS
    assert all(step.up.strip() and step.down.strip() for step in ALL)
    assert len({step.checksum for step in ALL}) == len(ALL)


async def test_each_step_down_leaves_what_was_there_before_it_and_up_again_is_the_same(endpoint: Endpoint) -> None:
    conn = await connect(endpoint)
    try:
        before: list[list[tuple[str, ...]]] = []
        await migrate(endpoint, [])
        for n in range(1, len(ALL) + 1):
            before.append(await fingerprint(conn))
            assert [step.number for step in (await migrate(endpoint, ALL[:n])).steps] == [n]
        whole = await fingerprint(conn)
        assert len(whole) > 200
        for step in reversed(ALL):
            assert await rollback(endpoint, migrations=ALL) == [step]
            assert await fingerprint(conn) == before.pop(), f"after step {step.number} was taken back"
        assert {row[1] for row in await fingerprint(conn) if row[0] == "relation"} == {
            "migration",
            "migration_pkey",
            "function_file",
            "function_file_pkey",
        }
        assert await rollback(endpoint, migrations=ALL) == []
        assert (await migrate(endpoint, ALL)).steps == ALL
        assert await fingerprint(conn) == whole
        assert await migrate(endpoint, ALL) == ([], [])
    finally:
        await conn.close()


async def test_several_steps_are_taken_back_newest_first(endpoint: Endpoint) -> None:
    await migrate(endpoint, ALL)
    assert [step.number for step in await rollback(endpoint, steps=2, migrations=ALL)] == NUMBERS[:-3:-1]
    assert [step.number for step in await rollback(endpoint, steps=99, migrations=ALL)] == NUMBERS[-3::-1]


async def test_the_history_records_each_step(endpoint: Endpoint) -> None:
    assert await applied_migrations(endpoint) == []
    await migrate(endpoint, ALL[:2])
    applied = await applied_migrations(endpoint)
    assert [(step.number, step.name, step.checksum) for step in applied] == [
        (step.number, step.name, step.checksum) for step in ALL[:2]
    ]
    await migrate(endpoint, ALL)
    await rollback(endpoint, migrations=ALL)
    assert [step.number for step in await applied_migrations(endpoint)] == NUMBERS[:-1]


async def test_a_login_that_may_make_no_schema_is_told_so_and_goes_on_with_one_that_is_there(
    endpoint: Endpoint,
) -> None:
    name = f"guest_{uuid4().hex[:12]}"
    guest = Endpoint(sql_role_url(endpoint.url).replace(SQL_ROLE, name))
    conn = await connect(endpoint)
    try:
        await conn.execute(f"create role {name} login")
        with pytest.raises(
            DatabaseUnusable, match="the schema headrace cannot be made: permission denied for database"
        ):
            await migrate(guest)
        await migrate(endpoint, [])
        await conn.execute(f"grant usage on schema headrace to {name}; grant select on headrace.migration to {name}")
        assert await migrate(guest, []) == ([], [])
    finally:
        await conn.execute(f"drop owned by {name}; drop role {name}")
        await conn.close()


async def test_a_step_with_another_content_is_refused(endpoint: Endpoint) -> None:
    await migrate(endpoint, ALL)
    changed = [*ALL[:-1], replace(ALL[-1], up=ALL[-1].up + "\n-- changed")]
    with pytest.raises(DatabaseUnusable, match=r"migration \d{4} \(two\) was applied with another content"):
        await migrate(endpoint, changed)
    with pytest.raises(DatabaseUnusable, match="another content"):
        await rollback(endpoint, migrations=changed)
    assert len(await applied_migrations(endpoint)) == len(ALL)


async def test_a_database_newer_than_the_code_is_refused(endpoint: Endpoint) -> None:
    future = Migration(len(ALL) + 1, "future", "create table headrace.future ()", "drop table headrace.future")
    await migrate(endpoint, [*ALL, future])
    for attempt in (migrate(endpoint, ALL), rollback(endpoint, migrations=ALL)):
        with pytest.raises(DatabaseUnusable, match=r"\(future\), which this version does not know.*upgrade this one"):
            await attempt
    assert len(await applied_migrations(endpoint)) == len(ALL) + 1


async def test_a_database_of_another_baseline_is_refused_with_how_to_make_it_anew(endpoint: Endpoint) -> None:
    await migrate(endpoint)
    conn = await connect(endpoint)
    await conn.execute("update headrace.migration set name = 'nouns', checksum = '-' where number = 1")
    await conn.execute("insert into headrace.migration (number, name, checksum) values (45, 'lost_with', '-')")
    for attempt in (migrate(endpoint), rollback(endpoint)):
        with pytest.raises(DatabaseUnusable, match=r"another baseline, 0001 \(nouns\).*drop schema headrace cascade"):
            await attempt
    await conn.execute("drop schema headrace cascade")
    await conn.close()
    assert (await migrate(endpoint)).steps == KNOWN


async def test_a_step_that_fails_leaves_nothing_behind(endpoint: Endpoint) -> None:
    bad = Migration(len(ALL) + 1, "bad", "create table headrace.half (); select 1 / 0", "select 1")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await migrate(endpoint, [*ALL, bad])
    assert [step.number for step in await applied_migrations(endpoint)] == NUMBERS
    conn = await connect(endpoint)
    assert await conn.fetchval("select to_regclass('headrace.half')") is None
    await conn.close()
    assert (await migrate(endpoint, ALL)).steps == []


GATED = """
    lock table public.first;
    select pg_advisory_xact_lock(4711);
    lock table public.second;
    create table headrace.half ();
"""


async def test_a_step_that_ends_in_a_deadlock_with_live_work_is_taken_again(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate_module, "LOCK_SECONDS", (100.0, 100.0))
    gate, work, watch = [await connect(endpoint) for _ in range(3)]
    await watch.execute("create table public.first (); create table public.second ()")
    await gate.execute("select pg_advisory_lock(4711)")
    step = Migration(1, "gated", GATED, "drop table headrace.half")
    migrating = asyncio.create_task(migrate(endpoint, [step], []))
    await until("the step holds the first table", lambda: waiting(watch, "advisory"))
    # Only the migration looks for a deadlock, so it is the one that gives way.
    await work.execute("set deadlock_timeout = '1h'")
    async with work.transaction():
        await work.execute("lock table public.second")
        wanting = asyncio.create_task(work.execute("lock table public.first"))
        await until("live work waits for the first table", lambda: waiting(watch, "relation"))
        await gate.execute("select pg_advisory_unlock(4711)")
        await wanting
    assert await migrating == ([step], [])
    for connection in (gate, work, watch):
        await connection.close()


async def waiting(watch: Connection, for_what: str) -> bool:
    """Whether a session of this database waits for a lock of that kind."""
    asked = (
        "select exists (select from pg_stat_activity where datname = current_database()"
        " and wait_event_type = 'Lock' and wait_event = $1)"
    )
    return bool(await watch.fetchval(asked, for_what))


async def test_migrations_at_once_take_each_step_once(endpoint: Endpoint) -> None:
    taken = await asyncio.gather(*(migrate(endpoint, ALL) for _ in range(4)))
    assert sorted(step.number for one in taken for step in one.steps) == NUMBERS


async def test_processes_that_migrate_at_once_take_each_step_once(endpoint: Endpoint) -> None:
    command = [sys.executable, str(Path(migrating.__file__)), endpoint.url]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = await asyncio.gather(*(asyncio.to_thread(process.communicate) for process in processes))
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(int(number) for out, _ in outputs for number in out.split()) == NUMBERS[: len(KNOWN)]


async def test_a_process_killed_half_way_through_a_step_leaves_nothing_in_the_way(endpoint: Endpoint) -> None:
    conn = await connect(endpoint)
    process = subprocess.Popen([sys.executable, str(Path(migrating.__file__)), endpoint.url, "slow"])
    try:
        asleep = "select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
        await until("the step is half-way", lambda: _is(conn, asleep, 1))
        process.kill()
        process.wait()
        await until("its transaction is gone", lambda: _is(conn, asleep, 0))
        assert await conn.fetchval("select to_regclass('headrace.half')") is None
        assert [step.number for step in await applied_migrations(endpoint)] == NUMBERS[: len(KNOWN)]
        after = Migration(9999, "slow", "create table headrace.half ()", "drop table headrace.half")
        assert (await migrate(endpoint, [*KNOWN, after])).steps == [after]
    finally:
        process.kill()
        process.wait()
        await conn.close()


async def _is(conn: Connection, query: str, wanted: int) -> bool:
    return bool(await conn.fetchval(query) == wanted)


async def test_a_migration_that_never_ends_elsewhere_is_reported(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient = migrate_module.SQL["be_patient"].replace("60s", "50ms")
    assert impatient != migrate_module.SQL["be_patient"]
    monkeypatch.setattr(migrate_module, "SQL", {**migrate_module.SQL, "be_patient": impatient})
    conn = await connect(endpoint)
    try:
        async with conn.transaction():
            await conn.execute(migrate_module.SQL["prepare_history"])  # the other has begun, and has the table's lock
            with pytest.raises(DatabaseUnusable, match="another process is migrating this database"):
                await migrate(endpoint)
        assert (await migrate(endpoint)).steps == KNOWN
    finally:
        await conn.close()


async def test_a_step_that_waits_for_a_table_lets_others_pass_and_is_taken_in_the_end(endpoint: Endpoint) -> None:
    await migrate(endpoint)
    reader, other = [await connect(endpoint) for _ in range(2)]
    step = Migration(len(KNOWN) + 1, "more", "alter table headrace.tenant add column more text", "select 1")
    async with reader.transaction():
        await reader.execute("select from headrace.tenant")
        migrating = asyncio.create_task(migrate(endpoint, [*KNOWN, step]))
        await until("the step waits", lambda: waiting(other, "relation"))
        # It would wait behind the step, and the step behind the reader.
        await other.execute("select from headrace.tenant")
        assert not migrating.done()
    assert (await migrating).steps == [step]
    for conn in (reader, other):
        await conn.close()


async def test_a_step_that_never_gets_its_table_ends_with_a_sentence(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    await migrate(endpoint)
    monkeypatch.setattr(migrate_module, "LOCK_SECONDS", (0.05, 0.05))
    reader = await connect(endpoint)
    step = Migration(len(KNOWN) + 1, "more", "alter table headrace.tenant add column more text", "select 1")
    async with reader.transaction():
        await reader.execute("select from headrace.tenant")
        with pytest.raises(DatabaseUnusable, match="other sessions hold the tables that the migration changes"):
            await migrate(endpoint, [*KNOWN, step])
    await reader.close()
    assert len(await applied_migrations(endpoint)) == len(KNOWN)


async def test_live_work_does_not_fail_when_a_step_and_it_wait_for_each_other(endpoint: Endpoint) -> None:
    work, watch = [await connect(endpoint) for _ in range(2)]
    await watch.execute("create table public.first (); create table public.second ()")
    step = Migration(1, "both", "lock table public.first; lock table public.second", "select 1")
    async with work.transaction():
        await work.execute("lock table public.second")
        migrating = asyncio.create_task(migrate(endpoint, [step], []))
        await until("the step waits for the second table", lambda: waiting(watch, "relation"))
        await work.execute("lock table public.first")
    assert await migrating == ([step], [])
    for conn in (work, watch):
        await conn.close()
