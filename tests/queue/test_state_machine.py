"""Any sequence of requests, claims, ends, crashes and late words leaves the database as the model says."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from tests.engine import Engine
from tests.queue.model import Attempt, Model, ModelJob
from tests.servers import TestServer

from headrace.db.connect import Endpoint
from headrace.errors import Conflict
from headrace.model.job.outcome import Cancel, Fail, Failed, Outcome, Released, Retry, Snooze, Succeeded, TimedOut
from headrace.queue.change import cancel_job, retry_job
from headrace.queue.claim import Held
from headrace.queue.promote import promote_due

T = TypeVar("T")

OUTCOMES: list[Outcome] = [
    Succeeded("1"),
    Failed("boom"),
    TimedOut("slow"),
    Fail(),
    Cancel(),
    Released(),
    Snooze(0),
    Snooze(timedelta(hours=1)),
    Retry(0),
    Retry(timedelta(hours=1)),
]

CLEAR = "; ".join(
    f"delete from headrace.{table}" for table in ("queue", "job", "attempt", "idempotency", "worker", "waiter")
)
LIVE = "select job_id, status::text, run, spent, worker_id, suspect, cancel_requested, dedupe_key from headrace.queue"
ENDED = "select job_id, run, outcome::text, final::text, spent from headrace.attempt order by job_id, run"


class Queue(RuleBasedStateMachine):
    """Drives the database and the model alike."""

    def __init__(self, runner: asyncio.Runner, engine: Engine) -> None:
        super().__init__()
        self.runner, self.engine, self.model = runner, engine, Model()
        self.workers: list[int] = []
        self.tokens: list[tuple[int, Held]] = []
        self.run_seen: dict[UUID, int] = {}
        self.run(engine.db.execute(CLEAR))

    def run(self, call: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(call)

    @rule(
        max_attempts=st.integers(1, 3),
        later=st.booleans(),
        dedupe_key=st.sampled_from([None, "a", "b"]),
        waiting_only=st.booleans(),
        idempotency_key=st.sampled_from([None, None, "x", "y"]),
    )
    def enqueue(
        self,
        max_attempts: int,
        later: bool,
        dedupe_key: str | None,
        waiting_only: bool,
        idempotency_key: str | None,
    ) -> None:
        options: dict[str, Any] = {
            "max_attempts": max_attempts,
            "dedupe_key": dedupe_key,
            "idempotency_key": idempotency_key,
        }
        options["dedupe_while"] = "waiting" if waiting_only else "live"
        if later:
            options["scheduled_for"] = self.run(self.engine.db.fetchval("select now() + interval '1 hour'"))
        job_id = self.run(self.engine.enqueue(**options))
        known = self.model.idempotency.get(idempotency_key or "") or self.model.holder(dedupe_key)
        if known:
            assert job_id == known
        else:
            assert job_id not in self.model.jobs
            status = "scheduled" if later else "queued"
            self.model.jobs[job_id] = ModelJob(max_attempts, dedupe_key, waiting_only, status, held_key=dedupe_key)
        if idempotency_key:
            self.model.idempotency[idempotency_key] = job_id

    @precondition(lambda self: len(self.workers) < 3)
    @rule()
    def start_worker(self) -> None:
        self.workers.append(self.run(self.engine.worker()))

    @precondition(lambda self: self.workers)
    @rule(data=st.data(), limit=st.integers(1, 3), suspects=st.integers(0, 2))
    def claim(self, data: st.DataObject, limit: int, suspects: int) -> None:
        worker = data.draw(st.sampled_from(self.workers))
        waiting = self.model.with_status("queued")
        suspected = sum(self.model.jobs[job_id].suspect for job_id in waiting)
        first = min(limit, suspects, suspected)
        expected = first + min(limit - first, len(waiting) - suspected)
        claimed = self.run(self.engine.claim(worker, limit, suspects=suspects))
        assert (len(claimed), sum(held.suspect for held in claimed)) == (expected, first)
        for held in claimed:
            assert held.job_id in waiting
            job = self.model.jobs[held.job_id]
            job.claimed_by(worker)
            assert (held.run, held.spent, held.max_attempts) == (job.run, job.spent, job.max_attempts)
            self.tokens.append((worker, held))

    @precondition(lambda self: self.model.with_status("running"))
    @rule(data=st.data(), outcome=st.sampled_from(OUTCOMES))
    def finish_what_is_held(self, data: st.DataObject, outcome: Outcome) -> None:
        held = [token for token in self.tokens if self.model.holds(token[0], token[1].job_id, token[1].run)]
        self.finish(data.draw(st.sampled_from(held)), outcome)

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), outcome=st.sampled_from(OUTCOMES))
    def finish_with_any_token_there_ever_was(self, data: st.DataObject, outcome: Outcome) -> None:
        self.finish(data.draw(st.sampled_from(self.tokens)), outcome)

    def finish(self, token: tuple[int, Held], outcome: Outcome) -> None:
        worker, held = token
        ours = self.model.holds(worker, held.job_id, held.run)
        accepted = self.run(self.engine.finish(worker, held, outcome))
        assert accepted == ({held.job_id} if ours else set())
        if ours:
            self.model.jobs[held.job_id].finished(outcome)

    @precondition(lambda self: self.model.jobs)
    @rule(data=st.data())
    def person_cancels(self, data: st.DataObject) -> None:
        job_id = data.draw(st.sampled_from(list(self.model.jobs)))
        assert self.run(cancel_job(self.engine.db, job_id)) == self.model.jobs[job_id].canceled()

    @precondition(lambda self: self.model.jobs)
    @rule(data=st.data())
    def person_retries(self, data: st.DataObject) -> None:
        job_id = data.draw(st.sampled_from(list(self.model.jobs)))
        job = self.model.jobs[job_id]
        holder = self.model.holder(job.dedupe_key)
        if job.is_live:
            assert not self.run(retry_job(self.engine.db, job_id))
        elif holder:
            with pytest.raises(Conflict, match=str(holder)):
                self.run(retry_job(self.engine.db, job_id))
        else:
            assert self.run(retry_job(self.engine.db, job_id))
            job.retried()

    @precondition(lambda self: self.workers)
    @rule(data=st.data())
    def worker_is_lost(self, data: st.DataObject) -> None:
        worker = data.draw(st.sampled_from(self.workers))
        self.workers.remove(worker)
        self.run(self.engine.lose(worker))

    @rule()
    def rescue(self) -> None:
        abandoned = [job for job in self.model.jobs.values() if job.worker and job.worker not in self.workers]
        assert self.run(self.engine.rescue()) == len(abandoned)
        for job in abandoned:
            job.lost()

    @precondition(lambda self: self.model.with_status("scheduled"))
    @rule(data=st.data())
    def time_passes(self, data: st.DataObject) -> None:
        job_id = data.draw(st.sampled_from(self.model.with_status("scheduled")))
        past = "update headrace.queue set run_at = now() - interval '1 second' where job_id = $1"
        self.run(self.engine.db.execute(past, job_id))
        self.model.jobs[job_id].due = True

    @rule()
    def promote(self) -> None:
        due = [job for job in self.model.jobs.values() if job.status == "scheduled" and job.due]
        assert self.run(promote_due(self.engine.db)) == len(due)
        for job in due:
            job.waits("queued")

    @invariant()
    def the_database_is_as_the_model_says(self) -> None:
        queue = {row[0]: tuple(row)[1:] for row in self.run(self.engine.db.fetch(LIVE))}
        attempts: dict[UUID, list[Attempt]] = {job_id: [] for job_id in self.model.jobs}
        spent: dict[UUID, int] = {}
        for job_id, run, outcome, final, so_far in self.run(self.engine.db.fetch(ENDED)):
            attempts[job_id].append((run, outcome, final))
            spent[job_id] = so_far
        assert attempts == {job_id: job.attempts for job_id, job in self.model.jobs.items()}
        assert queue == {job_id: as_row(job) for job_id, job in self.model.jobs.items() if job.is_live}
        for job_id, job in self.model.jobs.items():
            finals = [final for _, _, final in attempts[job_id] if final]
            assert len(finals) + (job_id in queue) == 1, "a job lives in one place"
            assert finals in ([], [job.status])
            assert job.is_live or spent[job_id] == job.spent
            assert job.spent <= job.max_attempts
            assert self.run_seen.get(job_id, 0) <= job.run, "a run never goes down"
            self.run_seen[job_id] = job.run

    @invariant()
    def every_live_job_has_its_record(self) -> None:
        ids = {row[0] for row in self.run(self.engine.db.fetch("select id from headrace.job"))}
        assert ids == set(self.model.jobs)


def as_row(job: ModelJob) -> tuple[object, ...]:
    """The queue row of a live job."""
    return (job.status, job.run, job.spent, job.worker, job.suspect, job.cancel_requested, job.held_key)


# A failure is worth the minutes it takes to find its shortest example.
@pytest.mark.timeout(600)
def test_the_database_follows_the_model_through_any_sequence_of_steps(embedded_server: TestServer) -> None:
    with asyncio.Runner() as runner:
        database = embedded_server.database(fresh=True)
        endpoint = Endpoint(runner.run(database.__aenter__()))
        engine = Engine(endpoint, runner.run(endpoint.connect("test")))

        class OnThisDatabase(Queue):
            def __init__(self) -> None:
                super().__init__(runner, engine)

        try:
            run_state_machine_as_test(
                OnThisDatabase,
                settings=settings(
                    max_examples=50,
                    stateful_step_count=40,
                    deadline=None,
                    print_blob=True,
                    database=None,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        finally:
            runner.run(engine.db.close())
            runner.run(database.__aexit__(None, None, None))
