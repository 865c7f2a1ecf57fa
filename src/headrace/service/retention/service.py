"""Retention: how long history is kept, what would go now, and letting it go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from headrace.builtin.enqueue import enqueue_system_job
from headrace.builtin.prune_jobs import keep_of
from headrace.config import RetentionSettings
from headrace.db.statements import statements
from headrace.errors import Conflict, NotFound
from headrace.model.payload.stored_json import read_json
from headrace.model.system import SYSTEM_PREFIX
from headrace.retention.prune import preview_prune
from headrace.retention.pruned import Pruned
from headrace.retention.week import Week, list_weeks
from headrace.service.base import ServerService

SQL = statements(__file__)
KEY = f"{SYSTEM_PREFIX}prune_jobs"


@dataclass(frozen=True, slots=True)
class OwnRetention:
    """A definition that says itself for how long its jobs stay."""

    definition: str
    days: float | None
    count: int | None


class LastRun(NamedTuple):
    """The last prune that ended."""

    job_id: UUID
    status: str
    finished_at: datetime
    result: Any


@dataclass(frozen=True, slots=True)
class RetentionState:
    """What holds for all, what holds for some, what there is, and what was done last."""

    settings: RetentionSettings
    definitions: Sequence[OwnRetention]
    weeks: Sequence[Week]
    last_run: LastRun | None


class Retention(ServerService):
    """Look, try, do."""

    async def show(self) -> RetentionState:
        """As it stands. The settings are those of this process; workers may have others."""
        async with self._begin("retention.read") as scope:
            own = [OwnRetention(*row) for row in await scope.conn.fetch(SQL["list_own"])]
            row = await scope.conn.fetchrow(SQL["last_run"], KEY)
            last = None if row is None else LastRun(row[0], row[1], row[2], row[3] and read_json(row[3]))
            return RetentionState(self._runtime.settings.retention, own, await list_weeks(scope.conn), last)

    async def preview(self) -> Pruned:
        """What a prune would remove now; nothing is changed."""
        async with self._begin("retention.read") as scope:
            return await preview_prune(scope.conn, keep_of(self._runtime.settings.retention))

    async def run(self) -> UUID:
        """Have a worker prune now; gives back the job, or that which is at it already."""
        async with self._begin("retention.run") as scope:
            try:
                job_id = await enqueue_system_job(scope.conn, KEY, dedupe_key=KEY, created_by=scope.principal.name)
            except NotFound:
                raise Conflict(
                    "no worker has registered the built-in jobs yet: start a worker with builtin.enabled = true"
                ) from None
            await scope.audit(job_id, did="run")
            return job_id
