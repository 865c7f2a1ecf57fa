"""Folding: what is deleted is added, once, by whoever has the turn."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from tests.at_once import Another
from tests.engine import Engine
from tests.rollups.counting import counted, deltas, fold_as_of

from headrace.rollups import fold
from headrace.rollups.fold import fold_deltas
from headrace.rollups.prune import prune_rollups
from headrace.rollups.sample import sample_queue
from headrace.worker.maintenance.due_watch import read_next_due

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTES = "select count(*), sum(enqueued) from headrace.rollup"
HOURS = "select count(*), sum(enqueued) from headrace.rollup_hour"


async def test_deltas_go_and_their_counts_come(engine: Engine) -> None:
    await engine.enqueue()
    assert await fold_deltas(engine.db) == 1
    assert await deltas(engine) == 0
    assert await fold_deltas(engine.db) == 0
    assert await counted(engine) == {"enqueued": 1}


async def test_a_minute_is_added_to_for_as_long_as_deltas_of_it_come(engine: Engine) -> None:
    for second in (0, 30, 59):
        await engine.enqueue()
        await fold_as_of(engine, NOON + timedelta(seconds=second))
    assert tuple(await engine.db.fetchrow(MINUTES) or ()) == (1, 3)
    await engine.enqueue()
    await fold_as_of(engine, NOON + timedelta(seconds=60))
    assert tuple(await engine.db.fetchrow(MINUTES) or ()) == (2, 4)


async def test_minutes_hours_and_totals_say_the_same(engine: Engine) -> None:
    for hours in range(3):
        for minutes in (0, 10):
            await engine.enqueue_many(2)
            await fold_as_of(engine, NOON - timedelta(hours=hours, minutes=minutes))
    assert tuple(await engine.db.fetchrow(MINUTES) or ()) == (6, 12)
    assert tuple(await engine.db.fetchrow(HOURS) or ()) == (4, 12)
    assert await counted(engine) == {"enqueued": 12}


async def test_many_deltas_are_folded_batch_by_batch(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "BATCH", 7)
    for _ in range(20):
        await engine.enqueue()
    assert await fold_deltas(engine.db) == 20
    assert await counted(engine) == {"enqueued": 20}


async def test_a_fold_that_does_not_commit_leaves_the_deltas(engine: Engine) -> None:
    await engine.enqueue()
    transaction = engine.db.transaction()
    await transaction.start()
    await fold_deltas(engine.db)
    await transaction.rollback()
    assert await deltas(engine) == 1
    assert await counted(engine) == {"enqueued": 1}


async def test_who_comes_second_leaves_it_to_the_first(engine: Engine, another: Another) -> None:
    first, second = await another(), await another()
    await engine.enqueue()
    async with first.transaction():
        assert await fold_deltas(first) == 1
        assert await fold_deltas(second) == 0
        assert await sample_queue(second) is None
    assert await fold_deltas(second) == 0
    assert await counted(engine) == {"enqueued": 1}


async def test_several_at_once_count_each_job_once(
    engine: Engine, another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fold, "BATCH", 3)
    folders = [await another() for _ in range(4)]
    await engine.define()
    enqueuer = await another()

    async def enqueue() -> None:
        for _ in range(100):
            await enqueuer.execute("select headrace.enqueue('work')")

    async def keep_folding(conn: object, until: asyncio.Task[None]) -> None:
        while not until.done():
            await fold_deltas(conn)  # type: ignore[arg-type]
            await asyncio.sleep(0)

    enqueuing = asyncio.create_task(enqueue())
    await asyncio.gather(*(keep_folding(folder, enqueuing) for folder in folders))
    await enqueuing
    assert await counted(engine) == {"enqueued": 100}


async def set_turn(engine: Engine, values: str) -> None:
    """As if it had been done at other times, and had taken no time: a busy machine takes some."""
    await engine.db.execute(f"update headrace.rollup_turn set fold_took = '0', sample_took = '0', {values}")


async def pause_after(engine: Engine, done: str) -> float:
    """How many seconds after it was done it is due again."""
    query = f"select date_part('epoch', {done} - clock_timestamp()) from headrace.rollup_turn"
    due: float = await engine.db.fetchval(f"select ({query}) - least(fold_in, sample_in) from headrace._rollups_due()")
    return -round(due)


async def test_nothing_is_due_where_nothing_happens(engine: Engine) -> None:
    assert (await read_next_due(engine.db)).tally is None
    await fold_deltas(engine.db)
    assert await sample_queue(engine.db, when_due=True) is None


async def test_it_is_due_when_there_is_something_and_again_after_a_while(engine: Engine) -> None:
    await engine.enqueue()
    assert await tally_in(engine) < 0
    assert await fold_deltas(engine.db, when_due=True) == 1
    assert await sample_queue(engine.db, when_due=True) == 1
    await engine.enqueue()
    await set_turn(engine, "folded_at = clock_timestamp() + '1 hour', sampled_at = clock_timestamp() + '1 hour'")
    assert await pause_after(engine, "folded_at") == 2
    assert await fold_deltas(engine.db, when_due=True) == 0
    await set_turn(engine, "folded_at = clock_timestamp() - interval '2 seconds'")
    assert await fold_deltas(engine.db, when_due=True) == 1
    await set_turn(engine, "folded_at = sampled_at + '1 second'")
    assert await pause_after(engine, "sampled_at") == 5
    assert await sample_queue(engine.db, when_due=True) is None


async def test_what_took_long_is_not_done_soon_again(engine: Engine) -> None:
    await engine.enqueue()
    await engine.db.execute(
        "update headrace.rollup_turn set folded_at = clock_timestamp(), fold_took = '1 second',"
        " sampled_at = clock_timestamp() + interval '1 second', sample_took = '3 seconds'"
    )
    row = await engine.db.fetchrow("select * from headrace._rollups_due()")
    assert row is not None
    assert row["fold_in"] > 0
    assert await pause_after(engine, "folded_at") == 50
    assert row["sample_in"] is None
    await fold_deltas(engine.db)
    row = await engine.db.fetchrow("select * from headrace._rollups_due()")
    assert row is not None
    assert row["fold_in"] is None
    await engine.db.execute("update headrace.rollup_turn set folded_at = sampled_at + interval '1 second'")
    assert await pause_after(engine, "sampled_at") == 150


async def test_a_full_queue_where_nothing_happens_is_sampled_now_and_then_and_an_empty_one_never(
    engine: Engine,
) -> None:
    await engine.enqueue()
    await fold_deltas(engine.db)
    await sample_queue(engine.db)
    await set_turn(engine, "sampled_at = clock_timestamp() + '1 hour'")
    assert await pause_after(engine, "sampled_at") == 15
    await engine.db.execute("delete from headrace.queue")
    await sample_queue(engine.db)
    assert (await read_next_due(engine.db)).tally is None


async def test_old_minutes_and_hours_go_and_totals_stay(engine: Engine) -> None:
    for days in (0, 29, 31):
        await engine.enqueue()
        await fold_as_of(engine, await engine.db.fetchval("select now() - $1::interval", timedelta(days=days)))
    assert await prune_rollups(engine.db, keep=timedelta(days=30)) == 2
    assert tuple(await engine.db.fetchrow(MINUTES) or ()) == (2, 2)
    assert tuple(await engine.db.fetchrow(HOURS) or ()) == (2, 2)
    assert await counted(engine) == {"enqueued": 3}
    assert await prune_rollups(engine.db, keep=timedelta(0)) == 4


async def tally_in(engine: Engine) -> float:
    seconds = (await read_next_due(engine.db)).tally
    assert seconds is not None
    return seconds
