"""`headrace.define_sql_job`: one existing function, checked, kept as text."""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import pytest
from tests.executors.sql.bench import DONE, SqlBench, quoted

from headrace.db.sqlstate import translate
from headrace.errors import BadRequest, Conflict, NotFound


async def define(sql: SqlBench, key: str | None, function: str | None, **options: Any) -> Any:
    named = "".join(f", {name} => ${n}" for n, name in enumerate(options, 3))
    return await sql.db.fetchval(f"select headrace.define_sql_job($1, $2{named})", key, function, *options.values())


async def definition(sql: SqlBench, key: str = "k") -> Any:
    return await sql.db.fetchrow("select * from headrace.definition where key = $1", key)


async def refusal(sql: SqlBench, key: str | None, function: str | None, **options: Any) -> tuple[str, str, str]:
    with pytest.raises(asyncpg.PostgresError) as refused:
        await define(sql, key, function, **options)
    error: Any = refused.value
    return error.sqlstate, error.message, error.hint or ""


async def test_a_definition_names_its_function_as_text_and_has_a_lane(sql: SqlBench) -> None:
    await sql.make(DONE)
    await define(sql, "k", "app.f", description="does f", timeout_seconds=1.5, max_attempts=7)
    row = await definition(sql)
    assert (row["kind"], row["app"], row["description"]) == ("sql", "sql", "does f")
    assert (row["function_schema"], row["function_name"], row["function_signature"]) == ("app", "f", "(jsonb)")
    assert (row["timeout_seconds"], row["max_attempts"]) == (1.5, 7)
    assert await sql.db.fetchval("select count(*) from headrace.lane where definition_id = $1", row["id"]) == 1
    assert await sql.db.fetchval("select headrace.enqueue('k')")


async def test_it_can_be_called_by_position_with_a_key_and_a_function_only(sql: SqlBench) -> None:
    await sql.make(DONE)
    first = await sql.db.fetchval("select headrace.define_sql_job('k', 'app.f')")
    row = await definition(sql)
    assert (row["description"], row["timeout_seconds"], row["max_attempts"]) == ("", None, 4)
    assert first == await sql.db.fetchval("select headrace.define_sql_job('k', 'app.f', 'other', 3, 4)")
    assert first != await sql.db.fetchval("select headrace.define_sql_job('l', 'app.f')")


async def test_called_again_it_changes_the_definition_but_not_what_an_operator_set(sql: SqlBench) -> None:
    await sql.make(DONE)
    await sql.make(DONE, name="g", takes="")
    await define(sql, "k", "app.f", max_attempts=5, timeout_seconds=1.0)
    before = await definition(sql)
    await define(sql, "k", "app.f", max_attempts=5, timeout_seconds=1.0)
    assert (await definition(sql))["hash"] == before["hash"]
    await sql.db.execute("update headrace.definition set timeout_seconds = 99 where key = 'k'")
    await define(sql, "k", "app.g", max_attempts=6, timeout_seconds=2.0)
    row = await definition(sql)
    assert row["id"] == before["id"]
    assert row["hash"] != before["hash"]
    assert (row["function_name"], row["function_signature"]) == ("g", "()")
    assert (row["max_attempts"], row["timeout_seconds"]) == (6, 99)


async def test_any_setting_can_be_said_and_one_that_is_left_out_has_its_default(sql: SqlBench) -> None:
    await sql.make(DONE)
    settings = {"queue": "slow", "rate_limit": 5, "timeout_seconds": 3, "retention_count": 7}
    await define(sql, "k", "app.f", settings=json.dumps(settings))
    row = await definition(sql)
    assert {name: row[name] for name in settings} == settings
    await sql.db.execute("update headrace.definition set rate_limit = 9 where key = 'k'")
    await define(sql, "k", "app.f")
    row = await definition(sql)
    assert [row[name] for name in settings] == ["default", 9, None, None]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"colour": "red"}, "unknown setting colour"),
        ({"priority": 1001}, "definition_priority_check"),
        ({"priority": "high"}, "invalid input syntax"),
        ({"priority": None}, "null value"),
        ({"rate_burst": 2}, "burst_needs_a_rate"),
    ],
)
async def test_a_setting_that_the_table_does_not_take_is_refused(
    sql: SqlBench, settings: dict[str, Any], problem: str
) -> None:
    await sql.make(DONE)
    state, message, _ = await refusal(sql, "k", "app.f", settings=json.dumps(settings))
    assert (state, problem in message) == ("HR400", True), message


