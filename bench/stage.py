"""Where measuring happens: an embedded server of its own, and the quantities of jobs that scenarios need."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from headrace.db.connect import Connection, Endpoint
from headrace.db.embedded import EmbeddedServer
from headrace.db.migrate import migrate
from headrace.queue.lease import WorkerIdentity, register_worker

FILL = 10_000
LANE = "select headrace._lane('default', (select id from headrace.definition where key = $1))"


@dataclass(frozen=True)
class Stage:
    """A migrated database with the definitions `noop` and `unknown` (which no worker knows)."""

    endpoint: Endpoint
    db: Connection

    async def clear(self) -> None:
        """No jobs, no history; statistics as of an empty table that was busy before."""
        await self.db.execute(
            "truncate headrace.queue, headrace.job, headrace.attempt, headrace.idempotency, headrace.misfit,"
            " headrace.worker"
        )

    async def settle(self) -> None:
        """What autovacuum does sooner or later, now, so that it does not fall into a measurement."""
        await self.db.execute("vacuum (analyze) headrace.queue")
        await self.db.execute("checkpoint")

    async def fill(self, jobs: int, *, definition: str = "noop", payload_bytes: int = 0, future: bool = False) -> None:
        """Enqueue through the SQL function, in bulk."""
        payload = '{"text": "' + "x" * payload_bytes + '"}' if payload_bytes else "{}"
        for start in range(0, jobs, FILL):
            await self.db.execute(
                "select count(*) from headrace.enqueue_many($1, array_fill($2::text::jsonb, array[$3::int]),"
                " scheduled_for => case when $4 then now() + interval '1 day' end)",
                definition,
                payload,
                min(FILL, jobs - start),
                future,
            )

    async def fill_history(self, jobs: int) -> None:
        """Jobs that ended long ago, written straight into the tables."""
        await self.db.execute(
            """
            with made as (select unnest(headrace._job_ids($1)) as id),
            lane as (select lane.id, definition_id from headrace.lane join headrace.definition d on d.id = definition_id
                      where d.key = 'noop' limit 1),
            jobs as (insert into headrace.job (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload,
                                               source, created_at)
                     select made.id, 1, definition_id, lane.id, 100, 3, '{}', 'sql', now() from made, lane)
            insert into headrace.attempt (job_id, run, tenant_id, lane_id, worker_id, outcome, final, spent, queued_at,
                                          started_at, finished_at)
            select made.id, 1, 1, lane.id, 1, 'succeeded', 'succeeded', 1, now(), now(), now() from made, lane
            """,
            jobs,
        )

    async def worker_id(self) -> int:
        """A live worker for loops that claim by hand."""
        who = WorkerIdentity("bench", "bench", 0, "0", ("*",), ("noop",), 1, timedelta(hours=1))
        return await register_worker(self.db, who)

    async def lane(self, definition: str = "noop") -> int:
        """The definition's lane in its own queue."""
        lane: int = await self.db.fetchval(LANE, definition)
        return lane


@asynccontextmanager
async def open_stage() -> AsyncIterator[Stage]:
    """A server in a temporary folder, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        # Open to look into, so that the server's own user (when root runs this) reaches its data in place.
        Path(folder).chmod(0o755)
        server = await asyncio.to_thread(EmbeddedServer.start, Path(folder) / "data")
        try:
            endpoint = Endpoint(server.url)
            await migrate(endpoint)
            db = await endpoint.connect("bench")
            for key, app in (("noop", "bench"), ("narrow", "bench"), ("unknown", "elsewhere")):
                await db.execute(
                    "insert into headrace.definition (key, kind, app, hash) values ($1, 'python', $2, '-')", key, app
                )
                await db.execute(LANE, key)
            yield Stage(endpoint, db)
            await db.close()
        finally:
            await asyncio.to_thread(server.stop)
