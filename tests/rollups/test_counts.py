"""What is counted: every way into the queue and every way out of it, once, if it commits."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.engine import Engine
from tests.rollups.counting import counted, deltas
from tests.triggers.triggering import hourly
from tests.worker.running import app_on

from headrace.model.job.outcome import (
    Cancel,
    Canceled,
    Fail,
    Failed,
    Outcome,
    Released,
    Retry,
    Snooze,
    Succeeded,
    TimedOut,
)
from headrace.queue.change import cancel_job, retry_job

HOUR = timedelta(hours=1)
CAME, RAN = {"enqueued": 1}, {"enqueued": 1, "runs": 1}


@pytest.mark.parametrize(
    ("outcome", "max_attempts", "expected"),
    [
        (Succeeded("1"), 3, {"succeeded": 1}),
        (Fail("never"), 3, {"failed": 1}),
        (Failed("boom"), 3, {"retried": 1}),
        (Failed("boom"), 1, {"dead_letter": 1}),
        (Retry(HOUR), 3, {"retried": 1}),
        (Retry(HOUR), 1, {"dead_letter": 1}),
        (TimedOut("slow"), 3, {"timed_out": 1, "retried": 1}),
        (TimedOut("slow"), 1, {"timed_out": 1, "dead_letter": 1}),
        (Snooze(HOUR), 1, {"snoozed": 1}),
        (Released(), 1, {"released": 1}),
        (Cancel("no longer wanted"), 3, {"canceled": 1}),
        (Canceled(), 3, {"canceled": 1}),
    ],
)
async def test_each_end_of_a_run_is_counted(
    engine: Engine, outcome: Outcome, max_attempts: int, expected: dict[str, int]
) -> None:
    await engine.enqueue(max_attempts=max_attempts)
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    await engine.finish(worker, held, outcome)
    assert await counted(engine) == RAN | expected


async def test_a_requested_cancel_that_beats_a_retry_is_a_cancel(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    await cancel_job(engine.db, job_id)
    await engine.finish(worker, held, Failed("boom"))
    assert await counted(engine) == RAN | {"canceled": 1}


async def test_a_waiting_job_that_is_canceled_never_ran(engine: Engine) -> None:
    await cancel_job(engine.db, await engine.enqueue())
    await cancel_job(engine.db, await engine.enqueue(scheduled_for=await later(engine)))
    assert await counted(engine) == {"enqueued": 2, "canceled": 2}


async def test_asking_twice_for_a_cancel_counts_once(engine: Engine) -> None:
    job_id = await engine.enqueue()
    assert await cancel_job(engine.db, job_id)
    assert not await cancel_job(engine.db, job_id)
    assert await counted(engine) == CAME | {"canceled": 1}


@pytest.mark.parametrize(("max_attempts", "then"), [(3, "retried"), (1, "dead_letter")])
async def test_a_lost_run_is_counted_with_what_became_of_its_job(engine: Engine, max_attempts: int, then: str) -> None:
    await engine.enqueue(max_attempts=max_attempts)
    worker = await engine.worker()
    await engine.claim(worker)
    await engine.lose(worker)
    await engine.rescue()
    assert await counted(engine) == RAN | {"lost": 1, then: 1}


async def test_a_late_finish_counts_nothing(engine: Engine) -> None:
    await engine.enqueue()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    assert await engine.finish(worker, held)
    assert not await engine.finish(worker, held, Fail("late"))
    assert not await engine.finish(worker + 1, held)
    assert await counted(engine) == RAN | {"succeeded": 1}


async def test_a_persons_retry_comes_in_again_and_ends_again(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    for outcome in (Fail("no"), Succeeded()):
        (held,) = await engine.claim(worker)
        await engine.finish(worker, held, outcome)
        await retry_job(engine.db, job_id)
    assert await counted(engine) == {"enqueued": 1, "requeued": 2, "runs": 2, "failed": 1, "succeeded": 1}


async def test_a_batch_is_a_few_deltas_and_not_one_for_each_job(engine: Engine) -> None:
    await engine.enqueue_many(500)
    worker = await engine.worker()
    held = await engine.claim(worker, 500)
    assert await deltas(engine) == 1
    await engine.finish(worker, held)
    # One moment and one claim: their latencies may lie on both sides of a bound, or two.
    assert await deltas(engine) <= 1 + 9
    assert await counted(engine) == {"enqueued": 500, "runs": 500, "succeeded": 500}


async def test_what_does_not_commit_is_not_counted(engine: Engine) -> None:
    await engine.define()
    transaction = engine.db.transaction()
    await transaction.start()
    await engine.enqueue_many(3)
    await cancel_job(engine.db, await engine.enqueue())
    await transaction.rollback()
    assert await counted(engine) == {}


async def test_a_request_that_gives_an_earlier_job_is_not_counted_again(engine: Engine) -> None:
    for _ in range(3):
        await engine.enqueue(dedupe_key="a")
        await engine.enqueue(idempotency_key="b")
    await engine.enqueue_many(2, dedupe_keys=["c", "c"])
    assert await counted(engine) == {"enqueued": 3}


async def test_every_road_into_the_queue_is_counted(engine: Engine) -> None:
    hr = app_on(engine.endpoint.url)

    @hr.job
    def work() -> None: ...

    async with hr:
        await hr.sync_definitions()
        await hr.enqueue("work")
        await hr.enqueue_many("work", [{}, {}])
    await engine.enqueue()
    trigger = await hourly(engine)
    await trigger.fire()
    await engine.db.execute("select headrace.trigger('hourly')")
    assert await counted(engine) == {"enqueued": await engine.db.fetchval("select count(*) from headrace.job")}
    assert await engine.db.fetchval("select array_agg(distinct source order by source) from headrace.job") == [
        *("api", "manual", "scheduler", "sql")
    ]


async def test_tenants_and_definitions_are_counted_apart_and_queues_of_one_together(engine: Engine) -> None:
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    await engine.enqueue("work", queue="one")
    await engine.enqueue("work", queue="two")
    await engine.enqueue("work", tenant="acme")
    await engine.enqueue("mail", tenant="acme")
    assert await counted(engine) == {"enqueued": 2}
    assert await counted(engine, tenant="acme") == {"enqueued": 1}
    assert await counted(engine, "mail", "acme") == {"enqueued": 1}
    assert await counted(engine, "mail") == {}


async def later(engine: Engine) -> object:
    return await engine.db.fetchval("select now() + interval '1 hour'")
