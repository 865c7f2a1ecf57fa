"""History by hand: weeks of the past, and jobs that ended in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from tests.engine import Engine

from headrace.db.connect import Connection

DAY = timedelta(days=1)

WEEKS = """
    select headrace._create_partition(lower_bound, lower_bound + interval '168 hours')
      from (select (date_trunc('week', now() at time zone 'UTC') at time zone 'UTC') - n * interval '168 hours'
              from generate_series(1, $1::int) as n) as weeks (lower_bound)
     where not exists (select from headrace.partition where partition.lower_bound = weeks.lower_bound)
"""
JOB = """
    with made as (
      select (lpad(to_hex((extract(epoch from now() - $2::interval) * 1000)::bigint), 12, '0') || '7'
              || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid as id,
             lane.id as lane_id, lane.definition_id
        from headrace.lane join headrace.definition on definition.id = lane.definition_id
       where definition.key = $1 limit 1)
    insert into headrace.job (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source,
                              idempotency_key, created_at)
    select id, 1, definition_id, lane_id, 100, 3, '{}', 'sql', $3, now() - $2::interval from made
    returning id
"""
ENDED = """
    insert into headrace.attempt (job_id, run, tenant_id, lane_id, worker_id, outcome, final, spent, queued_at,
                                  started_at, finished_at)
    select id, run, tenant_id, lane_id, 1,
           (case when run < $4 then 'retried' when $2 = 'dead_letter' then 'failed'
                 else $2 end)::headrace.attempt_outcome,
           case when run = $4 then $2::headrace.job_status end, 1, now() - $3::interval, now() - $3::interval,
           now() - $3::interval
      from headrace.job, generate_series(1, $4::int) as run
     where id = $1
"""
LIVE = """
    insert into headrace.queue (job_id, tenant_id, lane_id, status, queued_at, priority, max_attempts)
    select id, tenant_id, lane_id, 'queued', now(), 100, 3 from headrace.job where id = $1
"""


@dataclass(frozen=True)
class Past:
    """A database whose jobs are made long ago."""

    engine: Engine

    @property
    def db(self) -> Connection:
        return self.engine.db

    async def weeks(self, n: int) -> None:
        """So many weeks before this one, where they are missing."""
        await self.db.execute(WEEKS, n)

    async def define(self, key: str, *, days: float | None = None, count: int | None = None) -> None:
        """A definition with its own retention."""
        await self.engine.define(key)
        await self.db.execute("select headrace._lane(queue, id) from headrace.definition where key = $1", key)
        await self.db.execute(
            "update headrace.definition set retention_days = $2, retention_count = $3 where key = $1", key, days, count
        )

    async def job(
        self,
        key: str = "work",
        *,
        age: timedelta,
        final: str | None = "succeeded",
        ended: timedelta | None = None,
        runs: int = 1,
        idempotency_key: str | None = None,
    ) -> UUID:
        """Made so long ago and ended then, or later; without a final status it is live."""
        job_id: UUID = await self.db.fetchval(JOB, key, age, idempotency_key)
        if idempotency_key is not None:
            await self.db.execute(
                "insert into headrace.idempotency (tenant_id, key, job_id, request_hash) values (1, $1, $2, '\\x00')",
                idempotency_key,
                job_id,
            )
        if final is None:
            await self.db.execute(LIVE, job_id)
        else:
            await self.db.execute(ENDED, job_id, final, ended or age, runs)
        return job_id

    async def jobs(self) -> set[UUID]:
        """Those that are there."""
        return {row[0] for row in await self.db.fetch("select id from headrace.job")}

    async def bounds(self) -> list[datetime]:
        """Where each week begins."""
        rows = await self.db.fetch("select lower_bound from headrace.partition order by lower_bound")
        return [row[0] for row in rows]

    async def leftovers(self) -> list[str]:
        """Tables that have something of a job that is not there."""
        tables = ("attempt", "idempotency", "progress", "log", "queue")
        look = "select exists (select from headrace.{} where job_id not in (select id from headrace.job))"
        return [table for table in tables if await self.db.fetchval(look.format(table))]
