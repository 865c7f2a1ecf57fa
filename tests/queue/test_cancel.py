"""Cancel: a waiting job ends at once, a running one is told, and none is claimed afterwards."""

from __future__ import annotations

import asyncio
from uuid import UUID

from tests.at_once import Another, refusal, until_blocked
from tests.engine import Engine

from headrace.model.job.outcome import Canceled, Fail, Failed, Outcome, Succeeded
from headrace.queue.change import cancel_job, retry_job
from headrace.queue.lease import list_cancel_requests


async def test_a_queued_job_is_canceled_at_once_and_never_claimed(engine: Engine) -> None:
    job_id = await engine.enqueue()
    assert await cancel_job(engine.db, job_id)
    assert await engine.status(job_id) == "canceled"
    assert await engine.claim(await engine.worker()) == []
    assert await engine.attempts(job_id) == [(1, "canceled", "canceled")]
    row = await engine.db.fetchrow("select worker_id, started_at, spent from headrace.attempt")
    assert row is not None
    assert tuple(row) == (None, None, 0)


async def test_a_scheduled_job_is_canceled_at_once(engine: Engine) -> None:
    job_id = await engine.enqueue(scheduled_for=await engine.db.fetchval("select now() + interval '1 hour'"))
    assert await cancel_job(engine.db, job_id)
    assert await engine.status(job_id) == "canceled"


async def test_a_job_that_waits_for_its_next_attempt_takes_the_next_run(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    await engine.finish(worker, await engine.claim(worker), Failed("boom"))
    assert await cancel_job(engine.db, job_id)
    assert await engine.attempts(job_id) == [(1, "failed", None), (2, "canceled", "canceled")]
    assert (await engine.job(job_id)).attempt_count == 1


async def test_a_running_job_is_told_and_stays_with_its_worker_until_it_stops(engine: Engine) -> None:
    job_id, other = await engine.enqueue_many(2)
    worker = await engine.worker()
    held = {h.job_id: h for h in await engine.claim(worker)}
    assert await list_cancel_requests(engine.db, worker_id=worker) == []
    assert await cancel_job(engine.db, job_id)
    assert await cancel_job(engine.db, job_id)
    assert await engine.status(job_id) == "running"
    assert await list_cancel_requests(engine.db, worker_id=worker) == [(job_id, 1)]
    assert await engine.finish(worker, held[job_id], Canceled()) == {job_id}
    assert await engine.status(job_id) == "canceled"
    assert await list_cancel_requests(engine.db, worker_id=worker) == []
    assert await engine.status(other) == "running"


async def test_an_ended_job_stays_as_it_ended(engine: Engine) -> None:
    ends: list[tuple[Outcome, str]] = [
        (Succeeded(), "succeeded"),
        (Fail(), "failed"),
        (Canceled(), "canceled"),
        (Failed("last"), "dead_letter"),
    ]
    worker = await engine.worker()
    for outcome, status in ends:
        job_id = await engine.enqueue(max_attempts=1)
        await engine.finish(worker, await engine.claim(worker), outcome)
        before = await engine.attempts(job_id)
        assert not await cancel_job(engine.db, job_id)
        assert await engine.status(job_id) == status
        assert await engine.attempts(job_id) == before


async def test_an_unknown_job_is_an_error(engine: Engine) -> None:
    error = await refusal(engine.db.execute("select headrace.cancel($1)", UUID(int=7)))
    assert error.sqlstate == "HR404"
    assert str(UUID(int=7)) in str(error)


async def test_a_claim_in_the_midst_of_its_transaction_makes_the_cancel_wait_and_see_a_running_job(
    engine: Engine, another: Another
) -> None:
    job_id, worker = await engine.enqueue(), await engine.worker()
    canceler, observer = await another(), await another()
    transaction = engine.db.transaction()
    await transaction.start()
    (held,) = await engine.claim(worker)
    canceling = asyncio.create_task(cancel_job(canceler, job_id))
    await until_blocked(observer, canceler, engine.db)
    await transaction.commit()
    assert await canceling
    assert await list_cancel_requests(engine.db, worker_id=worker) == [(job_id, held.run)]


async def test_a_claim_steps_over_a_job_that_is_being_canceled(engine: Engine, another: Another) -> None:
    wanted, unwanted = await engine.enqueue_many(2)
    canceler = await another()
    async with canceler.transaction():
        assert await cancel_job(canceler, unwanted)
        assert [held.job_id for held in await engine.claim(await engine.worker())] == [wanted]
    assert await engine.claim(await engine.worker()) == []
    assert await engine.status(unwanted) == "canceled"


async def test_a_cancel_that_waits_for_the_finish_comes_too_late(engine: Engine, another: Another) -> None:
    job_id, worker = await engine.enqueue(), await engine.worker()
    canceler, observer = await another(), await another()
    held = await engine.claim(worker)
    transaction = engine.db.transaction()
    await transaction.start()
    await engine.finish(worker, held)
    canceling = asyncio.create_task(cancel_job(canceler, job_id))
    await until_blocked(observer, canceler, engine.db)
    await transaction.commit()
    assert not await canceling
    assert await engine.attempts(job_id) == [(1, "succeeded", "succeeded")]


async def test_a_cancel_rolled_back_never_was(engine: Engine) -> None:
    job_id = await engine.enqueue()
    transaction = engine.db.transaction()
    await transaction.start()
    assert await cancel_job(engine.db, job_id)
    await transaction.rollback()
    assert [held.job_id for held in await engine.claim(await engine.worker())] == [job_id]


async def test_cancel_and_retry_in_turn_raise_the_run_and_leave_one_final(engine: Engine) -> None:
    job_id = await engine.enqueue()
    for turn in range(1, 4):
        assert await cancel_job(engine.db, job_id)
        attempts = await engine.attempts(job_id)
        assert [run for run, _, _ in attempts] == list(range(1, turn + 1))
        assert [final for _, _, final in attempts] == [None] * (turn - 1) + ["canceled"]
        assert await retry_job(engine.db, job_id)
        assert [final for _, _, final in await engine.attempts(job_id)] == [None] * turn
        assert await engine.status(job_id) == "queued"
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    assert held.run == 4
    assert await engine.finish(worker, held) == {job_id}
    assert (await engine.attempts(job_id))[-1] == (4, "succeeded", "succeeded")