@pytest.mark.parametrize(
    "text", ["f", "F", "app.f", ' "app" . "f" ', "app.f(jsonb)", "app.f ( JSONB )", "f(pg_catalog.jsonb)"]
)
async def test_a_function_is_named_as_in_sql(sql: SqlBench, text: str) -> None:
    await sql.make(DONE)
    await define(sql, "k", text)
    row = await definition(sql)
    assert (row["function_schema"], row["function_name"], row["function_signature"]) == ("app", "f", "(jsonb)")


async def test_a_name_without_schema_is_looked_for_in_the_allowed_ones_and_not_in_the_callers(sql: SqlBench) -> None:
    await sql.db.execute("create schema elsewhere; create function elsewhere.f() returns jsonb return '{}'::jsonb")
    try:
        await sql.db.execute("set search_path = elsewhere")
        state, _, hint = await refusal(sql, "k", "f")
        assert (state, hint) == ("HR404", "Create the function first, in one of the allowed schemas: app, public.")
        await sql.make(DONE)
        await define(sql, "k", "f")
        assert (await definition(sql))["function_schema"] == "app"
    finally:
        await sql.db.execute("drop schema elsewhere cascade; reset search_path")


async def test_of_two_functions_one_must_be_said(sql: SqlBench) -> None:
    await sql.make(DONE)
    await sql.make(DONE, takes="")
    state, message, hint = await refusal(sql, "k", "app.f")
    assert (state, message) == ("HR409", 'there are two functions "f": one takes nothing, one takes jsonb')
    assert hint == "Name the arguments: app.f() or app.f(jsonb)."
    for signature in ("()", "(jsonb)"):
        await define(sql, "k", f"app.f{signature}")
        assert (await definition(sql))["function_signature"] == signature


@pytest.mark.parametrize("text", [None, "", "a.b.c", "f(int)", "f; drop table x", '"f', "f('", "f()()", "1f"])
async def test_what_names_no_function_is_refused(sql: SqlBench, text: str | None) -> None:
    state, message, _ = await refusal(sql, "k", text)
    assert state == "HR400"
    assert "does not name a function" in message


async def test_a_function_that_is_not_there_is_refused_with_what_is(sql: SqlBench) -> None:
    assert (await refusal(sql, "k", "app.f"))[0] == "HR404"
    await sql.make(DONE, takes="n int")
    state, message, hint = await refusal(sql, "k", "app.f")
    assert (state, message) == ("HR404", 'unknown function "f" that takes () or (jsonb)')
    assert hint == "Known: app.f(integer)."


@pytest.mark.parametrize("function", ["pg_catalog.now", "headrace.enqueue", "information_schema.x", "pg_temp.f"])
async def test_a_schema_that_is_not_allowed_is_refused(sql: SqlBench, function: str) -> None:
    state, message, hint = await refusal(sql, "k", function)
    assert state == "HR400"
    assert "may not be run as jobs" in message
    assert hint == "Allowed: app, public. An operator may change headrace.sql_setting."


@pytest.mark.parametrize("schema", ["headrace", "pg_catalog", "pg_temp", None])
async def test_the_systems_own_schemas_cannot_be_allowed(sql: SqlBench, schema: str | None) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await sql.db.execute("update headrace.sql_setting set allowed_schemas = array[$1::text]", schema)
    with pytest.raises(asyncpg.UniqueViolationError):
        await sql.db.execute("insert into headrace.sql_setting default values")


