"""The hot statements keep their indexes, whatever the size of the queue and the age of its statistics."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.db.plans import Access, accesses, fill, rows_read
from tests.engine import Engine
from tests.servers import TestServer

from headrace.db.connect import Endpoint
from headrace.model.job.outcome import Failed, Succeeded
from headrace.model.job.record import ClaimedJob, Terms
from headrace.model.job.transition import decide
from headrace.queue import claim, finish, lease, promote, rescue
from headrace.queue.claim import Held, claim_jobs, list_held
from headrace.queue.promote import promote_due
from headrace.worker.maintenance import due_watch as maintenance_due_watch
from headrace.worker.maintenance.due_watch import read_next_due

MILLION = 1_000_000


@pytest.fixture
async def million(embedded_server: TestServer) -> AsyncIterator[Engine]:
    """On one server only, for a million rows take their time."""
    async with embedded_server.database(fresh=True) as url:
        connection = await Endpoint(url).connect("test")
        try:
            yield Engine(Endpoint(url), connection)
        finally:
            await connection.close()


async def prepare(engine: Engine) -> int:
    """Three lanes and a worker; without WAL, for only plans are looked at."""
    await engine.db.execute("alter table headrace.queue set unlogged")
    for key in ("work", "mail", "sync"):
        await engine.define(key)
        await engine.db.execute(
            "select headrace._lane('default', (select id from headrace.definition where key = $1))", key
        )
    return await engine.worker()


def statements(worker: int) -> dict[str, tuple[str, tuple[Any, ...], set[str]]]:
    """Each hot statement with arguments for small and large batches, and an index that it must use."""
    found: dict[str, tuple[str, tuple[Any, ...], set[str]]] = {
        "promote_due": (promote.SQL["promote_due"], (1000,), {"queue_due", "queue_pkey"}),
        "look_ahead": (
            maintenance_due_watch.SQL["look_ahead"],
            (),
            {"queue_due"},
        ),
        "rescue_jobs": (rescue.SQL["rescue_jobs"], (), {"queue_held", "queue_pkey"}),
        "list_lanes": (claim.SQL["list_lanes"], (worker,), {"queue_gated"}),
        "first_priority": (claim.SQL["first_priority"], ([1, 2, 3],), {"queue_claim"}),
        "list_held": (claim.SQL["list_held"], (worker,), {"queue_held"}),
        "list_cancel_requests": (lease.SQL["list_cancel_requests"], (worker,), {"queue_held"}),
    }
    for n in (1, 10, 500, 2000):
        lane = (worker, 1, n, 1)
        found[f"claim_from_lane {n}"] = (
            claim.SQL["claim_from_lane"],
            lane,
            {"queue_claim", "queue_suspect", "queue_pkey"},
        )
        lanes = (worker, [1, 2, 3], n, 1, max(20, n))
        found[f"claim_from_lanes {n}"] = (
            claim.SQL["claim_from_lanes"],
            lanes,
            {"queue_claim", "queue_suspect", "queue_pkey"},
        )
        for outcome in (Succeeded(), Failed("no")):
            job = ClaimedJob(UUID(int=0), 1, 0, 3, Terms("work"), "default", "{}", None, None, "sql")
            runs = [decide(job._replace(id=uuid4()), outcome, 0.5) for _ in range(n)]
            found[f"finish_attempts {n} {outcome}"] = (
                finish.SQL["finish_attempts"],
                (worker, *finish._columns(runs), 900.0),
                {"queue_pkey"},
            )
    return found


def is_bad(access: Access, *, small: bool = False) -> bool:
    """A look at every row: of the table or, unless it is small, of an index that has them all."""
    return access.by is None or (access.by in ("queue_pkey", "queue_claim") and not (access.condition or small))


async def bad_plans(engine: Engine, worker: int, *, small: bool = False, role: str = "none") -> list[str]:
    problems = []
    await engine.db.execute(f"set role {role}")
    for name, (statement, arguments, wanted) in statements(worker).items():
        found = await accesses(engine.db, statement, *arguments)
        problems += [f"{name}: {access}" for access in found if is_bad(access, small=small)]
        if missing := wanted - {access.by for access in found}:
            problems.append(f"{name}: does not use {missing}")
    await engine.db.execute("reset role")
    return problems


@pytest.mark.parametrize("role", ["none", "headrace_worker"])
async def test_the_plans_are_right_on_an_empty_and_on_a_small_queue(engine: Engine, role: str) -> None:
    worker = await prepare(engine)
    assert await bad_plans(engine, worker, small=True, role=role) == []
    await fill(engine.db, 1000)
    assert await bad_plans(engine, worker, small=True, role=role) == []
    await engine.claim(worker, 200)
    await engine.db.execute("analyze headrace.queue")
    assert await bad_plans(engine, worker, small=True, role=role) == []


async def test_the_guard_sees_a_bad_plan(engine: Engine) -> None:
    await fill(engine.db, 1000)
    whole = "select job_id from headrace.queue where spent = 0 order by job_id limit 5"
    assert [access for access in await accesses(engine.db, whole) if is_bad(access)]
    await engine.db.execute("drop index headrace.queue_claim")
    worker = await prepare(engine)
    assert [problem for problem in await bad_plans(engine, worker) if problem.startswith("claim_from_lane ")]


async def test_plans_made_while_the_queue_was_empty_stay_right_when_it_fills(engine: Engine) -> None:
    worker = await prepare(engine)

    async def work() -> None:
        """All that a worker asks, ten times, so that a generic plan would have been settled on."""
        for _ in range(10):
            held = await engine.claim(worker, 10)
            held += await claim_jobs(engine.db, worker_id=worker, lanes=[1], limit=10, suspects=1)
            ghosts = [Held(uuid4(), 1, 0, 3, 1, 1, suspect=False)] * (not held)
            assert len(await engine.finish(worker, held or ghosts)) == len(held)
            await promote_due(engine.db)
            await read_next_due(engine.db)
            await engine.rescue()
            await list_held(engine.db, worker_id=worker)

    # Nothing below may have plans made anew, as an ANALYZE would.
    await engine.db.execute("alter table headrace.queue set (autovacuum_enabled = off)")
    await work()
    await fill(engine.db, 300_000)
    before = await rows_read(engine.db)
    await work()
    # 200 jobs, each read a few times, and not 300,000 once.
    assert await rows_read(engine.db) - before < 20_000


async def test_what_lets_jobs_through_gates_was_planned_on_an_empty_queue_and_stays_right_when_it_fills(
    engine: Engine,
) -> None:
    worker = await prepare(engine)
    await engine.db.execute("update headrace.definition set max_concurrency = 1000 where key = 'work'")
    await engine.db.execute("delete from headrace.regate")
    await engine.db.execute("alter table headrace.queue set (autovacuum_enabled = off)")
    for _ in range(10):
        assert (await engine.pass_gates(worker)).held == []
    await fill(engine.db, 100_000)
    await engine.db.execute("update headrace.queue set gate = 0")
    before = await rows_read(engine.db)
    for _ in range(10):
        held = (await engine.pass_gates(worker)).held
        assert len(await engine.finish(worker, held)) == 10
    assert await rows_read(engine.db) - before < 10_000


async def test_the_plans_are_right_with_statistics_of_a_busy_moment_long_ago(engine: Engine) -> None:
    worker = await prepare(engine)
    await fill(engine.db, 400)
    await engine.claim(worker, 100)
    await engine.db.execute("analyze headrace.queue")
    await engine.db.execute("alter table headrace.queue set (autovacuum_enabled = off)")
    await fill(engine.db, 300_000)
    assert await bad_plans(engine, worker) == []
    before = await rows_read(engine.db)
    assert await engine.rescue() == 0
    await engine.lose(worker)
    assert await engine.rescue() == 100
    assert await rows_read(engine.db) - before < 5_000


async def test_the_plans_are_right_with_a_million_waiting_and_a_million_in_the_future(million: Engine) -> None:
    worker = await prepare(million)
    await fill(million.db, MILLION)
    assert await bad_plans(million, worker) == []
    await fill(million.db, MILLION, status="scheduled")
    assert await bad_plans(million, worker) == []
    await million.db.execute("analyze headrace.queue")
    assert await bad_plans(million, worker) == []

    before = await rows_read(million.db)
    for _ in range(5):
        held = await million.claim(worker, 500)
        assert len(await million.finish(worker, held)) == 500
        assert await promote_due(million.db) == 0
        assert await million.rescue() == 0
    assert await rows_read(million.db) - before < 50_000
