"""Jobs that a worker cannot read: whose they are instead, and for how long."""

from __future__ import annotations

from datetime import timedelta

from tests.engine import Engine

from headrace.model.job.outcome import CannotRead, Released, Retry
from headrace.queue.claim import list_lanes
from headrace.queue.lease import WorkerIdentity, register_worker

MINUTE = timedelta(minutes=1)
UNREAD = CannotRead("it does not fit")


async def worker_of(engine: Engine, version: str) -> int:
    """A worker whose code has this version of `work`."""
    who = WorkerIdentity(version, "host", 1, "0", ("*",), ("work",), 10, MINUTE, schemas={"work": version})
    return await register_worker(engine.db, who)


async def serves(engine: Engine, worker: int) -> bool:
    return bool((await list_lanes(engine.db, worker_id=worker)).terms)


async def meet_unreadable(engine: Engine, worker: int) -> None:
    """The worker claims a job and cannot read it."""
    await engine.enqueue()
    (held,) = await engine.claim(worker, 1)
    await engine.finish(worker, held, UNREAD)


async def test_a_worker_leaves_what_it_cannot_read_to_another_version_and_comes_back_later(engine: Engine) -> None:
    old, new = await worker_of(engine, "old"), await worker_of(engine, "new")
    await meet_unreadable(engine, old)
    assert (await serves(engine, old), await serves(engine, new)) == (False, True)
    # Neither of them reads everything: each job finds its worker by trying.
    await meet_unreadable(engine, new)
    assert (await serves(engine, old), await serves(engine, new)) == (True, True)
    await engine.db.execute("update headrace.misfit set at = at - interval '2 minutes' where worker_id = $1", new)
    assert (await serves(engine, old), await serves(engine, new)) == (False, True)
    await engine.db.execute("update headrace.misfit set at = at - interval '2 minutes'")
    assert (await serves(engine, old), await serves(engine, new)) == (True, True)


async def test_a_bad_payload_keeps_no_worker_from_its_jobs_while_all_have_one_version(engine: Engine) -> None:
    one, two = await worker_of(engine, "same"), await worker_of(engine, "same")
    await meet_unreadable(engine, one)
    assert (await serves(engine, one), await serves(engine, two)) == (True, True)
    gone = await worker_of(engine, "other")
    assert not await serves(engine, one)
    await engine.lose(gone)
    assert await serves(engine, one)


async def test_it_waits_for_as_long_again_as_it_was_unreadable_and_never_longer_than_a_minute(engine: Engine) -> None:
    worker, job_id = await worker_of(engine, "old"), await engine.enqueue()
    for age, waits in ((0, 1), (8, 8), (600, 60)):
        await engine.db.execute(
            "update headrace.queue set status = 'queued', run_at = null, queued_at = now(),"
            " unreadable_since = case when $1 > 0 then now() - make_interval(secs => $1) end",
            age,
        )
        (held,) = await engine.claim(worker, 1)
        await engine.finish(worker, held, UNREAD)
        left = await engine.db.fetchval(
            "select extract(epoch from run_at - finished_at) from headrace.queue join headrace.attempt using (job_id)"
            " order by attempt.run desc limit 1"
        )
        assert waits <= left < 600
        job = await engine.job(job_id)
        assert (job.status, job.attempt_count) == ("scheduled", 0)


async def test_a_worker_that_could_read_it_ends_the_count_and_a_shutdown_does_not(engine: Engine) -> None:
    worker, _ = await worker_of(engine, "old"), await engine.enqueue()
    since = "select unreadable_since is not null from headrace.queue"
    for outcome, counts in ((UNREAD, True), (Released(), True), (Retry(0), False)):
        await engine.db.execute(
            "update headrace.queue set status = 'queued', run_at = null, queued_at = coalesce(queued_at, now())"
        )
        (held,) = await engine.claim(worker, 1)
        await engine.finish(worker, held, outcome)
        assert await engine.db.fetchval(since) is counts


async def test_it_is_no_dead_letter_before_every_live_version_has_tried_it(engine: Engine) -> None:
    old, new = await worker_of(engine, "old"), await worker_of(engine, "new")
    job_id = await engine.enqueue()
    await try_after_a_while(engine, old)
    assert (await engine.status(job_id), (await engine.job(job_id)).attempt_count) == ("scheduled", 0)
    await try_after_a_while(engine, new)
    job = await engine.job(job_id)
    assert job.status == "dead_letter"
    assert "no worker could read it" in (job.last_error or "")


async def try_after_a_while(engine: Engine, worker: int) -> None:
    """The worker cannot read the only job, which nobody could for twenty minutes."""
    await engine.db.execute(
        "update headrace.queue set status = 'queued', run_at = null, queued_at = now(),"
        " unreadable_since = now() - interval '20 minutes'"
    )
    (held,) = await engine.claim(worker, 1)
    await engine.finish(worker, held, UNREAD)
