"""A call that takes too long, or is not wanted any more, is ended, whatever the function does about it."""

from __future__ import annotations

import asyncio

import pytest
from tests.executors.sql.bench import DONE, KEEP, SWALLOW, SqlBench, error, result, timeout_text
from tests.waiting import until

from headrace.executors.sql.control import Backend, Control

SLEEP = f"{KEEP} raise notice 'runs'; perform pg_sleep(60); {DONE}"
STUBBORN = f"{KEEP} raise notice 'runs'; {SWALLOW} {DONE}"


async def nothing_is_left(sql: SqlBench) -> bool:
    return await sql.calls() == 0 and await sql.kept() == []


async def test_a_function_that_sleeps_past_its_timeout_is_cancelled(sql: SqlBench) -> None:
    await sql.make(SLEEP)
    assert timeout_text(await sql.run(timeout=0.2, kill_grace=30)) == "timed out after 0.2 s"
    assert await nothing_is_left(sql)


async def test_a_function_that_swallows_the_cancel_in_a_loop_is_ended_after_the_grace(sql: SqlBench) -> None:
    await sql.make(STUBBORN)
    ended = await sql.run(timeout=0.2, kill_grace=0.3)
    assert timeout_text(ended).startswith("timed out after 0.2 s")
    assert await nothing_is_left(sql)


async def test_setting_the_timeouts_to_zero_inside_does_not_disarm_them(sql: SqlBench) -> None:
    disarm = (
        "perform set_config('statement_timeout', '0', true), set_config('client_connection_check_interval', '0', true);"
    )
    if sql.major >= 17:
        disarm += "perform set_config('transaction_timeout', '0', true);"
    await sql.make(disarm + SLEEP)
    timeout_text(await sql.run(timeout=0.2, kill_grace=30))
    await sql.make(disarm + STUBBORN)
    timeout_text(await sql.run(timeout=0.2, kill_grace=0.2))
    assert await nothing_is_left(sql)


async def test_a_success_that_comes_after_the_timeout_is_not_kept(sql: SqlBench) -> None:
    await sql.make(f"{KEEP} begin perform pg_sleep(60); exception when query_canceled then null; end; {DONE}")
    timeout_text(await sql.run(timeout=0.2, kill_grace=30))
    assert await nothing_is_left(sql)


@pytest.mark.parametrize("body", [SLEEP, STUBBORN])
async def test_a_cancelled_run_returns_when_its_backend_is_gone(sql: SqlBench, body: str) -> None:
    await sql.make(body)
    task = await sql.begin(timeout=None)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await nothing_is_left(sql)


async def test_a_second_cancellation_does_not_wait_for_the_grace(sql: SqlBench) -> None:
    await sql.make(STUBBORN)
    task = await sql.begin(timeout=None, kill_grace=3600)
    task.cancel()
    await until("the first has been taken", lambda: any(call.stopped for call in sql.executor._calls))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await nothing_is_left(sql)


async def test_a_run_cancelled_before_it_has_a_place_never_starts(sql: SqlBench) -> None:
    await sql.make(SLEEP)
    running = [await sql.begin(timeout=None)]
    running += [asyncio.create_task(sql.run(timeout=None)) for _ in range(4)]
    await until("four run", lambda: len(sql.notices) == 4)
    assert await sql.calls() == 4
    for task in reversed(running):
        task.cancel()
    assert [type(end) for end in await asyncio.gather(*running, return_exceptions=True)] == [asyncio.CancelledError] * 5
    assert await nothing_is_left(sql)


async def test_work_committed_when_the_cancellation_comes_is_a_success(sql: SqlBench) -> None:
    await sql.db.execute(
        "create function app.slowly() returns trigger language plpgsql as"
        " $$ begin raise notice 'commits'; perform pg_advisory_xact_lock(11); return null; exception"
        " when query_canceled then return null; end $$;"
        "create constraint trigger slowly after insert on app.kept deferrable initially deferred"
        " for each row execute function app.slowly()"
    )
    await sql.make(KEEP + DONE)
    await sql.db.execute("select pg_advisory_lock(11)")
    task = await sql.begin(timeout=None, kill_grace=30)
    task.cancel()
    assert result(await task) == {"message": "done"}
    assert await sql.kept() == ["work"]
    await sql.db.execute("select pg_advisory_unlock(11)")


async def test_a_cancel_by_somebody_else_is_a_failure_and_no_timeout(sql: SqlBench) -> None:
    await sql.make(SLEEP)
    task = await sql.begin()
    await sql.signal("pg_cancel_backend")
    assert error(await task).startswith("SQLSTATE 57014: ")
    assert await nothing_is_left(sql)


async def test_a_session_ended_by_somebody_else_is_a_failure(sql: SqlBench) -> None:
    await sql.make(SLEEP)
    task = await sql.begin()
    await sql.signal("pg_terminate_backend")
    assert error(await task).startswith(
        ("SQLSTATE 57P01: ", "the connection to PostgreSQL was lost: nothing was committed")
    )
    await sql.make(DONE)
    assert result(await sql.run()) == {"message": "done"}


async def test_closing_ends_what_runs(sql: SqlBench) -> None:
    await sql.make(STUBBORN)
    task = await sql.begin(timeout=None)
    await sql.executor.close()
    error(await task)
    assert await nothing_is_left(sql)
    assert "the worker is closing" in error(await sql.run())


async def test_only_the_session_that_was_meant_is_ended(sql: SqlBench) -> None:
    await sql.make(SLEEP)
    task = await sql.begin(timeout=None)
    (call,) = sql.executor._calls
    control = Control(sql.executor._endpoint)
    earlier = Backend(call.backend.pid, call.backend.started.replace(year=2000))
    await control.cancel(earlier)
    await control.terminate(earlier)
    assert await sql.calls() == 1
    await control.terminate(call.backend)
    assert await sql.calls() == 0
    await control.close()
    error(await task)
