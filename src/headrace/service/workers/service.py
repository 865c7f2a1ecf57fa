"""Workers: who they are, what they run, and how one is asked to go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple
from uuid import UUID

from headrace.db.statements import statements
from headrace.errors import Conflict, NotFound
from headrace.service.base import ServerService
from headrace.service.session import Scope

SQL = statements(__file__)
NEWEST = 2**63 - 1
MOST_JOBS = 100
WorkerState = Literal["live", "stopped", "lost"]


class WorkerRecord(NamedTuple):
    """A worker process as the database knows it; stale: it has missed a heartbeat."""

    id: int
    name: str
    hostname: str
    pid: int
    version: str
    queues: list[str]
    definitions: list[str]
    concurrency: int
    running: int
    memory_bytes: int | None
    state: WorkerState
    draining: bool
    stale: bool
    lease: timedelta
    lease_expires_at: datetime
    started_at: datetime
    heartbeat_at: datetime
    stopped_at: datetime | None
    running_jobs: list[UUID]


class Workers(ServerService):
    """List, read, drain."""

    async def get(self, worker_id: int) -> WorkerRecord:
        """The worker, or `NotFound`."""
        async with self._begin("workers.read") as scope:
            return await _read(scope, worker_id)

    async def drain(self, worker_id: int) -> WorkerRecord:
        """Have it finish what it runs, claim no more and stop. It hears of it at once, or with its next heartbeat."""
        async with self._begin("workers.drain") as scope:
            worker = await _read(scope, worker_id)
            if worker.state != "live":
                raise Conflict(f"worker {worker_id} is {worker.state}: only a live worker can be drained")
            if not worker.draining:
                await scope.conn.execute(SQL["drain_worker"], worker_id)
                await scope.conn.execute(SQL["tell_worker"], worker_id)
                await scope.audit(worker_id, name=worker.name)
            return await _read(scope, worker_id)

    # Last, for below it `list` is no type any more.
    async def list(
        self, *, state: WorkerState | None = None, limit: int = 50, before: int | None = None
    ) -> Sequence[WorkerRecord]:
        """Newest first, each with the first of its jobs; without a state, those that live or ended within a day."""
        async with self._begin("workers.read") as scope:
            first = NEWEST if before is None else before
            rows = await scope.conn.fetch(SQL["list_workers"], first, state, limit, MOST_JOBS)
            return [WorkerRecord(*row) for row in rows]


async def _read(scope: Scope, worker_id: int) -> WorkerRecord:
    row: Any = await scope.conn.fetchrow(SQL["get_worker"], worker_id, MOST_JOBS)
    if row is None:
        raise NotFound(f"unknown worker {worker_id}")
    return WorkerRecord(*row)
