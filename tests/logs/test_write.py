"""Writing: for runs that the worker still holds, once, whatever the lines are."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.at_once import until_blocked
from tests.engine import Engine
from tests.logs.printing import Another, start, stored, tenant

from headrace.logs.write import stored_upto, write_lines
from headrace.model.log.line import MAX_BYTES, STDERR, LogLine
from headrace.queue.rescue import rescue_jobs


async def test_lines_of_several_runs_are_stored_with_their_tenant_and_definition(engine: Engine) -> None:
    acme = await tenant(engine.db, "acme")
    worker = await engine.worker()
    first = await start(engine, worker=worker)
    second = await start(engine, worker=worker, key="mail", tenant="acme")
    lines = [first.line("one"), second.line("two", level=40, stream=STDERR, fields='{"n": 1}'), first.line("three")]
    assert await write_lines(engine.db, worker, lines) == set()
    assert await stored(engine.db, first.job_id) == [lines[0], lines[2]]
    assert await stored(engine.db, second.job_id) == [lines[1]]
    rows = await engine.db.fetch(
        "select distinct tenant_id, key from headrace.log join headrace.definition d on d.id = definition_id order by 1"
    )
    assert [tuple(row) for row in rows] == [(1, "work"), (acme, "mail")]


async def test_no_lines_cost_nothing(engine: Engine) -> None:
    assert await write_lines(engine.db, 1, []) == set()


async def test_lines_of_a_run_that_ended_are_dropped_and_named(engine: Engine) -> None:
    worker = await engine.worker()
    ended, live = await start(engine, worker=worker), await start(engine, worker=worker)
    await ended.finish()
    late, fresh = ended.line("late"), live.line("fresh")
    assert await write_lines(engine.db, worker, [late, fresh]) == {ended.fence}
    assert await stored(engine.db, ended.job_id) == []
    assert await stored(engine.db, live.job_id) == [fresh]


DROP_TABLES = """
    do $$ declare name text; begin
      for name in select 'log_' || suffix from headrace.log_partition loop
        execute format('drop table headrace.%I', name);
      end loop;
    end $$;
