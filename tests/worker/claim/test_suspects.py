"""Jobs that a worker died under: each runs with nothing beside it, and nobody waits for that for ever."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import pytest
from tests.waiting import until
from tests.worker.running import running, worker_of

from headrace import Headrace
from headrace.db.connect import Connection
from headrace.model.job.record import ClaimedJob, Terms
from headrace.worker.claim import quarantine
from headrace.worker.claim.quarantine import LONGEST_PATIENCE, Quarantine, patience_with


async def ended(connection: Connection, ids: list[UUID]) -> bool:
    """Whether these have all succeeded."""
    done = "select count(*) from headrace.attempt where job_id = any($1) and final = 'succeeded'"
    return bool(await connection.fetchval(done, ids) == len(ids))


def suspect(run: int) -> ClaimedJob:
    return ClaimedJob(uuid4(), run, 1, 3, Terms("work"), "default", "{}", None, None, "api", True)


async def test_a_suspect_runs_with_nothing_beside_it_and_the_others_go_on_before_and_after(
    hr: Headrace, connection: Connection
) -> None:
    beside: list[set[str]] = []
    now: set[str] = set()

    @hr.job()
    async def work(name: str) -> None:
        now.add(name)
        for _ in range(5):
            beside.append(set(now))
            await asyncio.sleep(0)
        now.remove(name)

    async with hr:
        ids = [await work.enqueue(name=f"suspect {n}") for n in range(5)]
        await connection.execute("update headrace.queue set suspect = true")
        ids += await work.enqueue_many([{"name": f"other {n}"} for n in range(50)])
        async with running(worker_of(hr, concurrency=10)):
            await until("all have ended", lambda: ended(connection, ids))
    assert {len(together) for together in beside if any(name.startswith("suspect") for name in together)} == {1}


async def test_others_do_not_wait_for_ever_for_a_long_suspect_nor_it_for_them(
    hr: Headrace, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quarantine, "FIRST_PATIENCE", 0.05)
    enough = asyncio.Event()
    started: set[str] = set()

    @hr.job()
    async def work(name: str) -> None:
        started.add(name)
        await enough.wait()

    async with hr, running(worker_of(hr, concurrency=4)):
        ids = [await work.enqueue(name="before")]
        await until("a long one runs", lambda: started == {"before"})
        async with connection.transaction():
            ids.append(await work.enqueue(name="suspect", connection=connection))
            await connection.execute("update headrace.queue set suspect = true where status = 'queued'")
        await until("the suspect runs beside it", lambda: started == {"before", "suspect"})
        ids.append(await work.enqueue(name="after"))
        await until("the next one runs beside both", lambda: started == {"before", "suspect", "after"})
        enough.set()
        await until("all have ended", lambda: ended(connection, ids))


def test_each_run_of_a_suspect_is_alone_for_twice_as_long_up_to_a_bound() -> None:
    first = patience_with(suspect(2))
    assert [patience_with(suspect(run)) for run in (1, 3, 4)] == [first, 2 * first, 4 * first]
    assert patience_with(suspect(1000)) == LONGEST_PATIENCE


def test_others_have_the_worker_for_as_long_as_they_stood_back() -> None:
    rests = Quarantine()
    rests.take(suspect(2), 100.0)
    rests.end(103.0)
    assert (rests.rest(103.0), rests.rest(105.0), rests.rest(107.0)) == (3.0, 1.0, 0.0)
    rests.end(200.0)
    rests.nobody_else()
    assert rests.rest(200.0) == 0.0
