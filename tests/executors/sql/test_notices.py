"""What a function says is heard at once, whatever becomes of its work, and does not take the loop."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from tests.executors.sql.bench import DONE, SqlBench, error, result
from tests.waiting import PATIENCE, until

FLOOD = 100_000


async def test_messages_are_heard_while_the_function_runs_and_outlive_its_rollback(sql: SqlBench) -> None:
    await sql.make(
        "raise notice 'first'; perform pg_advisory_xact_lock(12); raise warning 'second'; raise info 'third';"
        "raise debug 'not asked for'; raise exception 'and out';"
    )
    await sql.db.execute("select pg_advisory_lock(12)")
    task = await sql.begin()
    assert sql.notices == [("NOTICE", "first")]
    await sql.db.execute("select pg_advisory_unlock(12)")
    assert error(await task) == "SQLSTATE P0001: and out"
    assert sql.notices[1:] == [("WARNING", "second"), ("INFO", "third")]


async def test_of_our_own_statements_nothing_is_heard(sql: SqlBench) -> None:
    await sql.make(DONE, name="é" * 31)
    result(await sql.run("é" * 31))
    error(await sql.run("not there"))
    assert sql.notices == []


async def test_a_flood_is_heard_whole_and_leaves_the_loop_to_others(sql: SqlBench) -> None:
    await sql.make(f"for i in 1..{FLOOD} loop raise notice 'line % of a flood', i; end loop; {DONE}")
    heard = [0]

    async def others() -> None:
        while True:
            await asyncio.sleep(0)
            heard.append(len(sql.notices))

    beside = asyncio.create_task(others())
    result(await sql.run(timeout=PATIENCE))
    beside.cancel()
    assert len(sql.notices) == FLOOD
    assert sql.notices[-1] == ("NOTICE", f"line {FLOOD} of a flood")
    assert max(after - before for before, after in pairwise(heard)) < FLOOD / 10, "others have their turns in between"


async def test_a_flood_without_end_is_stopped(sql: SqlBench) -> None:
    await sql.make(
        "loop begin loop raise notice 'again'; end loop; exception when query_canceled then null; end; end loop;"
    )
    task = await sql.begin(timeout=None, kill_grace=0.1)
    await until("it floods", lambda: len(sql.notices) > 5_000)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert await sql.calls() == 0
