"""Limits while workers are killed: no instant above them, and every job ends (rule 12)."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.chaos.processes import Workers, workers_on
from tests.waiting import until

from headrace.db.connect import Connection

SECONDS = 60.0 if os.environ.get("LONG_TESTS") else 6.0
JOBS = {"one": 60, "three": 150, "ten": 300, "rated": 150}
PLACES = {"one": 1, "three": 3, "ten": 10}
A_SECOND, BURST = 40, 5


@pytest.fixture
def workers(database_url: str, tmp_path: Path) -> Iterator[Workers]:
    """Worker processes of the application with limits."""
    with workers_on(database_url, tmp_path, "tests.chaos.limits_app:hr") as started:
        yield started


@pytest.mark.timeout(300)
async def test_no_instant_is_above_a_limit_while_workers_are_killed(connection: Connection, workers: Workers) -> None:
    alive = [workers.start("--concurrency", "8") for _ in range(4)]
    await until("the definitions are there", lambda: _declared(connection))
    factor = max(1, round(SECONDS / 20))
    for name, jobs in JOBS.items():
        await connection.execute(
            "select count(*) from headrace.enqueue_many($1, array(select case when $1 = 'ten' then"
            " jsonb_build_object('key', n % 7) else '{}' end from generate_series(1, $2::int) as n))",
            name,
            jobs * factor,
        )
    chance = random.Random(7)  # noqa: S311 - no secret
    over = time.monotonic() + SECONDS

    async def killed_often_enough() -> bool:
        if time.monotonic() < over:
            victim = chance.randrange(len(alive))
            alive[victim].kill()
            alive[victim].wait()
            alive[victim] = workers.start("--concurrency", "8")
            pause = time.monotonic() + chance.uniform(0.3, 1.5)
            await until("some time has passed", lambda: time.monotonic() > pause)
        return time.monotonic() >= over

    await until("enough were killed", killed_often_enough)
    await until("every job has ended", lambda: _nothing_left(connection))

    for name, places in PLACES.items():
        runs = await _runs(connection, name)
        assert most_at_once((started, ended) for _, started, ended in runs) <= places, name
        assert len({job_id for job_id, _, _ in runs}) == JOBS[name] * factor
    for key in range(7):
        runs = await _runs(connection, "ten", key)
        assert most_at_once((started, ended) for _, started, ended in runs) <= 2
    starts = sorted(started for _, started, _ in await _runs(connection, "rated"))
    assert above_rate(starts, a_second=A_SECOND, burst=BURST) == []
    assert await connection.fetchval("select count(*) from headrace.attempt where outcome = 'lost'") > 0


def test_the_checker_sees_what_is_above_a_limit() -> None:
    at = [datetime(2030, 1, 1) + timedelta(seconds=n) for n in range(10)]
    assert most_at_once([(at[0], at[2]), (at[1], at[3]), (at[2], at[4])]) == 2
    assert most_at_once([(at[0], at[3]), (at[1], at[3]), (at[2], at[4])]) == 3
    assert above_rate(at, a_second=1, burst=1) == []
    assert above_rate([at[0], at[0], at[5]], a_second=1, burst=1) == [at[0]]


def most_at_once(runs: Iterable[tuple[datetime, datetime]]) -> int:
    """How many ran at the fullest instant; who ends when another starts had ended before."""
    changes = sorted(change for started, ended in runs for change in ((started, 1), (ended, -1)))
    now, most = 0, 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def above_rate(starts: list[datetime], *, a_second: float, burst: int) -> list[datetime]:
    """Starts for which a token bucket would have had no token."""
    tokens, at, above = float(burst), starts[0], []
    for start in starts:
        tokens = min(burst, tokens + (start - at).total_seconds() * a_second)
        at = start
        if tokens < 1 - 1e-3:
            above.append(start)
        tokens -= 1
    return above


async def _runs(connection: Connection, name: str, key: int | None = None) -> list[tuple[object, datetime, datetime]]:
    rows = await connection.fetch(
        "select a.job_id, a.started_at, a.finished_at from headrace.attempt as a"
        "  join headrace.job as j on j.id = a.job_id join headrace.definition as d on d.id = j.definition_id"
        " where d.key = $1 and a.started_at is not null and ($2::int is null or (j.payload ->> 'key')::int = $2)",
        name,
        key,
    )
    return [(row[0], row[1], row[2]) for row in rows]


async def _declared(connection: Connection) -> bool:
    found = await connection.fetchval("select count(*) from headrace.definition where key = any($1)", list(JOBS))
    return bool(found == len(JOBS))


async def _nothing_left(connection: Connection) -> bool:
    return bool(await connection.fetchval("select count(*) = 0 from headrace.queue"))
