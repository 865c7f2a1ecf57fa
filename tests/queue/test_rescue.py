"""Rescue: jobs of lost workers come back, those of the living never do."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest
from tests.at_once import Another, held_while_looking_at_workers, until_blocked
from tests.engine import Engine, watched

from headrace.model.job.outcome import Failed, Released, Retry, Snooze, Succeeded
from headrace.queue.change import cancel_job
from headrace.queue.lease import note_standstill, renew_lease, stop_worker
from headrace.queue.rescue import mark_gone_workers, mark_lost_workers, rescue_jobs

MINUTE = timedelta(minutes=1)
LONG = timedelta(days=1)


async def expire(engine: Engine, worker: int) -> None:
    """Let the lease run out, with nobody noticing yet."""
    await engine.db.execute(
        "update headrace.worker set lease_expires_at = now() - interval '1 second' where id = $1", worker
    )


async def test_a_job_of_a_lost_worker_waits_again_with_one_attempt_spent(engine: Engine) -> None:
    waiting = await engine.enqueue()
    worker = await engine.worker()
    await engine.claim(worker)
    behind = await engine.enqueue()
    await engine.lose(worker)
    assert await engine.rescue() == 1
    row = await engine.db.fetchrow("select * from headrace.queue where job_id = $1", waiting)
    assert row is not None
    assert (row["status"], row["spent"], row["run"], row["suspect"], row["worker_id"]) == ("queued", 1, 1, True, None)
    assert row["seq"] > await engine.db.fetchval("select seq from headrace.queue where job_id = $1", behind)
    assert await engine.attempts(waiting) == [(1, "lost", None)]
    assert (await engine.job(waiting)).last_error == "the worker was lost while it ran this job"


@pytest.mark.parametrize("returns", ["before the rescue", "after it"])
async def test_a_lost_worker_that_comes_back_says_why_it_was_silent_and_changes_nothing_else(
    engine: Engine, returns: str
) -> None:
    job_id, worker, other = await engine.enqueue(), await engine.worker(), await engine.worker()
    await engine.claim(worker)
    await note_standstill(engine.db, worker_id=worker, seconds=3.0)  # nobody called it lost: nothing to explain
    await engine.lose(worker)
    if returns == "after it":
        await engine.rescue()
    await note_standstill(engine.db, worker_id=worker, seconds=12.2)
    await note_standstill(engine.db, worker_id=other, seconds=99.0)
    await engine.rescue()
    assert await engine.attempts(job_id) == [(1, "lost", None)]
    assert (await engine.job(job_id)).last_error == (
        "its worker was silent for 12 s while its process lived: does a handler hold the GIL? "
        'Declare it with isolation="process"'
    )


async def test_a_job_that_was_told_to_stop_is_canceled(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    await engine.claim(worker)
    await cancel_job(engine.db, job_id)
    await engine.lose(worker)
    assert await rescue_jobs(engine.db) == [(job_id, "canceled")]
    assert await engine.attempts(job_id) == [(1, "lost", "canceled")]


async def test_crashes_are_counted_and_end_in_dead_letter(engine: Engine) -> None:
    job_id = await engine.enqueue(max_attempts=3)
    steps = []
    for _ in range(3):
        worker = await engine.worker()
        assert len(await engine.claim(worker)) == 1
        await engine.lose(worker)
        await engine.rescue()
        steps.append((await engine.status(job_id), (await engine.job(job_id)).attempt_count))
    assert steps == [("queued", 1), ("queued", 2), ("dead_letter", 3)]
    assert await engine.claim(await engine.worker()) == []
    assert await engine.attempts(job_id) == [(1, "lost", None), (2, "lost", None), (3, "lost", "dead_letter")]


async def test_failures_and_crashes_count_together(engine: Engine) -> None:
    job_id = await engine.enqueue(max_attempts=2)
    worker = await engine.worker()
    await engine.finish(worker, await engine.claim(worker), Retry(0))
    await engine.claim(worker)
    await engine.lose(worker)
    await engine.rescue()
    assert await engine.status(job_id) == "dead_letter"


async def test_a_live_worker_is_never_rescued_until_somebody_calls_it_lost(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    await expire(engine, worker)
    assert await engine.rescue() == 0
    assert await engine.finish(worker, held) == {job_id}


async def test_nobody_is_called_lost_before_we_were_well_for_a_whole_lease(engine: Engine) -> None:
    short, long = await engine.worker(lease=MINUTE), await engine.worker(lease=10 * MINUTE)
    for worker in (short, long):
        await expire(engine, worker)
    assert await mark_lost_workers(engine.db, watched(timedelta(0))) == []
    assert await mark_lost_workers(engine.db, watched(MINUTE - timedelta(seconds=20))) == []
    assert [lost.id for lost in await mark_lost_workers(engine.db, watched(MINUTE))] == [short]
    assert [lost.id for lost in await mark_lost_workers(engine.db, watched(10 * MINUTE))] == [long]
    assert await mark_lost_workers(engine.db, watched(LONG)) == []


async def test_a_lease_that_has_not_run_out_is_not_lost(engine: Engine) -> None:
    worker = await engine.worker()
    assert await mark_lost_workers(engine.db, watched(LONG)) == []
    assert await renew_lease(engine.db, worker_id=worker, running=0)


async def test_a_heartbeat_after_the_lease_ran_out_keeps_the_worker_if_nobody_called_it_lost(engine: Engine) -> None:
    worker = await engine.worker()
    await expire(engine, worker)
    assert await renew_lease(engine.db, worker_id=worker, running=3)
    assert await mark_lost_workers(engine.db, watched(LONG)) == []
    assert await engine.db.fetchval("select running from headrace.worker where lease_expires_at > now()") == 3


async def test_lost_is_for_good(engine: Engine) -> None:
    worker = await engine.worker()
    await engine.lose(worker)
    assert not await renew_lease(engine.db, worker_id=worker, running=0)
    row = await engine.db.fetchrow("select state, lease_expires_at < now(), armed from headrace.worker")
    assert row is not None
    assert tuple(row) == ("lost", True, False)


async def test_a_heartbeat_in_the_midst_of_its_transaction_is_not_called_lost(engine: Engine, another: Another) -> None:
    worker, beating = await engine.worker(), await another()
    await expire(engine, worker)
    transaction = beating.transaction()
    await transaction.start()
    assert await renew_lease(beating, worker_id=worker, running=0)
    assert await mark_lost_workers(engine.db, watched(LONG)) == []
    await transaction.commit()
    assert await mark_lost_workers(engine.db, watched(LONG)) == []
    assert await renew_lease(engine.db, worker_id=worker, running=0)


async def test_a_heartbeat_that_waits_for_the_mark_learns_that_it_is_lost(engine: Engine, another: Another) -> None:
    worker, beating, marking = await engine.worker(), await another(), await another()
    await expire(engine, worker)
    transaction = marking.transaction()
    await transaction.start()
    assert len(await mark_lost_workers(marking, watched(LONG))) == 1
    beat = asyncio.create_task(renew_lease(beating, worker_id=worker, running=0))
    await until_blocked(engine.db, beating, marking)
    await transaction.commit()
    assert not await beat
    assert await engine.db.fetchval("select state::text from headrace.worker where id = $1", worker) == "lost"


async def test_a_worker_in_the_midst_of_a_claim_is_not_called_lost(engine: Engine, another: Another) -> None:
    job_id, worker, marking = await engine.enqueue(), await engine.worker(), await another()
    await expire(engine, worker)
    async with engine.db.transaction():
        assert len(await engine.claim(worker)) == 1
        assert await mark_lost_workers(marking, watched(LONG)) == []
    assert await engine.status(job_id) == "running"


async def test_a_claim_that_waits_for_the_mark_gets_nothing(engine: Engine, another: Another) -> None:
    job_id, worker, marking, observer = await engine.enqueue(), await engine.worker(), await another(), await another()
    await expire(engine, worker)
    transaction = marking.transaction()
    await transaction.start()
    assert len(await mark_lost_workers(marking, watched(LONG))) == 1
    claiming = asyncio.create_task(engine.claim(worker))
    await until_blocked(observer, engine.db, marking)
    await transaction.commit()
    assert await claiming == []
    assert await engine.status(job_id) == "queued"


async def test_a_job_that_is_just_being_finished_is_left_alone(engine: Engine, another: Another) -> None:
    job_id = await engine.enqueue()
    worker, rescuer = await engine.worker(), await another()
    (held,) = await engine.claim(worker)
    await engine.lose(worker)
    async with engine.db.transaction():
        assert await engine.finish(worker, held, Succeeded()) == {job_id}
        assert await rescue_jobs(rescuer) == []
    assert await rescue_jobs(rescuer) == []
    assert await engine.attempts(job_id) == [(1, "succeeded", "succeeded")]


async def test_a_finish_that_waits_for_the_rescue_finds_nothing(engine: Engine, another: Another) -> None:
    job_id = await engine.enqueue()
    worker, rescuer, observer = await engine.worker(), await another(), await another()
    (held,) = await engine.claim(worker)
    await engine.lose(worker)
    transaction = rescuer.transaction()
    await transaction.start()
    assert len(await rescue_jobs(rescuer)) == 1
    finishing = asyncio.create_task(engine.finish(worker, held))
    await until_blocked(observer, engine.db, rescuer)
    await transaction.commit()
    assert await finishing == set()
    assert await engine.attempts(job_id) == [(1, "lost", None)]


async def test_a_rescue_with_an_old_snapshot_does_not_take_a_job_from_the_live_worker_that_has_it_now(
    engine: Engine, another: Another
) -> None:
    job_id = await engine.enqueue()
    lost, live, slow = await engine.worker(), await engine.worker(), await another()
    await engine.claim(lost)
    await engine.lose(lost)
    async with held_while_looking_at_workers(engine, slow, another) as keeper:
        rescuing = asyncio.create_task(rescue_jobs(slow))
        await until_blocked(engine.db, slow, keeper)
        assert await engine.rescue() == 1
        (held,) = await engine.claim(live)
    assert await rescuing == []
    assert await engine.finish(live, held) == {job_id}
    assert await engine.attempts(job_id) == [(1, "lost", None), (2, "succeeded", "succeeded")]


async def test_a_worker_that_is_gone_or_stopped_counts_as_lost(engine: Engine) -> None:
    gone, stopped = await engine.worker(), await engine.worker()
    ids = await engine.enqueue_many(2)
    for worker in (gone, stopped):
        assert len(await engine.claim(worker, 1)) == 1
    await engine.db.execute("delete from headrace.worker where id = $1", gone)
    await stop_worker(engine.db, worker_id=stopped)
    assert await engine.rescue() == 2
    assert [await engine.status(job_id) for job_id in ids] == ["queued", "queued"]


async def test_only_workers_whose_process_is_gone_are_lost_before_their_lease_is_over(engine: Engine) -> None:
    gone, there, unknown = [await engine.worker() for _ in range(3)]
    for worker, process in ((gone, "process-1"), (there, "process-2")):
        await engine.db.execute("update headrace.worker set process = $2 where id = $1", worker, process)
    await engine.enqueue()
    await engine.claim(gone)
    assert [lost.id for lost in await mark_gone_workers(engine.db, ["process-1", "process-3"])] == [gone]
    assert await engine.rescue() == 1
    for worker in (there, unknown):
        assert await renew_lease(engine.db, worker_id=worker, running=0)


async def test_two_rescuers_at_once_rescue_each_job_once(engine: Engine, another: Another) -> None:
    ids = await engine.enqueue_many(600)
    worker = await engine.worker()
    await engine.claim(worker, 600)
    await engine.lose(worker)
    first, second = await another(), await another()
    async with first.transaction():
        taken = {rescued.job_id for rescued in await rescue_jobs(first)}
        assert len(taken) == 500
        # It neither waits for the first nor takes the same.
        others = {rescued.job_id for rescued in await rescue_jobs(second)}
        assert not taken & others
    assert len(taken) + len(others) + await engine.rescue() == 600
    attempts = await engine.db.fetch("select job_id, run, outcome::text from headrace.attempt order by job_id")
    assert [tuple(row) for row in attempts] == [(job_id, 1, "lost") for job_id in sorted(ids)]


async def make_suspects(engine: Engine, n: int) -> None:
    await engine.enqueue_many(n)
    worker = await engine.worker()
    await engine.claim(worker, n)
    await engine.lose(worker)
    await engine.rescue()


async def test_suspects_are_claimed_so_many_at_a_time_and_within_the_limit(engine: Engine) -> None:
    await make_suspects(engine, 5)
    await engine.enqueue_many(10)
    worker = await engine.worker()
    for _ in range(2):
        for suspects in (1, 0, 2):
            held = await engine.claim(worker, 4, suspects=suspects)
            assert (len(held), sum(h.suspect for h in held)) == (4, suspects)
            await engine.finish(worker, held, Released())
        # And again with a second lane, for which the claim is another statement.
        await engine.enqueue("other")


async def test_only_suspects_fill_a_claim_when_nothing_else_waits(engine: Engine) -> None:
    await make_suspects(engine, 5)
    worker = await engine.worker()
    assert len(await engine.claim(worker, 10, suspects=1)) == 1
    assert len(await engine.claim(worker, 2, suspects=3)) == 2
    assert await engine.claim(worker, 10, suspects=0) == []


async def test_a_failure_clears_suspicion_and_a_release_keeps_it(engine: Engine) -> None:
    await make_suspects(engine, 1)
    worker = await engine.worker()
    suspicion = "select suspect from headrace.queue"
    await engine.finish(worker, await engine.claim(worker), Released())
    assert await engine.db.fetchval(suspicion) is True
    await engine.finish(worker, await engine.claim(worker), Failed("an ordinary one"))
    assert await engine.db.fetchval(suspicion) is False


async def lose_suspect(engine: Engine, job_id: UUID, *, beside: int) -> None:
    """It is claimed together with so many others, and its worker is lost."""
    if beside:
        await engine.enqueue_many(beside)
    worker = await engine.worker()
    assert len(await engine.claim(worker)) == 1 + beside
    await engine.lose(worker)
    await engine.rescue()
    await engine.db.execute("delete from headrace.queue where job_id <> $1", job_id)


async def test_a_suspect_that_is_lost_beside_others_spends_nothing_and_alone_it_does(engine: Engine) -> None:
    job_id = await engine.enqueue(max_attempts=3)
    spent = []
    for beside in (0, 3, 1, 0):
        await lose_suspect(engine, job_id, beside=beside)
        spent.append((await engine.job(job_id)).attempt_count)
    assert spent == [1, 1, 1, 2]
    errors = await engine.db.fetch("select error from headrace.attempt where job_id = $1 order by run", job_id)
    assert ["not counted" in row[0] for row in errors] == [False, True, True, False]


async def test_a_suspect_ends_even_if_it_is_never_alone(engine: Engine) -> None:
    job_id = await engine.enqueue(max_attempts=2)
    losses = 0
    while await engine.status(job_id) == "queued":
        await lose_suspect(engine, job_id, beside=1)
        losses += 1
    assert (await engine.status(job_id), losses) == ("dead_letter", 11)


async def test_a_snooze_between_two_crashes_of_neighbours_does_not_make_an_innocent_job_pay_again(
    engine: Engine,
) -> None:
    job_id = await engine.enqueue(max_attempts=3)
    for _ in range(3):
        await lose_suspect(engine, job_id, beside=1)
        worker = await engine.worker()
        await engine.finish(worker, await engine.claim(worker), Snooze(0))
    assert (await engine.job(job_id)).attempt_count == 1


async def test_whether_others_were_beside_it_does_not_depend_on_who_is_rescued_first(
    engine: Engine, another: Another
) -> None:
    job_id = await engine.enqueue(max_attempts=3)
    await lose_suspect(engine, job_id, beside=1)
    await engine.enqueue()
    worker = await engine.worker()
    assert len(await engine.claim(worker)) == 2
    await engine.lose(worker)
    other = await another()
    async with other.transaction():
        await other.execute("select from headrace.queue where job_id = $1 for update", job_id)
        assert await engine.rescue() == 1
    assert await engine.rescue() == 1
    assert (await engine.job(job_id)).attempt_count == 1