"""


@pytest.mark.parametrize(
    "gone", [DROP_TABLES, f"{DROP_TABLES} delete from headrace.log_partition"], ids=["tables", "tables and records"]
)
async def test_a_partition_that_is_missing_is_made_and_the_lines_are_kept(engine: Engine, gone: str) -> None:
    run = await start(engine)
    await run.write("before")
    await engine.db.execute(gone)
    line = run.line("after")
    assert await write_lines(engine.db, run.worker, [line]) == set()
    assert await stored(engine.db, run.job_id) == [line]


async def test_a_rescued_run_and_another_workers_job_take_no_lines(engine: Engine) -> None:
    run = await start(engine)
    await engine.lose(run.worker)
    assert await engine.rescue() == 1
    assert await run.write("too late") == {run.fence}
    again = await engine.worker()
    (held,) = await engine.claim(again)
    assert await run.write("not mine any more") == {run.fence}
    assert held.run == run.held.run + 1
    assert await stored(engine.db, run.job_id) == []


async def test_the_same_workers_earlier_run_takes_no_lines(engine: Engine) -> None:
    run = await start(engine)
    await engine.db.execute(
        "update headrace.queue set status = 'queued', worker_id = null, claimed_at = null, queued_at = now()"
    )
    (held,) = await engine.claim(run.worker)
    assert held.run == 2
    assert await run.write("of run 1") == {run.fence}


async def test_an_unknown_job_takes_no_lines(engine: Engine) -> None:
    run = await start(engine)
    stray = run.line()._replace(job_id=uuid4())
    assert await write_lines(engine.db, run.worker, [stray]) == {(stray.job_id, 1)}


async def test_a_finish_waits_for_a_flush_that_is_under_way(engine: Engine, another: Another) -> None:
    run = await start(engine)
    writer, observer = await another(), await another()
    transaction = writer.transaction()
    await transaction.start()
    assert await run.write("the last word", writer) == set()
    ending = asyncio.create_task(run.finish())
    await until_blocked(observer, engine.db, writer)
    # Nor is it rescued meanwhile; a rescuer does not wait.
    await observer.execute("update headrace.worker set state = 'lost' where id = $1", run.worker)
    assert await rescue_jobs(observer) == []
    await transaction.commit()
    await ending
    assert [line.message for line in await stored(engine.db, run.job_id)] == ["the last word"]


async def test_a_flush_waits_for_a_finish_and_then_finds_the_run_gone(engine: Engine, another: Another) -> None:
    run = await start(engine)
    writer, observer = await another(), await another()
    async with engine.db.transaction():
        await run.finish()
        late = asyncio.create_task(run.write("too late", writer))
        await until_blocked(observer, writer, engine.db)
    assert await late == {run.fence}
    assert await stored(engine.db, run.job_id) == []


async def test_a_repeated_flush_is_stored_once(engine: Engine) -> None:
    run = await start(engine)
    lines = run.lines(10)
    await run.write(lines)
    assert await run.write(lines) == set()
    assert await stored(engine.db, run.job_id) == lines
    assert await stored_upto(engine.db, run.job_id, 1) == 10


async def test_a_repeated_flush_with_more_lines_stores_only_the_rest(engine: Engine) -> None:
    worker = await engine.worker()
    run, other = await start(engine, worker=worker), await start(engine, worker=worker)
    lines, fresh = run.lines(10), other.lines(3)
    await run.write(lines[:6])
    assert await write_lines(engine.db, worker, [*lines, *fresh]) == set()
    assert await stored(engine.db, run.job_id) == lines
    assert await stored(engine.db, other.job_id) == fresh


async def test_a_flush_repeated_while_the_first_is_still_under_way_is_stored_once(
    engine: Engine, another: Another
) -> None:
    run = await start(engine)
    lines = run.lines(10)
    writer, observer = await another(), await another()
    transaction = writer.transaction()
    await transaction.start()
    await run.write(lines, writer)
    assert await stored_upto(engine.db, run.job_id, 1) == 0
    again = asyncio.create_task(run.write(lines))
    await until_blocked(observer, engine.db, writer)
    await transaction.commit()
    assert await again == set()
    assert await stored(engine.db, run.job_id) == lines


async def test_nothing_is_stored_yet_upto_zero(engine: Engine) -> None:
    assert await stored_upto(engine.db, uuid4(), 1) == 0


async def test_a_time_without_a_partition_is_drawn_to_the_nearest_and_still_told_from_a_repeat(engine: Engine) -> None:
    run = await start(engine)
    early, late = timedelta(days=-400), timedelta(days=400)
    lines = [run.line("early", at=run.began + early), run.line("now"), run.line("late", at=run.began + late)]
    assert await run.write(lines) == set()
    first = await engine.db.fetchval("select min(lower_bound) from headrace.log_partition")
    last = await engine.db.fetchval("select max(upper_bound) from headrace.log_partition")
    found = await stored(engine.db, run.job_id)
    assert [line.at for line in found] == [first, lines[1].at, last - timedelta(microseconds=1)]
    assert await engine.db.fetchval("select headrace._create_log_partitions(4)") == 1
    await run.write(lines)
    assert await stored(engine.db, run.job_id) == found


ODD = {
    "NUL": ("a\x00b", "a\\x00b"),
    "lone surrogate": ("a\ud800b", "a\\ud800b"),
    "ANSI": ("\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"),
    "tabs and bells": ("\ta\x07\r\x7f\x85", "\ta\x07\r\x7f\x85"),
    "emoji": ("😀 日本語 مرحبا", "😀 日本語 مرحبا"),
    "nothing": ("", ""),
    "copy's own signs": ("\\N \\. \t \\x", "\\N \\. \t \\x"),
}


@pytest.mark.parametrize("kind", ODD)
async def test_any_text_is_stored(engine: Engine, kind: str) -> None:
    given, wanted = ODD[kind]
    run = await start(engine)
    await run.write(given)
    assert [line.message for line in await stored(engine.db, run.job_id)] == [wanted]


@pytest.mark.parametrize("letter", ["x", "é", "日", "😀", "\x00", "\ud800"])
async def test_a_long_line_is_cut_to_16_kb_of_whole_characters(engine: Engine, letter: str) -> None:
    run = await start(engine)
    await run.write(letter * 20_000)
    (line,) = await stored(engine.db, run.job_id)
    assert MAX_BYTES - 10 < len(line.message.encode()) <= MAX_BYTES
    assert line.message.endswith("…")


async def test_odd_levels_are_drawn_into_range(engine: Engine) -> None:
    run = await start(engine)
    await run.write([run.line(level=level) for level in (-5, 25, 100_000)])
    assert [line.level for line in await stored(engine.db, run.job_id)] == [0, 25, 100]


BAD_FIELDS = ["{", "NaN", '{"a": 1e999999}', '"\\u0000"', '"\\ud800"', "\x00", "\ud800", "", "[" * 100_000]


@pytest.mark.parametrize("bad", BAD_FIELDS, ids=range(len(BAD_FIELDS)))
async def test_fields_that_are_no_json_harm_neither_their_line_nor_the_others(engine: Engine, bad: str) -> None:
    run = await start(engine)
    good = '{"a": [1, "\\\\u0000", null]}'
    lines = [run.line("before", fields=good), run.line("bad", fields=bad), run.line("after")]
    assert await run.write(lines) == set()
    found: list[LogLine] = await stored(engine.db, run.job_id)
    assert [line.message for line in found] == ["before", "bad", "after"]
    assert json.loads(found[0].fields or "") == json.loads(good)
    assert found[1].fields is not None
    assert json.loads(found[1].fields).keys() == {"unreadable"}


async def test_a_word_too_long_for_the_index_is_no_obstacle(engine: Engine) -> None:
    run = await start(engine)
    await run.write("x" * 16_000)
    assert len(await stored(engine.db, run.job_id)) == 1
