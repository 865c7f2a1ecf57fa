"""Promote: a scheduled job is queued when its time has come, and never before."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import UUID

import pytest
from tests.at_once import Another
from tests.engine import Engine

from headrace.queue import promote
from headrace.queue.promote import SQL, promote_due
from headrace.worker.maintenance.due_watch import read_next_due

LATER = "select now() + interval '1 hour'"


async def schedule(engine: Engine, n: int = 1) -> list[UUID]:
    """Jobs for the next hour."""
    return await engine.enqueue_many(n, scheduled_for=await engine.db.fetchval(LATER))


async def age(engine: Engine, job_id: UUID, by: timedelta) -> None:
    """As if so much time had passed since the job was due."""
    await engine.db.execute(
        "update headrace.queue set run_at = clock_timestamp() - $2::interval where job_id = $1", job_id, by
    )


async def test_a_job_is_not_promoted_before_its_time(engine: Engine) -> None:
    (soon,) = await schedule(engine)
    await age(engine, soon, -timedelta(seconds=30))
    assert await promote_due(engine.db) == 0
    assert await engine.status(soon) == "scheduled"
    assert await engine.claim(await engine.worker()) == []
    await age(engine, soon, timedelta(0))
    assert await promote_due(engine.db) == 1
    assert [held.job_id for held in await engine.claim(await engine.worker())] == [soon]


async def test_only_what_is_due_is_promoted(engine: Engine) -> None:
    due, later = await schedule(engine, 2)
    await age(engine, due, timedelta(seconds=1))
    assert await promote_due(engine.db) == 1
    assert [await engine.status(due), await engine.status(later)] == ["queued", "scheduled"]
    assert (await engine.job(due)).queued_at is not None
    assert await promote_due(engine.db) == 0


async def test_a_batch_takes_the_oldest_first(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promote, "BATCH", 2)
    ids = await schedule(engine, 5)
    for minutes, job_id in enumerate((ids[3], ids[0], ids[4], ids[1], ids[2]), 1):
        await age(engine, job_id, timedelta(minutes=minutes))
    promoted = []
    while await promote_due(engine.db):
        worker = await engine.worker()
        promoted.append({held.job_id for held in await engine.claim(worker)})
    assert promoted == [{ids[2], ids[1]}, {ids[4], ids[0]}, {ids[3]}]


async def test_a_promoted_job_stands_behind_those_already_waiting(engine: Engine) -> None:
    (promoted,) = await schedule(engine)
    waiting = await engine.enqueue()
    await age(engine, promoted, timedelta(minutes=1))
    await promote_due(engine.db)
    assert [held.job_id for held in await engine.claim(await engine.worker())] == [waiting, promoted]


async def test_two_promoters_at_once_promote_each_job_once(
    engine: Engine, another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promote, "BATCH", 3)
    for job_id in await schedule(engine, 5):
        await age(engine, job_id, timedelta(minutes=1))
    first, second = await another(), await another()
    async with first.transaction():
        assert await promote_due(first) == 3
        assert await promote_due(second) == 2
    assert await promote_due(second) == 0
    assert len(await engine.claim(await engine.worker())) == 5


async def test_a_job_that_is_just_being_canceled_is_not_promoted(engine: Engine, another: Another) -> None:
    (job_id,) = await schedule(engine)
    await age(engine, job_id, timedelta(minutes=1))
    canceler = await another()
    async with canceler.transaction():
        await canceler.execute("select headrace.cancel($1)", job_id)
        assert await promote_due(engine.db) == 0
    assert await promote_due(engine.db) == 0
    assert await engine.status(job_id) == "canceled"


async def test_a_look_for_due_jobs_does_not_walk_over_those_of_the_future(engine: Engine) -> None:
    await schedule(engine, 2000)
    await engine.db.execute("analyze headrace.queue")
    plan = await engine.db.fetchval(f"explain (analyze, format json) {SQL['promote_due'].replace('$1', '1000')}")
    looked_at = [node for node in nodes(json.loads(plan)[0]["Plan"]) if node.get("Index Name") == "queue_due"]
    assert [(node["Index Cond"], node.get("Rows Removed by Filter", 0)) for node in looked_at] == [
        ("(run_at <= now())", 0)
    ]


def nodes(plan: dict[str, object]) -> list[dict[str, object]]:
    """The plan's nodes, flat."""
    children = plan.get("Plans", [])
    assert isinstance(children, list)
    return [plan, *(node for child in children for node in nodes(child))]


async def test_the_next_due_time_is_told_in_seconds_of_the_databases_clock(engine: Engine) -> None:
    assert (await read_next_due(engine.db)).promote is None
    near, _ = await schedule(engine, 2)
    await age(engine, near, -timedelta(minutes=5))
    seconds = (await read_next_due(engine.db)).promote
    assert seconds is not None
    assert 240 < seconds <= 300


async def test_a_job_for_the_last_day_there_is_waits_without_troubling_the_others(engine: Engine) -> None:
    await engine.define()
    last = await engine.db.fetchval("select headrace.enqueue('work', scheduled_for => '9000-01-01Z')")
    far = (await read_next_due(engine.db)).promote
    assert await promote_due(engine.db) == 0
    assert await engine.status(last) == "scheduled"
    await schedule(engine)
    near = (await read_next_due(engine.db)).promote
    assert near is not None
    assert far is not None
    assert near < far
