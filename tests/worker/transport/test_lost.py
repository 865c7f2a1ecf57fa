"""What the database says a worker holds and what the worker knows may differ: both sides find back."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.waiting import PATIENCE, until
from tests.worker.lines import Forgetful, cut_first_replies
from tests.worker.refusing import inserts_tried, refuse_inserts
from tests.worker.running import (
    app_on,
    attempts,
    finished,
    rescuing,
    running,
    speaking,
    until_armed,
    until_status,
    worker_id,
    worker_of,
    working,
)

import headrace.worker.claim.claimer
import headrace.worker.transport.http
import headrace.worker.transport.postgres
from headrace import Context, Headrace, RetryPolicy
from headrace.db.connect import Connection, Endpoint
from headrace.queue.claim import claim_jobs
from headrace.worker.maintenance.maintenance import Rescuer
from headrace.worker.transport.interface import Beat

MARK_LOST = "update headrace.worker set state = 'lost', stopped_at = now() where id = $1"


def reconcile_every(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Over whichever transport."""
    for module in (headrace.worker.transport.postgres, headrace.worker.transport.http):
        monkeypatch.setattr(module, "RECONCILE_EVERY", seconds)


async def test_a_claim_that_the_worker_never_heard_of_is_given_back_unspent_and_runs(
    hr: Headrace, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    reconcile_every(monkeypatch, 0.1)
    monkeypatch.setattr(headrace.worker.claim.claimer, "LONGEST_WAIT", 0.2)

    @hr.job()
    async def work() -> str:
        return "done"

    async with hr:
        job_id = await work.enqueue()
        await connection.execute("update headrace.lane set paused = true")
        async with running(worker_of(hr)) as process:
            lanes = [row[0] for row in await connection.fetch("select id from headrace.lane")]
            held = await claim_jobs(connection, worker_id=worker_id(process), lanes=lanes, limit=10, suspects=1)
            assert [(claimed.job_id, claimed.run) for claimed in held] == [(job_id, 1)]
            await until_status(connection, job_id, "queued")
            await connection.execute("update headrace.lane set paused = false")
            job = await finished(hr, job_id)
    assert (job.result, job.attempt_count) == ("done", 1)
    assert await attempts(connection, job_id) == [(1, "released", None), (2, "succeeded", "succeeded")]


async def test_a_claim_whose_reply_was_cut_off_is_given_back_and_runs_once(
    hr: Headrace, connection: Connection
) -> None:
    ran: list[int] = []

    @hr.job()
    async def work(ctx: Context) -> None:
        ran.append(ctx.fencing_token)

    async with hr:
        process = worker_of(hr)
        cuts = cut_first_replies(process)
        async with running(process):
            job_id = await work.enqueue()
            job = await finished(hr, job_id)
    assert len(cuts) == 1
    assert (job.status, job.attempt_count, ran) == ("succeeded", 1, [2])
    assert await attempts(connection, job_id) == [(1, "released", None), (2, "succeeded", "succeeded")]


async def test_a_job_that_its_worker_does_not_know_twice_in_a_row_has_spent_an_attempt_and_so_ends(
    hr: Headrace, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    at_once = RetryPolicy(base=timedelta(0), cap=timedelta(0), jitter=timedelta(0))

    @hr.job(max_attempts=2, retry=at_once)
    async def work() -> None:
        raise AssertionError("it never begins")

    async with hr:
        process = worker_of(hr)
        cut_first_replies(process, 4)
        async with running(process):
            job = await finished(hr, await work.enqueue())
    assert await attempts(connection, job.id) == [
        (1, "released", None),
        (2, "failed", None),
        (3, "released", None),
        (4, "failed", "dead_letter"),
    ]
    assert "did not know the claim" in str(job.last_error)
    assert caplog.text.count("attempt counted: the job was unknown") == 2


async def test_an_outcome_whose_reply_was_cut_off_counts_once_and_is_not_called_lost(
    hr: Headrace, connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    hr.job("work")(nothing)
    async with hr, running(speaking(worker_of(hr), Forgetful)):
        job_id = await hr.enqueue("work")
        await until("it was written again", lambda: "outcome ignored" in caplog.text)
    assert await attempts(connection, job_id) == [(1, "succeeded", "succeeded")]
    assert "the outcome was recorded before, or another worker owns the job now" in caplog.text
    assert "lease lost" not in caplog.text


async def test_reconciling_leaves_alone_what_runs_and_what_waits_to_be_written(
    hr: Headrace, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    reconcile_every(monkeypatch, 0.0)

    @hr.job()
    async def work() -> None:
        for _ in range(3):
            await asyncio.sleep(0)

    async with working(hr, concurrency=5):
        ids = await work.enqueue_many([{}] * 500)
        await until("all have ended", lambda: all_ended(connection, len(ids)))
    assert await connection.fetchval("select count(*) from headrace.attempt") == 500
    assert await connection.fetchval("select count(*) from headrace.attempt where outcome = 'succeeded'") == 500


async def all_ended(connection: Connection, jobs: int) -> bool:
    """Whether so many jobs have a final status."""
    return bool(await connection.fetchval("select count(*) from headrace.attempt where final is not null") >= jobs)


@pytest.mark.parametrize("swallows", [False, True], ids=["stops", "returns all the same"])
async def test_a_worker_called_lost_drops_its_run_and_goes_on_under_a_new_id(
    database_url: str, connection: Connection, swallows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Rescuer, "tick", nothing)  # nobody rescues before the test does
    hr = app_on(database_url, lease_duration_s=3.0)
    started, told = asyncio.Event(), asyncio.Event()
    ran: list[int] = []

    @hr.job()
    async def work(ctx: Context) -> str:
        ran.append(ctx.fencing_token)
        if ctx.fencing_token > 1:
            return "second"
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            told.set()
            if not swallows:
                raise
        return "first"

    async with working(hr) as process:
        job_id, first = await work.enqueue(), worker_id(process)
        await asyncio.wait_for(started.wait(), PATIENCE)
        await connection.execute(MARK_LOST, first)
        await until("its handler is cancelled", told.is_set)
        await until("it is registered anew", lambda: worker_id(process) != first)
        assert await attempts(connection, job_id) == []
        with rescuing(database_url):
            job = await finished(hr, job_id)
        states = await connection.fetch("select id, state::text from headrace.worker order by id")
        assert [tuple(row) for row in states] == [(first, "lost"), (worker_id(process), "live")]
    assert (job.result, ran) == ("second", [1, 2])
    assert await attempts(connection, job_id) == [(1, "lost", None), (2, "succeeded", "succeeded")]


async def test_a_worker_called_lost_while_it_is_idle_goes_on_working(database_url: str, connection: Connection) -> None:
    hr = app_on(database_url, lease_duration_s=1.0)

    @hr.job()
    async def work() -> str:
        return "done"

    async with working(hr) as process:
        first = worker_id(process)
        await until_armed(connection, first)
        await connection.execute(MARK_LOST, first)
        await until("it is registered anew", lambda: worker_id(process) != first)
        assert (await finished(hr, await work.enqueue())).result == "done"
        by = await connection.fetchval("select worker_id from headrace.attempt")
    assert by not in (first, None)


# A disk with a fault, a bug of the server, a table in a migration, a right that is missing: all of them may pass.
@pytest.mark.parametrize("sqlstate", ["58030", "XX000", "42P01", "42501"])
async def test_a_worker_called_lost_comes_back_though_the_database_refuses_it_at_first(
    database_url: str, connection: Connection, sqlstate: str
) -> None:
    hr = app_on(database_url, lease_duration_s=1.0)

    @hr.job()
    async def work() -> str:
        return "done"

    async with working(hr) as process:
        first = worker_id(process)
        await refuse_inserts(connection, "worker", sqlstate, times=2)
        await connection.execute(MARK_LOST, first)
        await until("it is registered anew", lambda: worker_id(process) != first)
        assert await inserts_tried(connection) == 3
        assert (await finished(hr, await work.enqueue())).result == "done"


async def test_the_late_answer_to_a_lost_workers_beat_does_not_concern_the_new_one(
    hr: Headrace, database_url: str, connection: Connection
) -> None:
    hr.job()(nothing)
    async with hr:
        transport = worker_of(hr)._transport
        await transport.register()
        old = transport.worker_id
        async with connection.transaction():
            await connection.execute(MARK_LOST, old)
            beat = asyncio.create_task(transport.heartbeat(Beat(running=0)))
            watch = await Endpoint(database_url).connect("test")
            await until("the beat waits for the row", lambda: somebody_waits(watch))
            await watch.close()
            await transport.register()
        assert transport.worker_id != old
        assert (await beat).live
        assert (await transport.heartbeat(Beat(running=0))).live
        await transport.heartbeat(Beat(running=0, last=True))
        await transport.close()


async def nothing(_: object = None) -> None:
    """A job that nobody enqueues, and a look at nobody."""


async def somebody_waits(connection: Connection) -> bool:
    """Whether a session of this database waits for a lock."""
    return bool(
        await connection.fetchval(
            "select exists (select from pg_stat_activity"
            " where datname = current_database() and wait_event_type = 'Lock')"
        )
    )
