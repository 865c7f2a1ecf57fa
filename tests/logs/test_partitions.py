"""Days: made ahead, in nobody's way, and gone whole when they are too old."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from tests.at_once import until_blocked
from tests.engine import Engine
from tests.logs.printing import INFO, Another, find, now, put, start

from headrace.db.connect import Connection
from headrace.logs import prune
from headrace.logs.prune import create_log_partitions, prune_logs
from headrace.model.log.line import LOG, LogLine

DAY = timedelta(days=1)


async def bounds(conn: Connection) -> list[tuple[datetime, datetime]]:
    rows = await conn.fetch("select lower_bound, upper_bound from headrace.log_partition order by 1")
    return [(row[0], row[1]) for row in rows]


async def tables(conn: Connection) -> int:
    """Partitions that are still tables, attached or not."""
    count: int = await conn.fetchval(
        r"select count(*) from pg_class where relname ~ '^log_\d{8}$' and relkind = 'r'"
        " and relnamespace = 'headrace'::regnamespace"
    )
    return count


async def past_days(conn: Connection, n: int) -> list[datetime]:
    """Days gone by with one line each; gives back their beginnings, newest first."""
    today = (await bounds(conn))[0][0]
    (job_id,) = await conn.fetchval("select headrace._job_ids(1)")
    days = [today - k * DAY for k in range(1, n + 1)]
    for k, day in enumerate(days, 1):
        await conn.execute("select headrace._create_log_partition($1, $2)", day, day + DAY)
        await put(conn, [LogLine(job_id, 1, k, day + DAY / 2, INFO, LOG, f"day {k}")])
    return days


async def test_today_and_three_days_are_there_after_a_migration(engine: Engine) -> None:
    found = await bounds(engine.db)
    moment = await now(engine.db)
    assert len(found) >= 4
    assert found[0][0] <= moment
    assert sum(lower > moment for lower, _ in found) >= 3
    assert [upper for _, upper in found[:-1]] == [lower for lower, _ in found[1:]]
    assert all(upper - lower == DAY and lower.astimezone(UTC).hour == 0 for lower, upper in found)
    assert await create_log_partitions(engine.db) == 0


async def test_each_day_has_every_index(engine: Engine) -> None:
    rows = await engine.db.fetch(
        "select (select array_agg(pg_get_indexdef(indexrelid)) from pg_index where indrelid = inhrelid) as indexes"
        "  from pg_inherits where inhparent = 'headrace.log'::regclass"
    )
    assert len(rows) == len(await bounds(engine.db))
    for row in rows:
        assert len(row["indexes"]) == 3
        assert any("USING gin" in index and "_log_words(message)" in index for index in row["indexes"])


async def test_days_that_nobody_served_are_one_partition_and_processes_make_each_once(
    engine: Engine, another: Another
) -> None:
    await engine.db.execute("drop table headrace.log_" + ", headrace.log_".join(
        row[0] for row in await engine.db.fetch("delete from headrace.log_partition returning suffix")))  # fmt: skip
    await engine.db.execute("set timezone = 'America/New_York'")
    await engine.db.execute("select headrace._create_log_partition('2026-03-07 00:00+00', '2026-03-08 00:00+00')")
    made = await asyncio.gather(*[create_log_partitions(await another()) for _ in range(3)])
    assert sorted(made) == [0, 0, 5]
    _, gap, *days = await bounds(engine.db)
    assert gap[0] == datetime(2026, 3, 8, tzinfo=UTC)
    assert [upper - lower for lower, upper in days] == [DAY] * 4
    assert await create_log_partitions(engine.db) == 0


async def test_days_are_made_and_lines_written_at_the_same_time(engine: Engine, another: Another) -> None:
    run, other = await start(engine), await another()
    await engine.db.execute("set lock_timeout = '1s'")
    await other.execute("set lock_timeout = '1s'")
    async with engine.db.transaction():
        await run.write("one")
        assert await other.fetchval("select headrace._create_log_partitions(4)") == 1
    async with other.transaction():
        assert await other.fetchval("select headrace._create_log_partitions(5)") == 1
        await run.write("two")
    assert len(run.written) == 2


async def test_whole_days_go_when_they_are_older_than_is_kept(engine: Engine) -> None:
    await past_days(engine.db, 5)
    before = await tables(engine.db)
    assert await prune_logs(engine.db, keep=2 * DAY) == 3
    assert await find(engine.db, "day") == ["day 1", "day 2"]
    assert await tables(engine.db) == before - 3
    assert await prune_logs(engine.db, keep=2 * DAY) == 0


async def test_today_and_what_lies_ahead_stay_whatever_is_asked(engine: Engine) -> None:
    run = await start(engine)
    await run.write("kept")
    before = await bounds(engine.db)
    for keep in (timedelta(0), -10 * DAY):
        assert await prune_logs(engine.db, keep=keep) == 0
    assert await bounds(engine.db) == before
    assert await find(engine.db, "") == ["kept"]


async def test_a_reader_is_not_stopped_and_the_day_goes_the_next_time(
    engine: Engine, another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prune, "PATIENCE_SECONDS", 0.2)
    await past_days(engine.db, 2)
    reader, before = await another(), await tables(engine.db)
    async with reader.transaction():
        assert await reader.fetchval("select count(*) from headrace.log") == 2
        assert await prune_logs(engine.db, keep=timedelta(0)) == 0
        # Neither found nor written to any more, and in nobody's way.
        assert await find(engine.db, "") == []
        run = await start(engine)
        await run.write([run.line("old", at=run.began - 2 * DAY)])
        assert await find(engine.db, "") == ["old"]
        assert await tables(engine.db) == before
    assert await prune_logs(engine.db, keep=timedelta(0)) == 2
    assert await tables(engine.db) == before - 2
    assert await find(engine.db, "") == ["old"]


async def test_writers_go_on_while_a_day_is_being_detached(engine: Engine, another: Another) -> None:
    await past_days(engine.db, 1)
    run = await start(engine)
    reader, pruner, observer = await another(), await another(), await another()
    transaction = reader.transaction()
    await transaction.start()
    await reader.fetchval("select count(*) from headrace.log")
    pruning = asyncio.create_task(prune_logs(pruner, keep=timedelta(0)))
    await until_blocked(observer, pruner, reader)
    await run.write("meanwhile")
    await transaction.rollback()
    assert await pruning == 1
    assert await find(engine.db, "") == ["meanwhile"]


async def test_processes_that_prune_at_once_remove_each_day_once(engine: Engine, another: Another) -> None:
    await past_days(engine.db, 4)
    before = await tables(engine.db)
    connections = [await another() for _ in range(3)]
    removed = 0
    while await engine.db.fetchval("select count(*) from headrace.log_partition where upper_bound < now()"):
        removed += sum(await asyncio.gather(*(prune_logs(conn, keep=timedelta(0)) for conn in connections)))
    assert removed >= 4
    assert await tables(engine.db) == before - 4
