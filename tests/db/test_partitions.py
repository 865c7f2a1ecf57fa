"""Partitions: made ahead, in nobody's way, and never missed by an enqueue."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

from tests.engine import Engine

from headrace.db.connect import Connection, Endpoint
from headrace.db.upkeep import create_partitions, health_warnings

WEEK = timedelta(days=7)


async def bounds(conn: Connection) -> list[tuple[datetime, datetime]]:
    rows = await conn.fetch("select lower_bound, upper_bound from headrace.partition order by 1")
    return [(row[0], row[1]) for row in rows]


async def drop_partitions(conn: Connection, *, after: datetime) -> int:
    """Remove those that begin later, as if they had never been made."""
    suffixes = await conn.fetch("delete from headrace.partition where lower_bound > $1 returning suffix", after)
    for (suffix,) in suffixes:
        await conn.execute(f"drop table headrace.job_{suffix}, headrace.attempt_{suffix}")
    return len(suffixes)


async def only_partition(conn: Connection, lower: datetime, upper: datetime) -> None:
    await drop_partitions(conn, after=datetime(1970, 1, 1, tzinfo=UTC))
    await conn.execute("select headrace._create_partition($1, $2)", lower, upper)


async def now(conn: Connection) -> datetime:
    moment: datetime = await conn.fetchval("select clock_timestamp()")
    return moment


def made_at(job_id: UUID) -> datetime:
    return datetime.fromtimestamp((job_id.int >> 80) / 1000, UTC)


async def live_through(engine: Engine) -> UUID:
    """A job from its enqueue to its end."""
    job_id = await engine.enqueue()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    assert await engine.finish(worker, held) == {job_id}
    assert await engine.status(job_id) == "succeeded"
    return job_id


async def test_four_weeks_lie_ahead_after_a_migration(connection: Connection) -> None:
    found = await bounds(connection)
    moment = await now(connection)
    assert sum(lower > moment for lower, _ in found) >= 4
    assert any(lower <= moment < upper for lower, upper in found)
    assert await health_warnings(connection) == []


async def test_a_partition_is_a_week_from_monday_in_utc_whatever_the_sessions_zone(connection: Connection) -> None:
    await only_partition(connection, datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 9, tzinfo=UTC))
    await connection.execute("set timezone = 'America/New_York'")
    await create_partitions(connection)
    _, gap, *weeks = await bounds(connection)
    assert gap[0] == datetime(2026, 3, 9, tzinfo=UTC)
    for lower, upper in weeks:
        assert upper - lower == WEEK
        utc = lower.astimezone(UTC)
        assert (utc.weekday(), utc.hour, utc.minute) == (0, 0, 0)


async def test_making_partitions_again_makes_none(connection: Connection) -> None:
    before = await bounds(connection)
    assert await create_partitions(connection) == 0
    assert await bounds(connection) == before


async def test_processes_that_make_partitions_at_once_make_each_once(database_url: str, connection: Connection) -> None:
    before = await bounds(connection)
    dropped = await drop_partitions(connection, after=await now(connection))
    assert dropped >= 4
    connections = [await Endpoint(database_url).connect("test") for _ in range(4)]
    made = await asyncio.gather(*(create_partitions(conn) for conn in connections))
    assert sorted(made) == [0, 0, 0, dropped]
    assert await bounds(connection) == before
    for conn in connections:
        await conn.close()


async def test_an_enqueue_works_when_all_partitions_lie_in_the_past(engine: Engine) -> None:
    lower, upper = datetime(2020, 1, 6, tzinfo=UTC), datetime(2020, 1, 13, tzinfo=UTC)
    await only_partition(engine.db, lower, upper)
    job_id = await live_through(engine)
    assert lower <= made_at(job_id) < upper
    many = await engine.enqueue_many(3)
    assert many == sorted(many)
    assert all(lower <= made_at(one) < upper for one in many)


async def test_an_enqueue_works_when_all_partitions_lie_in_the_future(engine: Engine) -> None:
    lower = (await now(engine.db)).replace(microsecond=0) + 4 * WEEK
    await only_partition(engine.db, lower, lower + WEEK)
    assert lower <= made_at(await live_through(engine)) < lower + WEEK


async def test_an_ids_time_is_now_when_there_is_a_partition_for_it(engine: Engine) -> None:
    before = await now(engine.db)
    job_id = await engine.enqueue()
    assert before - timedelta(milliseconds=1) <= made_at(job_id) <= await now(engine.db)
    assert job_id.version == 7


async def test_partitions_are_made_while_an_enqueue_is_open(database_url: str, connection: Connection) -> None:
    await Engine(Endpoint(database_url), connection).define()
    dropped = await drop_partitions(connection, after=await now(connection))
    other = await Endpoint(database_url).connect("test")
    try:
        async with other.transaction():
            await other.execute("select headrace.enqueue('work')")
            await connection.execute("set lock_timeout = '1s'")
            assert await create_partitions(connection) == dropped
        assert await connection.fetchval("select count(*) from headrace.jobs") == 1
    finally:
        await other.close()


async def test_an_enqueue_works_while_partitions_are_being_made(database_url: str, connection: Connection) -> None:
    other = Engine(Endpoint(database_url), await Endpoint(database_url).connect("test"))
    try:
        await other.define()
        await drop_partitions(connection, after=await now(connection))
        await other.db.execute("set lock_timeout = '1s'")
        async with connection.transaction():
            assert await create_partitions(connection) >= 4
            await live_through(other)
    finally:
        await other.db.close()


async def test_weeks_that_nobody_served_are_one_partition(connection: Connection) -> None:
    (_, this_week), *_ = await bounds(connection)
    start = this_week - 12 * WEEK
    await only_partition(connection, start, start + WEEK)
    made = await create_partitions(connection)
    found = await bounds(connection)
    assert len(found) == 1 + made
    assert [upper for _, upper in found[:-1]] == [lower for lower, _ in found[1:]]  # no hole
    assert found[1] == (start + WEEK, this_week - WEEK)
    assert [upper - lower for lower, upper in found[2:]] == [WEEK] * (made - 1)
    assert made - 1 >= 5


async def test_too_few_weeks_ahead_are_worth_a_warning(connection: Connection) -> None:
    found = await bounds(connection)
    ahead = [lower for lower, _ in found if lower > await now(connection)]
    await drop_partitions(connection, after=ahead[1])
    assert await health_warnings(connection) == []
    await drop_partitions(connection, after=ahead[0])
    assert await health_warnings(connection) == [
        "only 1 partitions ahead (at least 2 wanted): is a worker running its upkeep?"
    ]
    await create_partitions(connection)
    assert await health_warnings(connection) == []


async def test_both_tables_have_the_same_partitions_with_all_indexes(connection: Connection) -> None:
    rows = await connection.fetch(
        "select p.relname::text as parent, c.relname::text as child, pg_get_expr(c.relpartbound, c.oid) as bound,"
        " (select count(*) from pg_index where indrelid = c.oid) as indexes"
        " from pg_inherits join pg_class p on p.oid = inhparent join pg_class c on c.oid = inhrelid"
        " where p.relkind = 'p' and p.relname in ('job', 'attempt') order by child"
    )
    jobs = {row["child"].removeprefix("job_"): row["bound"] for row in rows if row["parent"] == "job"}
    attempts = {row["child"].removeprefix("attempt_"): row["bound"] for row in rows if row["parent"] == "attempt"}
    assert jobs == attempts
    assert len(jobs) == len(await bounds(connection))
    assert {(row["parent"], row["indexes"]) for row in rows} == {("job", 6), ("attempt", 10)}
