"""How many jobs there are of each status, without counting history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from headrace.db.statements import statements
from headrace.service.session import Scope

SQL = statements(__file__)
# A queue of up to this many bytes is counted as it is; a larger one as it was when last sampled, seconds ago.
COUNTED_BYTES = 8 * 1024 * 1024
MOST_DEAD = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSummary:
    """Live and dead-lettered jobs as they are now; those that ended otherwise, since a time."""

    scheduled: int
    queued: int
    running: int
    succeeded: int
    failed: int
    canceled: int
    dead_letter: int
    dead_letter_capped: bool
    oldest_queued_at: datetime | None
    oldest_queued_seconds: float | None
    since: datetime
    now: datetime


async def read_live(scope: Scope) -> dict[str, Any]:
    """Live jobs by status: how many, and since when the oldest waits."""
    small = await scope.conn.fetchval(SQL["queue_bytes"]) <= COUNTED_BYTES
    counts = await scope.conn.fetch(SQL["count_live"] if small else SQL["sampled"], scope.tenant_id)
    return {row["status"]: row for row in counts}


async def read_summary(scope: Scope, window: timedelta) -> JobSummary:
    """The counts of a tenant, or of all."""
    live = await read_live(scope)
    [ended] = await scope.conn.fetch(SQL["ended"], scope.tenant_id, window)
    kept = SQL["dead"] if scope.tenant_id is None else SQL["own_dead"]
    dead = await scope.conn.fetchval(kept, scope.tenant_id, MOST_DEAD + 1)
    oldest = live["queued"]["oldest"] if "queued" in live else None
    return JobSummary(
        **{status: live[status]["jobs"] if status in live else 0 for status in ("scheduled", "queued", "running")},
        succeeded=ended["succeeded"],
        failed=ended["failed"],
        canceled=ended["canceled"],
        dead_letter=min(dead, MOST_DEAD),
        dead_letter_capped=dead > MOST_DEAD,
        oldest_queued_at=oldest,
        oldest_queued_seconds=None if oldest is None else max(0.0, (ended["now"] - oldest).total_seconds()),
        since=ended["since"],
        now=ended["now"],
    )