@pytest.mark.parametrize(
    ("declaration", "problem"),
    [
        ("function app.f() returns text language plpgsql as 'begin end'", "it returns text"),
        ("function app.f() returns setof jsonb language plpgsql as 'begin end'", "it returns a set"),
        ("function app.f(out x jsonb) language plpgsql as 'begin end'", "it has OUT arguments"),
        ("procedure app.f() language plpgsql as 'begin end'", "it is a procedure"),
        ("aggregate app.f(jsonb) (sfunc = jsonb_concat, stype = jsonb)", "it is an aggregate"),
    ],
)
async def test_what_is_no_plain_function_of_jsonb_is_refused(sql: SqlBench, declaration: str, problem: str) -> None:
    await sql.db.execute(f"create {declaration}")
    state, message, _ = await refusal(sql, "k", "app.f")
    assert state == "HR400"
    assert message.endswith(problem)


@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("", {}),
        (None, {}),
        ("no spaces", {}),
        ("k", {"max_attempts": 0}),
        ("k", {"max_attempts": 1001}),
        ("k", {"timeout_seconds": 0.0}),
        ("k", {"timeout_seconds": float("inf")}),
        ("k", {"timeout_seconds": float("nan")}),
    ],
)
async def test_what_is_out_of_range_is_refused(sql: SqlBench, key: str | None, options: dict[str, Any]) -> None:
    await sql.make(DONE)
    assert (await refusal(sql, key, "app.f", **options))[0] == "HR400"


async def test_a_key_of_another_kind_is_refused_until_it_has_left_the_code(sql: SqlBench) -> None:
    await sql.make(DONE)
    await sql.db.execute("insert into headrace.definition (key, kind, app, hash) values ('k', 'python', 'shop', '-')")
    state, message, _ = await refusal(sql, "k", "app.f")
    assert (state, message) == ("HR409", 'definition "k" is a python job of app "shop"')
    with pytest.raises(asyncpg.PostgresError, match='definition "k" is a python job'):
        await sql.db.execute("select headrace.undefine_sql_job('k')")
    await sql.db.execute("update headrace.definition set deleted_from_code_at = now() where key = 'k'")
    await define(sql, "k", "app.f")
    assert (await definition(sql))["kind"] == "sql"


async def test_an_undefined_job_is_accepted_no_more_until_it_is_defined_again(sql: SqlBench) -> None:
    await sql.make(DONE)
    await define(sql, "k", "app.f")
    assert await sql.db.fetchval("select headrace.undefine_sql_job('k')") is True
    assert await sql.db.fetchval("select headrace.undefine_sql_job('k')") is False
    assert await sql.db.fetchval("select headrace.undefine_sql_job('unknown')") is False
    with pytest.raises(asyncpg.PostgresError, match="was removed from the code"):
        await sql.db.execute("select headrace.enqueue('k')")
    await define(sql, "k", "app.f")
    assert await sql.db.fetchval("select headrace.enqueue('k')")


async def test_the_function_is_there_exactly_for_sql_definitions(sql: SqlBench) -> None:
    for columns, values in [
        ("key, kind, app, hash", "'x', 'sql', 'a', '-'"),
        ("key, kind, app, hash, function_schema, function_name", "'x', 'sql', 'a', '-', 'app', 'f'"),
        ("key, kind, app, hash, function_schema", "'x', 'python', 'a', '-', 'app'"),
    ]:
        with pytest.raises(asyncpg.CheckViolationError, match="function_exactly_for_sql"):
            await sql.db.execute(f"insert into headrace.definition ({columns}) values ({values})")


async def test_the_refusals_are_our_errors_in_python(sql: SqlBench) -> None:
    await sql.make(DONE)
    await sql.make(DONE, takes="")
    expected = {"app.f": Conflict, "app.g": NotFound, "a.b.c": BadRequest, quoted("app") + "." + quoted("F"): NotFound}
    for text, kind in expected.items():
        with pytest.raises(asyncpg.PostgresError) as refused:
            await define(sql, "k", text)
        assert type(translate(refused.value)) is kind
