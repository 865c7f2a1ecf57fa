"""Retry: a person lets an ended job run again, with its attempts counted anew and its history kept."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import pytest
from tests.at_once import Another, held_after_insert, refusal, until_blocked
from tests.engine import Engine

from headrace.db.connect import Connection
from headrace.errors import Conflict
from headrace.model.job.outcome import Canceled, Fail, Failed, Outcome, Succeeded
from headrace.queue.change import cancel_job, replace_job, retry_job


async def end(engine: Engine, outcome: Outcome | None = None, **options: Any) -> UUID:
    """A job that has ended."""
    job_id = await engine.enqueue(**options)
    worker = await engine.worker()
    await engine.finish(worker, await engine.claim(worker), outcome)
    return job_id


ENDS: list[tuple[Outcome, str, str]] = [
    (Succeeded("1"), "succeeded", "succeeded"),
    (Fail(), "failed", "failed"),
    (Canceled(), "canceled", "canceled"),
    (Failed("last"), "failed", "dead_letter"),
]


async def test_a_job_that_ended_in_any_way_runs_again_and_keeps_its_history(engine: Engine) -> None:
    for outcome, written, final in ENDS:
        job_id = await end(engine, outcome, max_attempts=1)
        assert await engine.attempts(job_id) == [(1, written, final)]
        assert await retry_job(engine.db, job_id)
        assert await engine.status(job_id) == "queued"
        assert await engine.attempts(job_id) == [(1, written, None)]
        assert (await engine.job(job_id)).attempt_count == 0
        worker = await engine.worker()
        (held,) = await engine.claim(worker)
        assert (held.job_id, held.run, held.spent, held.max_attempts) == (job_id, 2, 0, 1)
        assert await engine.finish(worker, held, Failed("again")) == {job_id}
        assert await engine.attempts(job_id) == [(1, written, None), (2, "failed", "dead_letter")]


async def test_attempts_are_counted_anew(engine: Engine) -> None:
    job_id = await engine.enqueue(max_attempts=2)
    for _ in range(2):
        for spent in range(2):
            worker = await engine.worker()
            (held,) = await engine.claim(worker)
            assert held.spent == spent
            await engine.lose(worker)
            await engine.rescue()
        assert await engine.status(job_id) == "dead_letter"
        assert await retry_job(engine.db, job_id)
    assert [run for run, _, _ in await engine.attempts(job_id)] == [1, 2, 3, 4]
    # Nor is it a suspect any more: a person has looked at it.
    assert await engine.db.fetchval("select suspect from headrace.queue") is False


async def test_a_retried_job_keeps_what_was_asked_for(engine: Engine) -> None:
    job_id = await end(engine, queue="slow", priority=3, max_attempts=7, dedupe_key="k", payload='{"a": 1}')
    await engine.db.execute("update headrace.definition set priority = 900, max_attempts = 1, queue = 'other'")
    await retry_job(engine.db, job_id)
    job = await engine.job(job_id)
    assert (job.queue, job.priority, job.max_attempts, job.payload) == ("slow", 3, 7, {"a": 1})
    assert await engine.enqueue(dedupe_key="k") == job_id


async def test_a_live_job_is_not_retried(engine: Engine) -> None:
    queued, running = await engine.enqueue(priority=900), await engine.enqueue()
    scheduled = await engine.enqueue(scheduled_for=await engine.db.fetchval("select now() + interval '1 hour'"))
    await engine.claim(await engine.worker(), 1)
    state = "select job_id, status, run, seq, spent from headrace.queue order by job_id"
    before = await engine.db.fetch(state)
    for job_id in (queued, running, scheduled):
        assert not await retry_job(engine.db, job_id)
    assert await engine.db.fetch(state) == before


@pytest.mark.parametrize("outcome", [Fail("no"), Failed("last")], ids=["failed", "dead letter"])
async def test_a_job_that_failed_is_replaced_once_and_not_retried_any_more(engine: Engine, outcome: Outcome) -> None:
    job_id, new_id = await end(engine, outcome, max_attempts=1), await engine.enqueue()
    assert await replace_job(engine.db, job_id, new_id)
    assert await engine.status(job_id) == "canceled"
    assert await engine.db.fetchval("select replaced_by from headrace.jobs where id = $1", job_id) == new_id
    for again in (retry_job(engine.db, job_id), replace_job(engine.db, job_id, await engine.enqueue())):
        with pytest.raises(Conflict, match=f'"{job_id}" cannot be retried: job "{new_id}" replaced it'):
            await again
    assert not await engine.db.fetchval("select headrace._change_one('retry', $1)", job_id)


async def test_what_succeeded_or_was_canceled_stays_as_it_is_and_what_lives_is_not_replaced(engine: Engine) -> None:
    for outcome in (Succeeded("1"), Canceled()):
        job_id = await end(engine, outcome)
        new_id = await engine.enqueue()
        assert await replace_job(engine.db, job_id, new_id)
        assert await retry_job(engine.db, job_id)
        assert not await replace_job(engine.db, job_id, new_id)


async def test_of_a_retry_and_a_replacement_at_once_one_wins(engine: Engine, another: Another) -> None:
    first, second = await another(), await another()
    new_id = UUID(int=7)

    async def replace(conn: Connection, job_id: UUID) -> bool:
        return await replace_job(conn, job_id, new_id)

    for one, other in ((retry_job, replace), (replace, retry_job), (replace, replace)):
        job_id = await end(engine, Failed("last"), max_attempts=1)
        transaction = first.transaction()
        await transaction.start()
        assert await one(first, job_id)
        waiting = asyncio.create_task(other(second, job_id))
        await until_blocked(engine.db, second, first)
        await transaction.commit()
        if one is retry_job:
            assert not await waiting
        else:
            with pytest.raises(Conflict, match=f'job "{new_id}" replaced it'):
                await waiting


async def test_an_unknown_job_is_an_error(engine: Engine) -> None:
    assert (await refusal(engine.db.execute("select headrace.retry($1)", UUID(int=7)))).sqlstate == "HR404"


async def test_of_two_retries_at_once_one_wins(engine: Engine, another: Another) -> None:
    job_id = await end(engine)
    first, second = await another(), await another()
    transaction = first.transaction()
    await transaction.start()
    assert await retry_job(first, job_id)
    waiting = asyncio.create_task(retry_job(second, job_id))
    await until_blocked(engine.db, second, first)
    await transaction.commit()
    assert not await waiting
    assert await engine.db.fetchval("select count(*) from headrace.queue") == 1


async def test_the_second_retry_wins_when_the_first_is_rolled_back(engine: Engine, another: Another) -> None:
    job_id = await end(engine)
    first, second = await another(), await another()
    transaction = first.transaction()
    await transaction.start()
    assert await retry_job(first, job_id)
    waiting = asyncio.create_task(retry_job(second, job_id))
    await until_blocked(engine.db, second, first)
    await transaction.rollback()
    assert await waiting
    assert await engine.status(job_id) == "queued"


async def test_a_newer_job_with_the_same_dedupe_key_is_in_the_way_and_named(engine: Engine) -> None:
    job_id = await end(engine, dedupe_key="k")
    holder = await engine.enqueue(dedupe_key="k")
    before = await engine.attempts(job_id)
    error = await refusal(engine.db.execute("select headrace.retry($1)", job_id))
    assert error.sqlstate == "HR409"
    assert error.as_dict()["detail"] == str(holder)
    assert str(holder) in str(error)
    with pytest.raises(Conflict, match=str(holder)):
        await retry_job(engine.db, job_id)
    assert await engine.attempts(job_id) == before
    assert await engine.status(job_id) == "succeeded"
    assert await engine.db.fetchval("select count(*) from headrace.queue") == 1
    await cancel_job(engine.db, holder)
    assert await retry_job(engine.db, job_id)


async def test_a_holder_that_ends_while_the_retry_looks_for_it_is_no_longer_in_the_way(
    engine: Engine, another: Another
) -> None:
    job_id = await end(engine, dedupe_key="k")
    holder = await engine.enqueue(dedupe_key="k")
    caller = await another()
    async with held_after_insert(engine, caller, another) as keeper:
        retrying = asyncio.create_task(retry_job(caller, job_id))
        await until_blocked(engine.db, caller, keeper)
        assert await cancel_job(engine.db, holder)
    assert await retrying
    assert await engine.status(job_id) == "queued"


async def test_a_retry_waits_for_a_newer_job_that_is_just_being_enqueued(engine: Engine, another: Another) -> None:
    job_id = await end(engine, dedupe_key="k")
    caller, observer = await another(), await another()
    transaction = engine.db.transaction()
    await transaction.start()
    holder = await engine.enqueue(dedupe_key="k")
    retrying = asyncio.create_task(retry_job(caller, job_id))
    await until_blocked(observer, caller, engine.db)
    await transaction.commit()
    with pytest.raises(Conflict, match=str(holder)):
        await retrying


@pytest.mark.parametrize(
    ("change", "words"),
    [("deleted_from_code_at = now()", "was removed from the code"), ("enabled = false", "is disabled")],
)
async def test_a_job_that_nothing_can_run_is_not_retried(engine: Engine, change: str, words: str) -> None:
    job_id = await end(engine)
    await engine.db.execute(f"update headrace.definition set {change}")
    with pytest.raises(Conflict, match=words):
        await retry_job(engine.db, job_id)
    assert await engine.status(job_id) == "succeeded"
