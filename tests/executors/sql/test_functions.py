"""Which functions run: found anew each time, by names that are only ever names."""

from __future__ import annotations

import pytest
from tests.executors.sql.bench import DONE, KEEP, SqlBench, error, quoted, result

from headrace.executors.sql import SqlFunction

HOSTILE = (
    'a"b',
    '"',
    "it's",
    "f(); drop table app.kept; --",
    "$1",
    "%I %s",
    "$call$",
    "Grüße 🦊 名前",
    "new\nline",
    "select",
    ".",
    "jsonb)",
    "x" * 63,
    "é" * 31,
)


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_name_is_defined_and_run_as_a_name(sql: SqlBench, name: str) -> None:
    await sql.make(KEEP + DONE, name=name)
    await sql.db.fetchval("select headrace.define_sql_job('hostile', $1)", f"app.{quoted(name)}")
    row = await sql.db.fetchrow(
        "select function_schema, function_name, function_signature from headrace.definition where key = 'hostile'"
    )
    assert row is not None
    function = SqlFunction(*row)
    assert function == SqlFunction("app", name, "(jsonb)")
    assert result(await sql.run(function.name)) == {"message": "done"}
    assert await sql.kept() == ["work"]


async def test_a_name_longer_than_the_server_keeps_means_the_function_it_was_cut_to(sql: SqlBench) -> None:
    await sql.make(DONE, name="y" * 63)
    await sql.db.fetchval("select headrace.define_sql_job('long', $1)", "app." + "y" * 70)
    name = await sql.db.fetchval("select function_name from headrace.definition where key = 'long'")
    assert result(await sql.run(name)) == {"message": "done"}


async def test_a_schema_may_have_a_hostile_name(sql: SqlBench) -> None:
    schema = 'x", app; --'
    await sql.db.execute(f"create schema {quoted(schema)}; grant usage on schema {quoted(schema)} to headrace_sql")
    try:
        await sql.db.execute(
            f"create function {quoted(schema)}.f() returns jsonb language sql as "
            "$$ select jsonb_build_object('success', true, 'message', current_setting('search_path')) $$"
        )
        sql.executor._allowed = frozenset([schema])
        ended = await sql.run(schema=schema, signature="()")
        assert result(ended) == {"message": f"{quoted(schema)}, pg_temp"}
    finally:
        await sql.db.execute(f"drop schema {quoted(schema)} cascade")


async def test_a_function_replaced_since_runs_as_it_is_now(sql: SqlBench) -> None:
    await sql.make("""return '{"success": true, "message": "old"}';""")
    assert result(await sql.run()) == {"message": "old"}
    await sql.db.execute("drop function app.f(jsonb)")
    await sql.make("""return '{"success": true, "message": "new"}';""")
    assert result(await sql.run()) == {"message": "new"}


async def test_a_function_dropped_since_is_a_failure(sql: SqlBench) -> None:
    await sql.make(DONE)
    result(await sql.run())
    await sql.db.execute("drop function app.f(jsonb)")
    assert error(await sql.run()) == "the function app.f(jsonb) cannot be run: the function does not exist"


@pytest.mark.parametrize(
    ("declaration", "problem"),
    [
        ("function app.f(jsonb) returns text language plpgsql as 'begin end'", "it returns text and not jsonb"),
        ("function app.f(jsonb) returns json language plpgsql as 'begin end'", "it returns json and not jsonb"),
        ("function app.f(jsonb) returns setof jsonb language plpgsql as 'begin end'", "it returns a set"),
        ("function app.f(jsonb, out x jsonb) language plpgsql as 'begin end'", "it has OUT arguments"),
        ("function app.f(inout x jsonb) language plpgsql as 'begin end'", "it has OUT arguments"),
        ("procedure app.f(jsonb) language plpgsql as 'begin end'", "it is not a plain function"),
        ("aggregate app.f(jsonb) (sfunc = jsonb_concat, stype = jsonb)", "it is not a plain function"),
        ("function app.f(json) returns jsonb language plpgsql as 'begin end'", "the function does not exist"),
        (
            "function app.f(a jsonb, b int default 1) returns jsonb language plpgsql as 'begin end'",
            "the function does not exist",
        ),
        (
            "function app.f(variadic jsonb[]) returns jsonb language plpgsql as 'begin end'",
            "the function does not exist",
        ),
    ],
)
async def test_what_has_become_something_else_is_a_failure(sql: SqlBench, declaration: str, problem: str) -> None:
    await sql.db.execute(f"create {declaration}")
    assert problem in error(await sql.run())


async def test_a_function_that_the_role_may_not_execute_is_a_failure(sql: SqlBench) -> None:
    await sql.make(KEEP + DONE)
    await sql.db.execute("revoke execute on function app.f(jsonb) from public")
    assert error(await sql.run()).endswith("role headrace_sql may not EXECUTE it")
    await sql.db.execute(
        "grant execute on function app.f(jsonb) to headrace_sql; revoke usage on schema app from headrace_sql"
    )
    assert error(await sql.run()).endswith("role headrace_sql has no USAGE on its schema")


async def test_a_schema_that_this_worker_does_not_allow_is_a_failure(sql: SqlBench) -> None:
    ended = await sql.run("now", schema="pg_catalog", signature="()")
    assert "schema pg_catalog is not one of sql.allowed_schemas (app)" in error(ended)


@pytest.mark.parametrize(
    "escape",
    [
        "reset role",
        "set role headrace",
        "set session authorization headrace",
        "reset session authorization",
        "perform set_config('role', 'headrace', true)",
        "perform set_config('session_authorization', 'headrace', false)",
        "alter role headrace_sql superuser",
        "grant headrace to headrace_sql",
    ],
)
async def test_no_function_becomes_the_owner(sql: SqlBench, escape: str) -> None:
    await sql.make(
        f"begin {escape}; exception when others then raise notice '%', sqlstate; end; "
        "return jsonb_build_object('success', true, 'message', concat_ws(' ', session_user, current_user));"
    )
    assert result(await sql.run()) == {"message": "headrace_sql headrace_sql"}
    await sql.make(f"begin {escape}; exception when others then null; end; perform count(*) from headrace.job; {DONE}")
    assert error(await sql.run()) == "SQLSTATE 42501: permission denied for schema headrace"


async def test_a_function_cannot_end_its_own_transaction(sql: SqlBench) -> None:
    await sql.make(KEEP + "commit;" + DONE)
    assert error(await sql.run()).startswith("SQLSTATE 2D000: ")
    assert await sql.kept() == []


async def test_a_temporary_table_does_not_stand_in_for_one_of_the_schema(sql: SqlBench) -> None:
    await sql.make("create temp table kept (what text); insert into kept values ('real');" + DONE)
    result(await sql.run())
    assert await sql.kept() == ["real"]
