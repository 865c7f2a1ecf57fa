"""An outcome that cannot be sent must not hold up the others."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from tests.engine import Engine, as_claimed

from headrace.model.outcome import Succeeded
from headrace.model.transition import decide
from headrace.queue.lease import WorkerIdentity
from headrace.worker.finisher import Finisher
from headrace.worker.postgres import PostgresTransport


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
    await asyncio.wait_for(finisher.drained(), 20)
    writing.cancel()
    await transport.close()
    expected = ["succeeded", "succeeded", "failed", "succeeded", "succeeded"]
    assert [await engine.status(job_id) for job_id in ids] == expected
