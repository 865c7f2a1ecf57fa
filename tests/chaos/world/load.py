"""Enqueues that go on through a crash, and what their database says of them afterwards."""

from __future__ import annotations

import asyncio
from uuid import UUID

import asyncpg
from tests.waiting import until

from headrace.db.connect import TRANSIENT, Connection, Endpoint

MOST_BATCHES = 1000
BATCH = 50
FINALS = "select count(*) from headrace.attempt where final is not null"


async def enqueue_batches(url: str, acknowledged: list[UUID], enough: asyncio.Event) -> None:
    """Enqueue over and over, through the crash; what the server did not confirm is not counted."""
    batches = iter(range(MOST_BATCHES))
    connection: asyncpg.Connection[asyncpg.Record] | None = None

    async def next_batch() -> bool:
        nonlocal connection
        try:
            connection = connection or await Endpoint(url).connect("test load")
            rows = await connection.fetch(
                "select headrace.enqueue_many('noop', array_fill('{}'::jsonb, array[$1::int]))", BATCH
            )
        except TRANSIENT:
            connection = None
            return False
        acknowledged.extend(row[0] for row in rows)
        return enough.is_set() or next(batches, None) is None

    await until("enough is enqueued", next_batch)
    if connection is not None:
        await connection.close()


async def at_least(connection: Connection, finals: int) -> bool:
    return bool(await connection.fetchval(FINALS) >= finals)


async def nothing_left(connection: Connection) -> bool:
    return bool(await connection.fetchval("select count(*) = 0 from headrace.queue"))


async def each_ended_once(connection: Connection, acknowledged: list[UUID]) -> None:
    """Every job that was confirmed has one end, a good one, and so has every other that is there."""
    finals = (
        "select job_id, count(final), bool_and(final is null or final = 'succeeded') from headrace.attempt group by 1"
    )
    ended = {row[0]: (row[1], row[2]) for row in await connection.fetch(finals)}
    assert set(acknowledged) <= set(ended)
    assert set(ended.values()) == {(1, True)}
    assert await connection.fetchval("select count(*) from headrace.job") == len(ended)
