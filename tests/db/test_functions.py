"""Functions by checksum: a file whose text changed is replaced as a whole, while other sessions are at work."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from tests.waiting import until

import headrace
from headrace.db.connect import Connection, Endpoint
from headrace.db.function_files import FunctionFile, read_function_files
from headrace.db.migrate import Migration, migrate, read_migrations, rollback

STEPS = read_migrations()
FILES = read_function_files()
FUNCTIONS = [file for file in FILES if file.kind == "functions"]
OTHERS = [file for file in FILES if file.kind != "functions"]
HELLO = FunctionFile(
    "hello", "create or replace function headrace.hello() returns text language sql as $$ select 'one' $$;"
)
MORE = Migration(len(STEPS) + 1, "more", "create table headrace.more ()", "drop table headrace.more")


@pytest.fixture
def endpoint(empty_database_url: str) -> Endpoint:
    return Endpoint(empty_database_url)


@pytest.fixture
async def conn(endpoint: Endpoint) -> AsyncIterator[Connection]:
    connection = await endpoint.connect("test")
    yield connection
    await connection.close()


def changed(file: FunctionFile, old: str, new: str) -> FunctionFile:
    assert old in file.text
    return replace(file, text=file.text.replace(old, new))


def named(name: str) -> FunctionFile:
    return next(file for file in FILES if file.name == name)


def with_file(changed: FunctionFile) -> list[FunctionFile]:
    return [changed if file.name == changed.name else file for file in FILES]


async def test_only_a_file_whose_text_changed_is_applied(endpoint: Endpoint, conn: Connection) -> None:
    first = await migrate(endpoint, functions=[*FILES, HELLO])
    assert first.replaced == [file.name for file in [*FILES, HELLO]]
    assert (await migrate(endpoint, functions=[*FILES, HELLO])).replaced == []
    other = changed(HELLO, "one", "two")
    assert (await migrate(endpoint, functions=[*FILES, other])).replaced == ["hello"]
    assert await conn.fetchval("select headrace.hello()") == "two"


async def test_a_file_that_this_version_does_not_know_is_left_alone(endpoint: Endpoint, conn: Connection) -> None:
    await migrate(endpoint, functions=[*FILES, HELLO])
    assert (await migrate(endpoint)).replaced == []
    assert await conn.fetchval("select headrace.hello()") == "one"


async def test_functions_come_with_the_last_step_and_not_before(endpoint: Endpoint, conn: Connection) -> None:
    await migrate(endpoint)
    second = replace(MORE, number=MORE.number + 1, name="same", up="select pg_sleep(0)", down="select 1")
    look = "create table headrace.seen as select to_regproc('headrace.hello') is not null as hello"
    seen = replace(MORE, up=look, down="drop table headrace.seen")
    taken = await migrate(endpoint, [*STEPS, seen, second], [*FILES, HELLO])
    assert (taken.steps, taken.replaced) == ([seen, second], ["hello"])
    assert await conn.fetchval("select hello from headrace.seen") is False
    assert await conn.fetchval("select headrace.hello()") == "one"


async def test_a_changed_result_type_fails_and_takes_the_last_step_back_with_it(
    endpoint: Endpoint, conn: Connection
) -> None:
    await migrate(endpoint, functions=[*FILES, HELLO])
    other_result = changed(changed(HELLO, "returns text", "returns int"), "'one'", "1")
    with pytest.raises(asyncpg.InvalidFunctionDefinitionError, match="cannot change return type"):
        await migrate(endpoint, [*STEPS, MORE], [*FILES, other_result])
    assert await conn.fetchval("select to_regclass('headrace.more')") is None
    assert await conn.fetchval("select headrace.hello()") == "one"


async def test_a_view_gains_a_column_and_keeps_the_rights_that_were_given_on_it(
    endpoint: Endpoint, conn: Connection
) -> None:
    await migrate(endpoint)
    await conn.execute("grant select on headrace.queue_depth to pg_monitor")
    view = changed(named("view queue_depth"), "as oldest\n", "as oldest, max(waiting.queued_at) as newest\n")
    assert (await migrate(endpoint, functions=with_file(view))).replaced == ["view queue_depth"]
    await conn.execute("select newest from headrace.queue_depth")
    for role in ("pg_monitor", "headrace_tenant"):
        assert await conn.fetchval("select has_table_privilege($1, 'headrace.queue_depth', 'select')", role)


async def test_a_step_that_drops_a_view_forgets_its_file_and_so_the_view_comes_back(
    endpoint: Endpoint, conn: Connection
) -> None:
    await migrate(endpoint)
    drops = "drop view headrace.queue_depth; delete from headrace.function_file where name = 'view queue_depth'"
    taken = await migrate(endpoint, [*STEPS, replace(MORE, up=drops, down="select 1")])
    assert taken.replaced == ["view queue_depth"]
    assert await conn.fetchval("select has_table_privilege('headrace_tenant', 'headrace.queue_depth', 'select')")


async def test_the_older_version_puts_its_functions_back_after_a_rollback(endpoint: Endpoint, conn: Connection) -> None:
    await migrate(endpoint, functions=[*FILES, HELLO])
    newer = changed(HELLO, "one", "two")
    await migrate(endpoint, [*STEPS, MORE], [*FILES, newer])
    assert await rollback(endpoint, migrations=[*STEPS, MORE]) == [MORE]
    assert await conn.fetchval("select headrace.hello()") == "two"
    assert (await migrate(endpoint, functions=[*FILES, HELLO])).replaced == ["hello"]
    assert await conn.fetchval("select headrace.hello()") == "one"


async def test_the_order_of_function_files_is_free(endpoint: Endpoint) -> None:
    await migrate(endpoint, functions=[*reversed(FUNCTIONS), *OTHERS])


async def test_a_trigger_is_replaced_in_its_own_transaction_and_lets_live_work_pass(
    endpoint: Endpoint, conn: Connection
) -> None:
    await migrate(endpoint)
    trigger = named("trigger count_enqueued on queue")
    other = replace(trigger, text=trigger.text + "\n-- changed")
    step = replace(MORE, up="lock table headrace.worker", down="select 1")
    async with conn.transaction():
        await conn.execute("lock table headrace.queue in row exclusive mode")
        migrating = asyncio.create_task(migrate(endpoint, [*STEPS, step], with_file(other)))
        await until("the step is taken", lambda: is_taken(conn, step.number))
        # Were both one transaction, this would be a deadlock.
        await conn.execute("select from headrace.worker")
    assert (await migrating).replaced == ["trigger count_enqueued on queue"]


async def is_taken(conn: Connection, number: int) -> bool:
    return bool(await conn.fetchval("select exists (select from headrace.migration where number = $1)", number))


async def test_migrations_at_once_apply_each_file_once(endpoint: Endpoint) -> None:
    done = await asyncio.gather(*(migrate(endpoint) for _ in range(4)))
    assert sorted(name for one in done for name in one.replaced) == sorted(file.name for file in FILES)


async def test_functions_are_replaced_while_a_transaction_that_called_them_is_open(
    endpoint: Endpoint, conn: Connection
) -> None:
    await migrate(endpoint)
    await conn.execute("insert into headrace.definition (key, kind, app, hash) values ('work', 'python', 'a', '')")
    async with conn.transaction():
        await conn.fetchval("select headrace.enqueue('work')")
        other = [replace(file, text=file.text + "\n-- changed\n") for file in FUNCTIONS]
        async with asyncio.timeout(10):
            assert len((await migrate(endpoint, functions=[*other, *OTHERS])).replaced) == len(FUNCTIONS)
        await conn.fetchval("select headrace.enqueue('work')")
    assert await conn.fetchval("select count(*) from headrace.queue") == 2


async def test_what_the_table_of_rights_says_now_is_granted_and_what_it_said_before_is_taken(
    endpoint: Endpoint, conn: Connection
) -> None:
    await migrate(endpoint)
    before = "('rollup_turn',          'r',    '-',    '-',    'rw',   'rw',   'r'),"
    after = "('rollup_turn',          '-',    '-',    'r',    'rw',   'rw',   'r'),"
    assert (await migrate(endpoint, functions=with_file(changed(named("grants"), before, after)))).replaced == [
        "grants"
    ]
    holders = "select has_table_privilege($1, 'headrace.rollup_turn', 'select')"
    assert not await conn.fetchval(holders, "headrace_tenant")
    assert await conn.fetchval(holders, "headrace_integrator")


async def test_bodies_are_valid_once_all_are_there(connection: Connection) -> None:
    async with connection.transaction():
        await connection.execute("set local check_function_bodies = on")
        for file in FILES:
            await connection.execute(file.text)


async def test_no_two_functions_have_one_name(connection: Connection) -> None:
    """Other arguments would make a second function of that name, and calls ambiguous: the function takes a new name."""
    names = await connection.fetch("select proname::text from pg_proc where pronamespace = 'headrace'::regnamespace")
    assert [name for name, n in Counter(row[0] for row in names).items() if n > 1] == []


async def test_nothing_stored_leans_on_a_function_that_is_replaced(connection: Connection) -> None:
    """Functions of indexes, generated columns, defaults, policies and aggregates stand in the schema."""
    leans = await connection.fetch(
        "select distinct p.proname::text from pg_depend as d"
        "  join pg_proc as p on p.oid = d.refobjid and d.refclassid = 'pg_proc'::regclass"
        " where p.pronamespace = 'headrace'::regnamespace and d.classid <> 'pg_trigger'::regclass"
    )
    assert len(leans) >= 5
    assert {row[0] for row in leans} & {name for file in FILES for _, name in created(file.text)} == set()


async def test_each_function_view_and_trigger_is_created_in_one_file(connection: Connection) -> None:
    texts = [*(step.up for step in STEPS), *(file.text for file in FILES)]
    made = sorted(one for text in texts for one in created(text))
    found = await connection.fetch(
        "select case prokind when 'a' then 'aggregate' else 'function' end, proname::text from pg_proc"
        " where pronamespace = 'headrace'::regnamespace"
        " union all select 'view', relname::text from pg_class"
        " where relnamespace = 'headrace'::regnamespace and relkind = 'v'"
        " union all select 'trigger', tgname || ' on ' || relname from pg_trigger join pg_class as c on c.oid = tgrelid"
        " where c.relnamespace = 'headrace'::regnamespace and not tgisinternal and not c.relispartition"
    )
    assert made == sorted(tuple(row) for row in found)
    assert [file.name for file in OTHERS] == [f"{kind} {name}" for file in OTHERS for kind, name in created(file.text)]


def test_jobs_are_inserted_in_one_file() -> None:
    source = Path(headrace.__file__).parent
    texts = [(path.name, path.read_text("utf-8")) for path in [*source.rglob("*.sql"), *source.rglob("*.py")]]
    assert {name for name, text in texts if re.search(r"insert into headrace\.(queue|job)\b", text)} == {
        "insert_jobs.sql"
    }


def created(text: str) -> list[tuple[str, str]]:
    found = re.findall(r"^create (?:or replace )?(function|aggregate|view) headrace\.(\w+)", text, re.MULTILINE)
    triggers = re.findall(r"^create or replace trigger (\w+)[^;]*?\son headrace\.(\w+)", text, re.MULTILINE)
    return [*found, *(("trigger", f"{name} on {table}") for name, table in triggers)]
