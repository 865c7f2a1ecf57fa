"""Limits while workers are killed: no instant above them, and every job ends (rule 12)."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.chaos.world.limits import above_rate, most_at_once
from tests.chaos.world.processes import Workers, workers_on
from tests.waiting import until

from headrace.db.connect import Connection

HOLDS = 80 if os.environ.get("LONG_TESTS") else 6
MANY = 3 if os.environ.get("LONG_TESTS") else 1
JOBS = {"hold": HOLDS, "one": 60 * MANY, "three": 150 * MANY, "ten": 300 * MANY, "rated": 150 * MANY}
PLACES = {"hold": 4, "one": 1, "three": 3, "ten": 10}
A_SECOND, BURST = 40, 5


@pytest.fixture
def workers(database_url: str, tmp_path: Path) -> Iterator[Workers]:
    """Worker processes of the application with limits."""
    with workers_on(database_url, tmp_path, "tests.chaos.world.limits_app:hr") as started:
        yield started


@pytest.mark.timeout(900)
async def test_no_instant_is_above_a_limit_while_workers_are_killed(connection: Connection, workers: Workers) -> None:
    for _ in range(4):
        workers.start("--concurrency", "8")
    await until("the definitions are there", lambda: _declared(connection))
    for name, jobs in JOBS.items():
        await connection.execute(
            "select count(*) from headrace.enqueue_many($1, array(select case when $1 = 'ten' then"
            " jsonb_build_object('key', n % 7) else '{}' end from generate_series(1, $2::int) as n))",
            name,
            jobs,
        )
    killed: set[int] = set()

    async def killed_all_holders() -> bool:
        holder = await _holder(connection, killed)
        if holder is not None:
            os.kill(holder, signal.SIGKILL)
            killed.add(holder)
            workers.start("--concurrency", "8")
        return await _lost(connection) >= HOLDS

    await until("every job that only a death ends has lost its worker", killed_all_holders, patience=600)
    await until("every job has ended", lambda: _nothing_left(connection))

    for name, places in PLACES.items():
        runs = await _runs(connection, name)
        assert most_at_once((started, ended) for _, started, ended in runs) <= places, name
        assert len({job_id for job_id, _, _ in runs}) == JOBS[name]
    for key in range(7):
        runs = await _runs(connection, "ten", key)
        assert most_at_once((started, ended) for _, started, ended in runs) <= 2
    starts = sorted(started for _, started, _ in await _runs(connection, "rated"))
    assert above_rate(starts, a_second=A_SECOND, burst=BURST) == []


def test_the_checker_sees_what_is_above_a_limit() -> None:
    at = [datetime(2030, 1, 1) + timedelta(seconds=n) for n in range(10)]
    assert most_at_once([(at[0], at[2]), (at[1], at[3]), (at[2], at[4])]) == 2
    assert most_at_once([(at[0], at[3]), (at[1], at[3]), (at[2], at[4])]) == 3
    assert above_rate(at, a_second=1, burst=1) == []
    assert above_rate([at[0], at[0], at[5]], a_second=1, burst=1) == [at[0]]


async def _runs(connection: Connection, name: str, key: int | None = None) -> list[tuple[object, datetime, datetime]]:
    rows = await connection.fetch(
        "select a.job_id, a.started_at, a.finished_at from headrace.attempt as a"
        "  join headrace.job as j on j.id = a.job_id join headrace.definition as d on d.id = j.definition_id"
        " where d.key = $1 and a.started_at is not null and ($2::int is null or (j.payload ->> 'key')::int = $2)",
        name,
        key,
    )
    return [(row[0], row[1], row[2]) for row in rows]


async def _holder(connection: Connection, killed: set[int]) -> int | None:
    """The process of a worker that holds a job which does not end by itself."""
    pid: int | None = await connection.fetchval(
        "select w.pid from headrace.queue as q join headrace.worker as w on w.id = q.worker_id"
        "  join headrace.lane as l on l.id = q.lane_id join headrace.definition as d on d.id = l.definition_id"
        " where d.key = 'hold' and q.status = 'running' and q.spent = 0 and w.pid <> all($1) limit 1",
        list(killed),
    )
    return pid


async def _lost(connection: Connection) -> int:
    """How many of these have lost a worker."""
    found: int = await connection.fetchval(
        "select count(distinct a.job_id) from headrace.attempt as a join headrace.job as j on j.id = a.job_id"
        "  join headrace.definition as d on d.id = j.definition_id where d.key = 'hold' and a.outcome = 'lost'"
    )
    return found


async def _declared(connection: Connection) -> bool:
    found = await connection.fetchval("select count(*) from headrace.definition where key = any($1)", list(JOBS))
    return bool(found == len(JOBS))


async def _nothing_left(connection: Connection) -> bool:
    return bool(await connection.fetchval("select count(*) = 0 from headrace.queue"))
