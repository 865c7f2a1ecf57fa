"""What a function returns decides: its work is kept, or not, and the attempt succeeds or fails."""

from __future__ import annotations

import json

import pytest
from tests.executors.sql.bench import DONE, KEEP, SqlBench, error, result

from headrace.executors.sql import SqlExecutor, SqlFunction
from headrace.model.job.outcome import Failed


async def test_a_success_is_committed_and_its_message_and_details_are_the_result(sql: SqlBench) -> None:
    await sql.make(
        KEEP
        + """return jsonb_build_object('success', true, 'message', 'hello ' || (payload ->> 'name'), 'more', 1,
                  'details', jsonb_build_object('n', 0.12345678901234567890123, 'large', 1e30));"""
    )
    ended = await sql.run(payload='{"name": "wörld"}')
    assert result(ended)["message"] == "hello wörld"
    assert '"n": 0.12345678901234567890123' in str(ended.outcome)
    assert set(result(ended)) == {"message", "details"}
    assert await sql.kept() == ["work"]


async def test_a_function_may_take_nothing(sql: SqlBench) -> None:
    await sql.make(DONE, takes="")
    assert result(await sql.run(signature="()")) == {"message": "done"}


async def test_of_two_functions_the_one_with_the_right_signature_runs(sql: SqlBench) -> None:
    await sql.make("""return '{"success": true, "message": "nothing"}';""", takes="")
    await sql.make("""return '{"success": true, "message": "jsonb"}';""")
    assert result(await sql.run(signature="()")) == {"message": "nothing"}
    assert result(await sql.run(signature="(jsonb)")) == {"message": "jsonb"}


async def test_a_function_that_only_computes_is_called_once(sql: SqlBench) -> None:
    await sql.db.execute(
        "create function app.f() returns jsonb language plpgsql immutable as"
        """ $$ begin raise notice 'called'; return '{"success": true, "message": "m"}'; end $$"""
    )
    assert result(await sql.run(signature="()")) == {"message": "m"}
    assert sql.notices == [("NOTICE", "called")]


async def test_a_failure_takes_its_work_back(sql: SqlBench) -> None:
    await sql.make(KEEP + """return '{"success": false, "message": "no stock", "details": {"left": 0}}';""")
    ended = await sql.run()
    assert error(ended) == "no stock"
    assert not ended.committed
    assert json.loads(ended.answer or "") == {"message": "no stock", "details": {"left": 0}}
    assert await sql.kept() == []


async def test_a_failure_that_says_commit_keeps_its_work(sql: SqlBench) -> None:
    await sql.make(KEEP + """return '{"success": false, "message": "half", "commit": true}';""")
    ended = await sql.run()
    assert error(ended) == "half"
    assert ended.committed
    assert await sql.kept() == ["work"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("null", "it returned null"),
        ("'null'", "it returned a JSON null"),
        ("'[]'", "it returned a JSON array"),
        ("'{}'", '"success" is not true or false'),
        ("""'{"success": "yes", "message": "m"}'""", '"success" is not true or false'),
        ("""'{"success": null, "message": "m"}'""", '"success" is not true or false'),
        ("""'{"success": true}'""", '"message" is not a text'),
        ("""'{"success": true, "message": 1}'""", '"message" is not a text'),
        ("""'{"success": true, "message": "m", "details": [1]}'""", '"details" is not an object'),
        ("""'{"success": false, "message": "m", "commit": "yes"}'""", '"commit" is not true or false'),
    ],
)
async def test_another_shape_is_a_failure_that_says_what_is_wrong(sql: SqlBench, answer: str, problem: str) -> None:
    await sql.make(f"{KEEP} return {answer};")
    assert problem in error(await sql.run())
    assert await sql.kept() == []


async def test_an_exception_is_a_failure_with_its_sqlstate_and_place_but_without_values(sql: SqlBench) -> None:
    await sql.db.execute("create unique index on app.kept (what)")
    await sql.make("execute format('insert into app.kept values (%L)', payload ->> 'token');" * 2)
    ended = await sql.run(payload='{"token": "hunter2"}')
    assert error(ended) == 'SQLSTATE 23505: duplicate key value violates unique constraint "kept_what_idx"'
    assert ended.sqlstate == "23505"
    assert ended.outcome == Failed(error(ended), "PL/pgSQL function f(jsonb) line 1 at EXECUTE")
    assert "hunter2" not in str(ended)
    assert await sql.kept() == []


async def test_a_nul_is_a_failure_with_its_sqlstate(sql: SqlBench) -> None:
    await sql.make("return jsonb_build_object('success', true, 'message', chr(0));")
    assert error(await sql.run()).startswith("SQLSTATE 54000: ")
    await sql.make("""return '{"success": true, "message": "\\u0000"}'::jsonb;""")
    assert error(await sql.run()).startswith("SQLSTATE 22P05: ")


async def test_what_fails_only_at_commit_is_a_failure(sql: SqlBench) -> None:
    await sql.db.execute("alter table app.kept add constraint alone unique (what) deferrable initially deferred")
    await sql.make(KEEP + KEEP + DONE)
    ended = await sql.run()
    assert ended.sqlstate == "23505"
    assert not ended.committed
    assert await sql.kept() == []


async def test_a_result_too_large_to_store_is_refused_before_the_commit(sql: SqlBench) -> None:
    await sql.make(KEEP + "return jsonb_build_object('success', true, 'message', repeat('x', 50 * 1024 * 1024));")
    assert error(await sql.run()) == "the result cannot be stored: it has 52,428,815 bytes (at most 1,000,000)"
    assert await sql.kept() == []


async def test_a_payload_that_is_no_json_is_a_failure(sql: SqlBench) -> None:
    await sql.make(DONE)
    assert error(await sql.run(payload="{")).startswith("SQLSTATE 22P02: ")


async def test_nothing_of_a_session_reaches_the_next_call(sql: SqlBench) -> None:
    await sql.make(
        "perform set_config('work_mem', '77kB', false), pg_advisory_lock(7); create temp table left_over (); listen x; "
        f"raise notice '%', pg_backend_pid(); {DONE}"
    )
    result(await sql.run())
    await sql.make(
        "raise notice '%', pg_backend_pid(); return jsonb_build_object('success', true, 'message', concat_ws(' ',"
        "current_setting('work_mem'), to_regclass('left_over'), array(select pg_listening_channels()),"
        "(select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid())))"
        ";"
    )
    default = await sql.db.fetchval("show work_mem")
    assert result(await sql.run()) == {"message": f"{default} {{}} 0"}
    assert sql.notices[0] == sql.notices[1], "the connection was used again"


async def test_a_session_that_was_cut_while_idle_is_replaced(sql: SqlBench) -> None:
    await sql.make(DONE)
    result(await sql.run())
    await sql.signal("pg_terminate_backend")
    assert result(await sql.run()) == {"message": "done"}


async def test_a_server_that_does_not_let_the_role_in_is_a_failure_without_the_password(sql: SqlBench) -> None:
    executor = SqlExecutor(sql.url.replace("headrace_sql@", "nobody_at_all:hunter2@"))
    ended = await executor.run(
        SqlFunction("app", "f", "()"), "{}", timeout=1, kill_grace=1, on_notice=lambda _severity, _message: None
    )
    assert 'role "nobody_at_all" does not exist' in error(ended)
    assert "hunter2" not in error(ended)
    await executor.close()
