"""Recent: what became of the newest due times of many triggers, in one reading."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


class RecentRun(NamedTuple):
    """A due time or an event, and what became of its job: a status, `skipped`, or None once history has let it go."""

    at: datetime
    status: str | None
    reason: str | None
    job_id: UUID | None
    seconds: float | None


async def recent_runs(conn: Connection, trigger_ids: Sequence[UUID], n: int) -> dict[UUID, list[RecentRun]]:
    """The newest n of each, newest first."""
    found: dict[UUID, list[RecentRun]] = {trigger_id: [] for trigger_id in trigger_ids}
    for trigger_id, *run in await conn.fetch(SQL["recent_runs"], list(trigger_ids), n):
        found[trigger_id].append(RecentRun(*run))
    return found
