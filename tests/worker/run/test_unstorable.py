"""An outcome that cannot be sent must not hold up the others."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.engine import Engine, as_claimed
from tests.waiting import PATIENCE
from tests.worker.refusing import inserts_tried, refuse_inserts
from tests.worker.running import attempts, finished, only_http, only_postgres, worker_of, working

from headrace import Headrace
from headrace.db.connect import Connection
from headrace.model.job.outcome import Succeeded
from headrace.model.job.transition import decide
from headrace.queue.lease import WorkerIdentity
from headrace.worker.run.finisher import Finisher
from headrace.worker.transport.postgres import PostgresTransport

DEEP = "[" * 300 + "]" * 300


# In a migration, a disk with a fault, a bug of the server, no permission, a changed plan, and no partition, which is a
# check that has no name: none of them is the outcome's fault.
@pytest.mark.parametrize("sqlstate", ["42P01", "58030", "XX000", "42501", "0A000", "23514"])
async def test_an_outcome_waits_for_a_database_that_refuses_a_statement_for_reasons_of_its_own(
    hr: Headrace, connection: Connection, sqlstate: str
) -> None:
    assert await ended_in_spite_of(hr, connection, sqlstate, times=3) == [(1, "succeeded", "succeeded")]


@pytest.mark.parametrize("sqlstate", ["22P02", "23505", "54000"])
async def test_an_outcome_that_is_refused_for_its_own_data_is_tried_a_second_time_alone(
    hr: Headrace, connection: Connection, sqlstate: str
) -> None:
    assert await ended_in_spite_of(hr, connection, sqlstate, times=1) == [(1, "succeeded", "succeeded")]


async def ended_in_spite_of(
    hr: Headrace, connection: Connection, sqlstate: str, *, times: int
) -> list[tuple[int, str, str | None]]:
    """How a job ended whose outcome was refused so many times."""

    @hr.job()
    async def work() -> str:
        return "done"

    await refuse_inserts(connection, "attempt", sqlstate, times=times)
    async with working(hr):
        job = await finished(hr, await work.enqueue())
    assert await inserts_tried(connection) == times + 1
    return await attempts(connection, job.id)


@only_postgres
async def test_an_outcome_that_cannot_even_be_sent_fails_its_job_and_holds_up_no_other(engine: Engine) -> None:
    ids = await engine.enqueue_many(5)
    who = WorkerIdentity("test", "host", 1, "0", ("*",), ("work",), 10, timedelta(minutes=1))
    transport = PostgresTransport(engine.endpoint, who)
    await transport.register()
    held = await engine.claim(transport.worker_id)
    outcomes = [decide(as_claimed(run), Succeeded(), 0.5) for run in held]
    outcomes[2] = outcomes[2]._replace(result='"\ud800"')  # no UTF-8 at all
    finisher = Finisher(transport)
    writing = asyncio.create_task(finisher.run())
    for outcome in outcomes:
        finisher.put(outcome)
    await asyncio.wait_for(finisher.drained(), PATIENCE)
    writing.cancel()
    await transport.close()
    expected = ["succeeded", "succeeded", "failed", "succeeded", "succeeded"]
    assert [await engine.status(job_id) for job_id in ids] == expected


@only_http
async def test_over_http_only_the_outcomes_that_no_server_stores_fail_their_jobs(hr: Headrace) -> None:
    @hr.job()
    async def work() -> None:
        """Ends as the test says."""

    async with hr:
        transport = worker_of(hr)._transport
        await transport.register()
        ids = await work.enqueue_many([{}] * 6)
        jobs = await transport.claim(limit=10, suspects=1, held=set, wait=0)
        outcomes = {job.id: decide(job, Succeeded(), 0.5) for job in jobs}
        for job_id, result in zip(ids[1:5], ('"\ud800"', "no json", '"\\u0000"', DEEP), strict=True):
            outcomes[job_id] = outcomes[job_id]._replace(result=result)
        finisher = Finisher(transport)
        writing = asyncio.create_task(finisher.run())
        for outcome in outcomes.values():
            finisher.put(outcome)
        await asyncio.wait_for(finisher.drained(), PATIENCE)
        writing.cancel()
        await transport.close()
        statuses = [(await hr.get_job(job_id)).status for job_id in ids]
    assert statuses == ["succeeded", "failed", "failed", "failed", "failed", "succeeded"]
