"""The engine's verbs in a few words, for tests that play a worker by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from headrace.db.connect import Connection, Endpoint
from headrace.model.job.job import Job
from headrace.model.job.outcome import Outcome, Succeeded
from headrace.model.job.record import ClaimedJob, Terms
from headrace.model.job.transition import decide
from headrace.model.vigil import NEVER_SEEN, Gap, Vigil
from headrace.queue.claim import Gated, Held, claim_gated, claim_jobs
from headrace.queue.finish import finish_attempts
from headrace.queue.lease import WorkerIdentity, register_worker
from headrace.queue.read import get_job
from headrace.queue.rescue import mark_lost_workers, rescue_jobs


class Engine:
    """A database with the engine in it, a connection, and the definition `work`."""

    def __init__(self, endpoint: Endpoint, connection: Connection) -> None:
        self.endpoint = endpoint
        self.db = connection

    async def define(self, key: str = "work", **columns: Any) -> None:
        """A definition that nobody's code declares."""
        names, values = ["key", "kind", "app", "hash", *columns], [key, "python", "test", "-", *columns.values()]
        places = ", ".join(f"${n}" for n in range(1, len(values) + 1))
        await self.db.execute(
            f"insert into headrace.definition ({', '.join(names)}) values ({places}) on conflict do nothing", *values
        )

    async def enqueue(self, key: str = "work", payload: str = "{}", **options: Any) -> UUID:
        """One job through the SQL function, with options by name."""
        await self.define(key)
        named = "".join(f", {name} => ${n}" for n, name in enumerate(options, 3))
        job_id: UUID = await self.db.fetchval(
            f"select headrace.enqueue($1, $2::jsonb{named})", key, payload, *options.values()
        )
        return job_id

    async def enqueue_many(self, n: int, key: str = "work", **options: Any) -> list[UUID]:
        """Many jobs at once."""
        await self.define(key)
        named = "".join(f", {name} => ${n}" for n, name in enumerate(options, 3))
        rows = await self.db.fetch(
            f"select headrace.enqueue_many($1, array_fill('{{}}'::jsonb, array[$2::int]){named})",
            key,
            n,
            *options.values(),
        )
        return [row[0] for row in rows]

    async def worker(self, *, lease: timedelta = timedelta(minutes=1)) -> int:
        """A live worker's id."""
        identity = WorkerIdentity("test", "host", 1, "0", ("*",), ("work",), 10, lease)
        return await register_worker(self.db, identity)

    async def lanes(self) -> list[int]:
        """Every lane there is."""
        return [row[0] for row in await self.db.fetch("select id from headrace.lane order by id")]

    async def claim(self, worker_id: int, limit: int = 10, *, suspects: int = 1) -> list[Held]:
        """What the worker gets from all lanes."""
        return await claim_jobs(self.db, worker_id=worker_id, lanes=await self.lanes(), limit=limit, suspects=suspects)

    async def pass_gates(
        self, worker_id: int, limit: int = 10, *, suspects: int = 1, up_to_priority: int = 1000
    ) -> Gated:
        """What the worker gets of the jobs that stand behind gates."""
        return await claim_gated(
            self.db,
            worker_id=worker_id,
            lanes=await self.lanes(),
            limit=limit,
            suspects=suspects,
            up_to_priority=up_to_priority,
        )

    async def finish(self, worker_id: int, held: Held | Sequence[Held], outcome: Outcome | None = None) -> set[UUID]:
        """End runs; gives back the ids of those accepted."""
        runs = [held] if isinstance(held, Held) else list(held)
        transitions = [decide(as_claimed(run), outcome or Succeeded(), 0.5) for run in runs]
        refused = await finish_attempts(self.db, worker_id=worker_id, transitions=transitions)
        return {run.job_id for run in runs} - {job_id for job_id, _ in refused}

    async def lose(self, worker_id: int) -> None:
        """Let the worker's lease run out and be noticed."""
        await self.db.execute(
            "update headrace.worker set lease_expires_at = now() - interval '1 second' where id = $1", worker_id
        )
        await mark_lost_workers(self.db, watched(timedelta(hours=1)))

    async def rescue(self) -> int:
        """Free what lost workers held."""
        rescued = 0
        while batch := await rescue_jobs(self.db):
            rescued += len(batch)
        return rescued

    async def job(self, job_id: UUID) -> Job:
        """The job as the view shows it."""
        return await get_job(self.db, job_id)

    async def status(self, job_id: UUID) -> str:
        """Only its status."""
        return str((await self.job(job_id)).status)

    async def attempts(self, job_id: UUID) -> list[tuple[int, str, str | None]]:
        """(run, outcome, final) of each run that ended, in order."""
        rows = await self.db.fetch(
            "select run, outcome::text, final::text from headrace.attempt where job_id = $1 order by run", job_id
        )
        return [tuple(row) for row in rows]


def as_claimed(held: Held) -> ClaimedJob:
    """What a worker would make of a claimed row."""
    return ClaimedJob(
        held.job_id, held.run, held.spent, held.max_attempts, Terms("work"), "default", "{}", None, None, "sql"
    )


def watched(lasted: timedelta) -> Vigil:
    """Somebody has had the database in sight for so long, and until now."""
    now = datetime.now(UTC)
    return Vigil(last=now, gaps=[Gap(now - lasted, NEVER_SEEN)])
