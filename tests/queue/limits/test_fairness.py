"""Fairness: tenants of one queue take turns, by weight, and nobody waits for ever behind what is more urgent."""

from __future__ import annotations

from collections import Counter

from tests.engine import Engine
from tests.queue.limits.limiting import limit_queue, swept, tenant

from headrace.queue.ageing import lift_aged
from headrace.rollups.sample import sample_queue


async def names(engine: Engine, worker: int, limit: int) -> list[str]:
    """Whose jobs the worker got, in order; they end at once."""
    held = (await engine.pass_gates(worker, limit)).held
    known = {row[0]: row[1] for row in await engine.db.fetch("select id, name from headrace.tenant")}
    await engine.finish(worker, held)
    return [known[h.tenant_id] for h in held]


async def test_a_tenant_with_many_jobs_does_not_hold_up_another(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    await tenant(engine, "small")
    await engine.enqueue_many(1000)
    worker = await engine.worker()
    assert await names(engine, worker, 100) == ["default"] * 100
    await engine.enqueue_many(3, tenant="small")
    assert sorted(await names(engine, worker, 4)) == ["default", "default", "small", "small"]
    assert sorted(await names(engine, worker, 2)) == ["default", "small"]


async def test_one_place_is_taken_in_turns(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    for name in ("a", "b"):
        await tenant(engine, name)
        await engine.enqueue_many(10, tenant=name)
    worker = await engine.worker()
    got = [(await names(engine, worker, 1))[0] for _ in range(8)]
    assert Counter(got) == {"a": 4, "b": 4}
    assert max(len(run) for run in "".join(got).replace("ab", "a b").replace("ba", "b a").split()) <= 2


async def test_a_new_tenant_gets_the_next_free_place_but_no_more_than_its_share(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    await engine.enqueue_many(20)
    worker = await engine.worker()
    long = (await engine.pass_gates(worker, 8)).held
    await tenant(engine, "late")
    await engine.enqueue_many(20, tenant="late")
    await engine.finish(worker, long[:1])
    assert await names(engine, worker, 1) == ["late"]
    assert Counter(await names(engine, worker, 6)) == {"default": 3, "late": 3}


async def test_shares_follow_the_weights(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    await tenant(engine, "light")
    await tenant(engine, "heavy", weight=3)
    for name in ("light", "heavy"):
        await engine.enqueue_many(100, tenant=name)
    worker = await engine.worker()
    got: Counter[str] = Counter()
    for _ in range(10):
        got.update(await names(engine, worker, 4))
    assert got["heavy"] in range(28, 33), got


async def test_what_is_more_urgent_still_comes_first(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    await tenant(engine, "a")
    await engine.enqueue_many(5, tenant="a")
    await engine.enqueue_many(5, priority=1)
    assert await names(engine, await engine.worker(), 5) == ["default"] * 5


async def test_a_queue_is_first_come_first_served_unless_it_is_told_to_be_fair(engine: Engine) -> None:
    await tenant(engine, "a")
    first = await engine.enqueue_many(5)
    await engine.enqueue_many(5, tenant="a")
    assert [held.job_id for held in await engine.claim(await engine.worker(), 5)] == first


async def test_whoever_waits_too_long_is_served_as_the_most_urgent_are(engine: Engine) -> None:
    old = await engine.enqueue(priority=900)
    await engine.db.execute("update headrace.queue set queued_at = now() - interval '2 hours'")
    young = await engine.enqueue(priority=800)
    urgent = await engine.enqueue(priority=1)
    await sample_queue(engine.db)
    assert await lift_aged(engine.db) == 1
    assert [held.job_id for held in await engine.claim(await engine.worker())] == [old, urgent, young]


async def test_ageing_reaches_behind_gates(engine: Engine) -> None:
    await limit_queue(engine, max_running=1, ageing_seconds=60)
    old = await engine.enqueue(priority=900)
    await engine.db.execute("update headrace.queue set queued_at = now() - interval '2 minutes'")
    await engine.enqueue_many(3, priority=1)
    await sample_queue(engine.db)
    assert await lift_aged(engine.db) == 1
    assert [held.job_id for held in (await engine.pass_gates(await engine.worker())).held] == [old]


async def test_ageing_can_be_turned_off(engine: Engine) -> None:
    await limit_queue(engine, ageing_seconds=0)
    await engine.enqueue(priority=900)
    await engine.db.execute("update headrace.queue set queued_at = now() - interval '2 years'")
    await engine.enqueue(priority=1)
    await sample_queue(engine.db)
    assert await lift_aged(engine.db) == 0
    await swept(engine)
