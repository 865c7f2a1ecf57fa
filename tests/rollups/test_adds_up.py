"""Whatever happens, in whatever order: rollups say what the tables say."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from tests.engine import Engine

from headrace.model.job.outcome import Cancel, Fail, Failed, Outcome, Released, Retry, Snooze, Succeeded, TimedOut
from headrace.queue.change import cancel_job, retry_job
from headrace.queue.claim import Held
from headrace.rollups.fold import fold_deltas
from headrace.rollups.read import Counts

OUTCOMES: list[Outcome] = [
    *(Succeeded("1"), Failed("boom"), TimedOut("slow"), Fail(), Cancel(), Released(), Snooze(0), Snooze(3600), Retry(0))
]
# One row for each thing that is counted, as the record of jobs and attempts has it.
RECORDED = """
    select date_trunc('minute', at, 'UTC') as minute, tenant_id, definition_id, what, count(*) as n from (
      select created_at as at, tenant_id, definition_id, 'enqueued' as what from headrace.job
      union all
      select finished_at, attempt.tenant_id, definition_id, unnest(array[
               final::text,
               case when worker_id is not null then 'runs' end,
               case when final is null and outcome not in ('snoozed', 'released') then 'retried' end,
               case when outcome in ('timed_out', 'lost', 'snoozed', 'released') then outcome::text end,
               'latency ' || width_bucket(date_part('epoch', started_at - queued_at), headrace.histogram_bounds()),
               case when outcome in ('succeeded', 'failed', 'timed_out', 'retried') then
                 'duration ' || width_bucket(date_part('epoch', finished_at - started_at), headrace.histogram_bounds())
               end])
        from headrace.attempt join headrace.lane on lane.id = lane_id) as things
     where what is not null
     group by 1, 2, 3, 4
"""
COUNTS = [name for name in Counts._fields if name != "requeued"]
ROLLED_UP = f"""
    select {{span}} as span, tenant_id, definition_id, what, n from headrace.{{table}}
     cross join lateral (
       select * from (values {", ".join(f"('{name}', {name}::bigint)" for name in COUNTS)}) as counted (what, n)
       union all select 'latency ' || place - 1, b from unnest(latency_buckets) with ordinality as buckets (b, place)
       union all select 'duration ' || place - 1, b from unnest(duration_buckets) with ordinality as buckets (b, place)
     ) as things
     where n <> 0
"""
Tally = Counter[tuple[Any, ...]]


class Chance:
    """Does one thing or another to a database, as a seed has it."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine, self.random = engine, random.Random(seed)  # noqa: S311 - no secret
        self.held: list[tuple[int, Held]] = []
        # A person's retry clears a final status that was counted.
        self.cleared: Tally = Counter()

    async def step(self) -> None:
        await self.random.choice(
            [
                self.enqueue,
                self.enqueue,
                self.claim,
                self.finish,
                self.finish,
                self.cancel,
                self.lose,
                self.retry,
                self.fold,
            ]
        )()

    async def enqueue(self) -> None:
        key, tenant = self.random.choice(["work", "mail"]), self.random.choice(["default", "acme"])
        await self.engine.enqueue_many(
            self.random.randint(1, 5), key, tenant=tenant, max_attempts=self.random.randint(1, 3)
        )

    async def claim(self) -> None:
        worker = await self.engine.worker()
        self.held += [(worker, run) for run in await self.engine.claim(worker, self.random.randint(1, 6), suspects=3)]

    async def finish(self) -> None:
        self.random.shuffle(self.held)
        for _ in range(min(len(self.held), 3)):
            worker, run = self.held.pop()
            await self.engine.finish(worker, run, self.random.choice(OUTCOMES))

    async def cancel(self) -> None:
        if job_id := await self.some("select job_id from headrace.queue order by job_id"):
            await cancel_job(self.engine.db, job_id)

    async def lose(self) -> None:
        if worker := await self.some(
            "select distinct worker_id from headrace.queue where status = 'running' order by 1"
        ):
            await self.engine.lose(worker)
            await self.engine.rescue()

    async def retry(self) -> None:
        job_id = await self.some("select job_id from headrace.attempt where final is not null order by job_id")
        if job_id is None:
            return
        row = await self.engine.db.fetchrow(
            "select date_trunc('minute', finished_at, 'UTC'), a.tenant_id, definition_id, final::text, outcome::text"
            "  from headrace.attempt a join headrace.lane on lane.id = lane_id where job_id = $1 and final is not null",
            job_id,
        )
        assert row is not None
        *where, final, outcome = row
        self.cleared[(*where, final)] += 1
        if outcome not in ("snoozed", "released"):
            self.cleared[(*where, "retried")] -= 1
        await retry_job(self.engine.db, job_id)

    async def fold(self) -> None:
        await fold_deltas(self.engine.db)

    async def some(self, query: str) -> Any:
        rows = await self.engine.db.fetch(query)
        return self.random.choice(rows)[0] if rows else None


async def tally(engine: Engine, query: str) -> Tally:
    return Counter({tuple(row)[:-1]: row["n"] for row in await engine.db.fetch(query)})


@pytest.mark.parametrize("seed", range(6))
async def test_rollups_add_up_to_jobs_and_attempts(engine: Engine, seed: int) -> None:
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    chance = Chance(engine, seed)
    for _ in range(80):
        await chance.step()
    await fold_deltas(engine.db)
    expected = await tally(engine, RECORDED)
    expected.update(chance.cleared)
    expected = Counter({key: n for key, n in expected.items() if n})
    assert await tally(engine, ROLLED_UP.format(span="minute", table="rollup")) == expected
    assert sum(n for (*_, what), n in expected.items() if what == "runs") > 10

    for span, table in (("hour", "rollup_hour"), ("null", "rollup_total")):
        coarser: Tally = Counter()
        for (minute, *rest), n in expected.items():
            coarser[(minute.replace(minute=0) if span == "hour" else None, *rest)] += n
        assert await tally(engine, ROLLED_UP.format(span=span, table=table)) == coarser
