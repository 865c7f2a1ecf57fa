"""Finishing: only what the worker still holds, each run once, and the state machine's next step."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import asyncpg
import pytest
from tests.at_once import Another, until_blocked
from tests.engine import Engine, as_claimed

from headrace.model.job.outcome import (
    Cancel,
    Canceled,
    CannotRead,
    Fail,
    Failed,
    Outcome,
    Released,
    Retry,
    Snooze,
    Succeeded,
    TimedOut,
)
from headrace.model.job.transition import decide
from headrace.queue.change import cancel_job
from headrace.queue.finish import finish_attempts

HOUR = timedelta(hours=1)


async def test_only_the_worker_that_holds_a_run_can_finish_it(engine: Engine) -> None:
    job_id = await engine.enqueue()
    holder, other = await engine.worker(), await engine.worker()
    (held,) = await engine.claim(holder)
    assert await engine.finish(other, held) == set()
    assert await engine.finish(holder, held._replace(run=held.run + 1)) == set()
    assert await engine.finish(holder, held._replace(run=held.run - 1)) == set()
    assert await engine.status(job_id) == "running"
    assert await engine.attempts(job_id) == []
    assert await engine.finish(holder, held) == {job_id}


async def test_a_run_is_finished_once(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    assert await engine.finish(worker, held, Succeeded("1")) == {job_id}
    assert await engine.finish(worker, held, Fail("late")) == set()
    assert await engine.attempts(job_id) == [(1, "succeeded", "succeeded")]
    assert (await engine.job(job_id)).result == 1


async def test_a_waiting_job_cannot_be_finished(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    await engine.finish(worker, held, Released())
    assert await engine.finish(worker, held) == set()
    assert await engine.status(job_id) == "queued"


async def test_a_token_from_before_a_release_is_refused_though_the_same_worker_holds_the_job_again(
    engine: Engine,
) -> None:
    for way_back in (Released(), Snooze(0), Retry(0)):
        job_id = await engine.enqueue()
        worker = await engine.worker()
        (first,) = await engine.claim(worker)
        await engine.finish(worker, first, way_back)
        (second,) = await engine.claim(worker)
        assert (second.job_id, second.run) == (job_id, first.run + 1)
        assert await engine.finish(worker, first, Fail("late")) == set()
        assert await engine.status(job_id) == "running"
        assert await engine.finish(worker, second) == {job_id}
        assert await engine.status(job_id) == "succeeded"


async def test_a_stale_worker_cannot_finish_a_rescued_job(engine: Engine) -> None:
    job_id = await engine.enqueue()
    stale = await engine.worker()
    (first,) = await engine.claim(stale)
    await engine.lose(stale)
    await engine.rescue()
    assert await engine.finish(stale, first) == set()
    fresh = await engine.worker()
    (second,) = await engine.claim(fresh)
    assert await engine.finish(stale, first) == set()
    assert await engine.finish(fresh, second, Succeeded('"fresh"')) == {job_id}
    assert await engine.finish(stale, first) == set()
    assert await engine.attempts(job_id) == [(1, "lost", None), (2, "succeeded", "succeeded")]


async def test_a_batch_accepts_what_is_held_and_leaves_out_the_rest(engine: Engine) -> None:
    ids = await engine.enqueue_many(3)
    worker, other = await engine.worker(), await engine.worker()
    held = await engine.claim(worker, 2)
    (theirs,) = await engine.claim(other)
    await engine.finish(worker, held[0])
    assert await engine.finish(worker, [theirs, *held]) == {ids[1]}
    assert [await engine.status(job_id) for job_id in ids] == ["succeeded", "succeeded", "running"]


EACH: list[tuple[Outcome, str, str, int]] = [
    (Succeeded("{}"), "succeeded", "succeeded", 1),
    (Failed("boom"), "failed", "scheduled", 1),
    (TimedOut("slow"), "timed_out", "scheduled", 1),
    (Retry(0), "retried", "queued", 1),
    (Retry(HOUR), "retried", "scheduled", 1),
    (Snooze(HOUR), "snoozed", "scheduled", 0),
    (Released(), "released", "queued", 0),
    (CannotRead("newer"), "released", "scheduled", 0),
    (Cancel("unwanted"), "canceled", "canceled", 1),
    (Canceled(), "canceled", "canceled", 1),
    (Fail("never"), "failed", "failed", 1),
]


async def test_a_batch_may_mix_all_outcomes(engine: Engine) -> None:
    ids = await engine.enqueue_many(len(EACH))
    worker = await engine.worker()
    held = await engine.claim(worker, len(EACH))
    pairs = zip(held, EACH, strict=True)
    transitions = [decide(as_claimed(run), outcome, 0.5) for run, (outcome, *_) in pairs]
    assert await finish_attempts(engine.db, worker_id=worker, transitions=transitions) == set()
    for job_id, (_, written, status, spent) in zip(ids, EACH, strict=True):
        assert (await engine.job(job_id)).attempt_count == spent
        assert await engine.status(job_id) == status
        final = status if status not in ("queued", "scheduled") else None
        assert await engine.attempts(job_id) == [(1, written, final)]


async def test_a_requested_cancel_beats_every_way_back_into_the_queue(engine: Engine) -> None:
    for outcome in (Failed("boom"), TimedOut("slow"), Retry(0), Snooze(HOUR), Released()):
        job_id = await engine.enqueue()
        worker = await engine.worker()
        held = await engine.claim(worker)
        assert await cancel_job(engine.db, job_id)
        assert await engine.finish(worker, held, outcome) == {job_id}
        assert await engine.attempts(job_id) == [(1, "canceled", "canceled")]


@pytest.mark.parametrize(
    ("outcome", "final"), [(Succeeded(), "succeeded"), (Fail(), "failed"), (Failed("last"), "dead_letter")]
)
async def test_a_requested_cancel_does_not_beat_an_end(engine: Engine, outcome: Outcome, final: str) -> None:
    job_id = await engine.enqueue(max_attempts=1)
    worker = await engine.worker()
    held = await engine.claim(worker)
    await cancel_job(engine.db, job_id)
    await engine.finish(worker, held, outcome)
    assert await engine.status(job_id) == final


async def test_results_errors_and_tracebacks_are_kept(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    await engine.finish(worker, await engine.claim(worker), Failed("boom", "Traceback: line 1"))
    await engine.db.execute("update headrace.queue set status = 'queued', run_at = null, queued_at = now()")
    await engine.finish(worker, await engine.claim(worker), Succeeded('[1, {"ä": "\\u2713"}]'))
    rows = await engine.db.fetch("select error, traceback, result from headrace.attempt order by run")
    assert (rows[0]["error"], rows[0]["traceback"], rows[0]["result"]) == ("boom", "Traceback: line 1", None)
    assert (rows[1]["error"], rows[1]["traceback"]) == (None, None)
    assert (await engine.job(job_id)).result == [1, {"ä": "✓"}]


async def test_a_huge_error_with_bytes_that_text_cannot_hold_is_kept_in_part(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    awful = "begin\x00\udcff" + "x" * 5_000_000 + "\x00end"
    assert await engine.finish(worker, await engine.claim(worker), Failed(awful, awful)) == {job_id}
    row = await engine.db.fetchrow("select error, traceback from headrace.attempt")
    assert row is not None
    for text, limit in ((row["error"], 10_100), (row["traceback"], 50_100)):
        assert len(text) <= limit
        assert text.startswith("begin\\x00\\udcff")
        assert text.endswith("\\x00end")


async def test_a_retry_beyond_the_year_9000_is_refused_by_the_table(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    late = decide(as_claimed(held), Snooze(HOUR), 0.5)._replace(delay=7_100 * 365.0 * 86_400)
    with pytest.raises(asyncpg.CheckViolationError, match="due_between_1900_and_9000"):
        await finish_attempts(engine.db, worker_id=worker, transitions=[late])
    assert await engine.status(job_id) == "running"


@pytest.mark.parametrize("outcome", [Retry(HOUR), Snooze(HOUR)])
async def test_a_delay_counts_from_the_databases_clock_and_keeps_the_job_from_claims(
    engine: Engine, outcome: Outcome
) -> None:
    await engine.enqueue()
    worker = await engine.worker()
    held = await engine.claim(worker)
    before = await engine.db.fetchval("select clock_timestamp()")
    await engine.finish(worker, held, outcome)
    after = await engine.db.fetchval("select clock_timestamp()")
    row = await engine.db.fetchrow("select status, run_at, queued_at, worker_id, claimed_at from headrace.queue")
    assert row is not None
    assert before + HOUR <= row["run_at"] <= after + HOUR
    assert tuple(row)[::2] == ("scheduled", None, None)
    assert row["worker_id"] is None
    assert await engine.claim(worker) == []


async def test_what_comes_back_at_once_stands_behind_those_already_waiting(engine: Engine) -> None:
    first, second = await engine.enqueue_many(2)
    worker = await engine.worker()
    await engine.finish(worker, await engine.claim(worker, 1), Released())
    assert [held.job_id for held in await engine.claim(worker)] == [second, first]


async def test_the_last_attempt_makes_a_dead_letter_exactly_at_the_maximum_and_once(engine: Engine) -> None:
    job_id = await engine.enqueue(max_attempts=3)
    worker = await engine.worker()
    statuses = []
    for outcome in (Retry(0), Released(), Retry(0), Snooze(0), Retry(0)):
        (held,) = await engine.claim(worker)
        await engine.finish(worker, held, outcome)
        assert await engine.finish(worker, held, outcome) == set()
        statuses.append(await engine.status(job_id))
    assert statuses == ["queued"] * 4 + ["dead_letter"]
    assert await engine.claim(worker) == []
    assert (await engine.job(job_id)).attempt_count == 3
    assert [final for _, _, final in await engine.attempts(job_id)] == [None] * 4 + ["dead_letter"]


async def test_attempts_are_only_ever_added(engine: Engine) -> None:
    await engine.db.execute(
        """
        create function headrace.test_forbid() returns trigger language plpgsql as
          $$ begin raise exception 'an attempt was changed'; end $$;
        create trigger test_forbid before update or delete on headrace.attempt
          for each row execute function headrace.test_forbid()
        """
    )
    await engine.enqueue_many(3)
    worker = await engine.worker()
    for outcome in (Released(), Retry(0), Snooze(0), Succeeded()):
        assert len(await engine.finish(worker, await engine.claim(worker), outcome)) == 3
    assert await engine.db.fetchval("select count(*) from headrace.attempt") == 12


async def test_a_finish_takes_rows_in_order_and_so_does_not_deadlock_with_cancels(
    engine: Engine, another: Another
) -> None:
    low, high = sorted(await engine.enqueue_many(2))
    worker = await engine.worker()
    runs = {held.job_id: held for held in await engine.claim(worker)}
    canceler = await another()
    transaction = canceler.transaction()
    await transaction.start()
    assert await cancel_job(canceler, low)
    finishing = asyncio.create_task(engine.finish(worker, [runs[high], runs[low]], Failed("boom")))
    observer = await another()
    await until_blocked(observer, engine.db, canceler)
    # Had the finish begun with the other row, as it was told, this would wait for it, and it for us.
    assert await cancel_job(canceler, high)
    await transaction.commit()
    assert await finishing == {low, high}
    assert [await engine.status(job_id) for job_id in (low, high)] == ["canceled", "canceled"]
