"""A fair queue in which one tenant alone waits: plain order, no turns, and the short way only where it may be taken."""

from __future__ import annotations

from uuid import UUID

import pytest
from tests.engine import Engine
from tests.queue.limits.limiting import limit, limit_queue, swept, tenant

ALONE = "select job_id from headrace._claim_alone($1, $2, 10, 1000)"


async def alone(engine: Engine, worker: int) -> list[UUID]:
    """What the short way gives."""
    return [row[0] for row in await engine.db.fetch(ALONE, worker, await engine.lanes())]


async def test_jobs_of_several_definitions_come_by_priority_and_age(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    await engine.define("other")
    late = await engine.enqueue("other", priority=200)
    first = await engine.enqueue("work", priority=50)
    second = await engine.enqueue("other", priority=50)
    assert await alone(engine, await engine.worker()) == [first, second, late]


async def test_one_definition_comes_by_priority_and_age(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    late = await engine.enqueue(priority=200)
    first = await engine.enqueue(priority=50)
    assert await alone(engine, await engine.worker()) == [first, late]


async def test_who_had_the_queue_alone_owes_nobody_who_comes_later(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    await engine.enqueue_many(40)
    worker = await engine.worker()
    assert len((await engine.pass_gates(worker, 30)).held) == 30
    await tenant(engine, "late")
    await engine.enqueue_many(10, tenant="late")
    both = (await engine.pass_gates(worker, 10)).held
    assert sorted(both.count(held) and held.tenant_id for held in both) == sorted(
        5 * [both[0].tenant_id, both[1].tenant_id]
    )


@pytest.mark.parametrize("what", ["another tenant", "a limit", "a suspect", "a tenant's limit", "a pause", "a sweep"])
async def test_it_gives_nothing_beside(engine: Engine, what: str) -> None:
    await limit_queue(engine, fair=True)
    await engine.enqueue_many(3)
    await tenant(engine, "other")
    match what:
        case "another tenant":
            await engine.enqueue_many(1, tenant="other")
        case "a limit":
            await limit(engine, max_concurrency=100)
        case "a suspect":
            await engine.db.execute(
                "update headrace.queue set suspect = true where seq = (select min(seq) from headrace.queue)"
            )
        case "a tenant's limit":
            await tenant(engine, "other", max_running=100)
        case "a pause":
            await engine.db.execute(
                "insert into headrace.tenant_pause (tenant_id, paused_by)"
                " select id, 'me' from headrace.tenant where name = 'default'"
            )
            await swept(engine)
        case _:
            await engine.db.execute("insert into headrace.regate (queue) values ('elsewhere')")
    assert await alone(engine, await engine.worker()) == []


async def test_a_worker_that_is_lost_gets_nothing(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    await engine.enqueue_many(3)
    worker = await engine.worker()
    await engine.lose(worker)
    assert await alone(engine, worker) == []
