"""Claiming: in order, once, only by the living."""

from __future__ import annotations

from tests.engine import Engine

from headrace.queue.claim import claim_jobs


async def test_a_job_is_claimed_by_one_worker_only(engine: Engine) -> None:
    job_id = await engine.enqueue()
    first, second = await engine.worker(), await engine.worker()
    assert [held.job_id for held in await engine.claim(first)] == [job_id]
    assert await engine.claim(second) == []
    assert await engine.status(job_id) == "running"


async def test_jobs_are_claimed_by_priority_and_then_by_age(engine: Engine) -> None:
    late = await engine.enqueue(priority=200)
    first = await engine.enqueue()
    second = await engine.enqueue()
    urgent = await engine.enqueue(priority=1)
    worker = await engine.worker()
    assert [held.job_id for held in await engine.claim(worker)] == [urgent, first, second, late]


async def test_several_lanes_are_claimed_in_one_exact_order(engine: Engine) -> None:
    a1 = await engine.enqueue("a")
    b1 = await engine.enqueue("b", priority=50)
    a2 = await engine.enqueue("a", priority=10)
    c1 = await engine.enqueue("c")
    worker = await engine.worker()
    assert [held.job_id for held in await engine.claim(worker, 3)] == [a2, b1, a1]
    assert [held.job_id for held in await engine.claim(worker, 3)] == [c1]


async def test_a_lost_worker_claims_nothing(engine: Engine) -> None:
    await engine.enqueue()
    worker = await engine.worker()
    await engine.lose(worker)
    assert await engine.claim(worker) == []


async def test_every_claim_raises_the_run(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    runs = []
    for _ in range(3):
        (held,) = await engine.claim(worker)
        runs.append(held.run)
        await engine.lose(worker)
        await engine.rescue()
        worker = await engine.worker()
        if await engine.status(job_id) == "dead_letter":
            break
    assert runs == [1, 2, 3]


async def test_a_claim_from_several_lanes_looks_behind_what_another_is_just_claiming(engine: Engine) -> None:
    await engine.enqueue_many(30, "a")
    await engine.enqueue_many(1, "b", priority=900)
    first, second = await engine.worker(), await engine.worker()
    other = await engine.endpoint.connect("other")
    try:
        async with other.transaction():
            lanes = await engine.lanes()
            taken = await claim_jobs(other, worker_id=first, lanes=lanes, limit=10, suspects=1)
            # All that the first look finds is locked by the other, who has not committed yet.
            found = await engine.claim(second, 10)
    finally:
        await other.close()
    assert len(taken) == len(found) == 10
    assert not {held.job_id for held in taken} & {held.job_id for held in found}
