"""The view `headrace.jobs`: a job's whole story in one row."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from tests.engine import Engine

from headrace.model.job.outcome import Fail, Failed, Released, Snooze, Succeeded
from headrace.queue.change import cancel_job, retry_job
from headrace.queue.lease import write_progress

PROMISED = [
    "id",
    "tenant",
    "definition",
    "queue",
    "status",
    "priority",
    "payload",
    "source",
    "correlation_id",
    "dedupe_key",
    "scheduled_for",
    "queued_at",
    "started_at",
    "finished_at",
    "attempt_count",
    "max_attempts",
    "worker",
    "last_error",
    "result",
    "progress",
    "created_by",
]


async def test_the_view_has_every_column_that_was_promised(engine: Engine) -> None:
    rows = await engine.db.fetch(
        "select column_name from information_schema.columns where table_schema = 'headrace' and table_name = 'jobs'"
        " order by ordinal_position"
    )
    assert [row[0] for row in rows][: len(PROMISED)] == PROMISED


async def test_a_job_tells_its_story_from_enqueue_to_success(engine: Engine) -> None:
    job_id = await engine.enqueue(payload='{"n": 1}', correlation_id="c", dedupe_key="d", created_by="ann")
    waiting = await engine.job(job_id)
    assert (waiting.status, waiting.attempt_count, waiting.worker) == ("queued", 0, None)
    assert (waiting.payload, waiting.correlation_id, waiting.dedupe_key) == ({"n": 1}, "c", "d")
    assert (waiting.definition, waiting.queue, waiting.tenant, waiting.created_by) == (
        "work",
        "default",
        "default",
        "ann",
    )
    assert waiting.queued_at is not None
    assert (waiting.started_at, waiting.finished_at, waiting.result, waiting.progress) == (None, None, None, None)

    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    claimed_at = await claim_time(engine, job_id)
    await write_progress(engine.db, [(job_id, 0.5, "half")])
    running = await engine.job(job_id)
    assert (running.status, running.attempt_count, running.worker, running.progress) == ("running", 1, "test", 0.5)
    assert (running.started_at, running.queued_at, running.finished_at) == (claimed_at, waiting.queued_at, None)

    await engine.finish(worker, held, Succeeded('{"ok": true}'))
    ended = await engine.job(job_id)
    assert (ended.status, ended.attempt_count, ended.worker) == ("succeeded", 1, "test")
    assert (ended.result, ended.last_error) == ({"ok": True}, None)
    assert (ended.queued_at, ended.started_at) == (waiting.queued_at, claimed_at)
    assert ended.finished_at is not None
    assert ended.finished_at >= claimed_at
    assert (ended.payload, ended.dedupe_key, ended.created_by) == ({"n": 1}, "d", "ann")


async def test_a_release_and_a_snooze_are_not_counted_as_attempts(engine: Engine) -> None:
    job_id = await engine.enqueue(max_attempts=2)
    worker = await engine.worker()
    counts = []
    for outcome in (Released(), Snooze(0), Failed("first"), Released(), Failed("second")):
        await engine.db.execute("update headrace.queue set status = 'queued', run_at = null, queued_at = now()")
        (held,) = await engine.claim(worker)
        while_running = (await engine.job(job_id)).attempt_count
        await engine.finish(worker, held, outcome)
        counts.append((while_running, (await engine.job(job_id)).attempt_count))
    assert counts == [(1, 0), (1, 0), (1, 1), (2, 1), (2, 2)]
    assert await engine.status(job_id) == "dead_letter"
    assert await engine.db.fetchval("select id from headrace.jobs where unsuccessful") == job_id


async def test_a_failed_attempt_leaves_its_error_and_its_worker_to_be_seen_while_the_job_waits(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    claimed_at = await claim_time(engine, job_id)
    await engine.finish(worker, held, Failed("no such file"))
    job = await engine.job(job_id)
    assert (job.status, job.last_error, job.worker) == ("scheduled", "no such file", "test")
    assert (job.started_at, job.queued_at, job.finished_at) == (claimed_at, None, None)


async def test_a_retried_job_is_live_again_and_keeps_its_last_error(engine: Engine) -> None:
    job_id = await engine.enqueue()
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    await engine.finish(worker, held, Fail("hopeless"))
    assert (await engine.job(job_id)).finished_at is not None
    await retry_job(engine.db, job_id)
    job = await engine.job(job_id)
    assert (job.status, job.attempt_count, job.finished_at, job.last_error) == ("queued", 0, None, "hopeless")


async def test_a_job_canceled_before_it_ran_has_no_start_and_no_worker(engine: Engine) -> None:
    job_id = await engine.enqueue()
    queued_at = (await engine.job(job_id)).queued_at
    await cancel_job(engine.db, job_id)
    job = await engine.job(job_id)
    assert (job.status, job.attempt_count, job.worker, job.started_at) == ("canceled", 0, None, None)
    assert job.queued_at == queued_at
    assert job.finished_at is not None


async def test_each_job_is_one_row_whatever_it_went_through(engine: Engine) -> None:
    ids = await engine.enqueue_many(3)
    worker = await engine.worker()
    for _ in range(3):
        for held in await engine.claim(worker):
            await engine.finish(worker, held, Released())
    for job_id in ids:
        await cancel_job(engine.db, job_id)
        await retry_job(engine.db, job_id)
    rows = await engine.db.fetch("select id, status, run from headrace.jobs order by id")
    assert [tuple(row) for row in rows] == [(job_id, "queued", 4) for job_id in ids]


async def test_queue_depth_counts_what_lives_by_lane_and_status(engine: Engine) -> None:
    await engine.enqueue_many(3)
    await engine.enqueue("other", queue="slow", scheduled_for=await engine.db.fetchval("select now() + $1", HOUR))
    await engine.claim(await engine.worker(), 1)
    rows = await engine.db.fetch("select queue, definition, status, jobs from headrace.queue_depth order by 1, 2, 3")
    assert [tuple(row) for row in rows] == [
        ("default", "work", "queued", 2),
        ("default", "work", "running", 1),
        ("slow", "other", "scheduled", 1),
    ]


HOUR = timedelta(hours=1)


async def claim_time(engine: Engine, job_id: UUID) -> datetime:
    """When the job that runs now was claimed."""
    claimed_at: datetime = await engine.db.fetchval("select claimed_at from headrace.queue where job_id = $1", job_id)
    return claimed_at
