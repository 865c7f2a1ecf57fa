"""`headrace.prune_jobs`: history whose time has run out goes."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from headrace.alerts.prune import prune_alerts
from headrace.builtin.delete_rows import delete_expired
from headrace.builtin.workplace import Workplace
from headrace.config import RetentionSettings
from headrace.model.retention import Keep
from headrace.retention.prune import PruneLimits, prune_jobs
from headrace.retention.pruned import Pruned
from headrace.rollups.prune import prune_rollups
from headrace.triggers.prune import prune_events, prune_fires, prune_windows

LONGEST_SECONDS = 600.0


async def prune_history(place: Workplace, longest_seconds: float = LONGEST_SECONDS) -> dict[str, Any]:
    """Remove ended jobs, and what triggers, events, alerts, bulk operations, counts and the audit left, after its days.

    Not for longer than that: what is left goes the next time.
    """
    kept = place.settings.retention
    fires = timedelta(days=kept.fires_days)
    async with place.connection() as conn:
        limits = PruneLimits(until=time.monotonic() + longest_seconds)
        pruned = await prune_jobs(conn, keep_of(kept), limits, report=place.progress)
        audit = timedelta(days=kept.audit_days)
        return {
            **as_result(pruned),
            "fires": await prune_fires(conn, keep=fires),
            "events": await prune_events(conn, keep=timedelta(days=kept.events_days)),
            "windows": await prune_windows(conn),
            "rollups": await prune_rollups(conn, keep=timedelta(days=kept.rollups_days)),
            "alerts": await prune_alerts(conn, keep=fires),
            "operations": (await delete_expired(conn, "operation", fires)).get("deleted", 0),
            "audit": (await delete_expired(conn, "audit", audit)).get("deleted", 0),
        }


def keep_of(kept: RetentionSettings) -> Keep:
    """What the settings say of definitions that say nothing themselves."""
    return Keep(jobs=timedelta(days=kept.jobs_days), dead_letters=timedelta(days=kept.dead_letters_days))


def as_result(pruned: Pruned) -> dict[str, Any]:
    """For people who look at the job."""
    return {
        "jobs": sum(pruned.jobs.values()),
        "definitions": {share.definition: share.jobs for share in pruned.shares()},
        "weeks": [f"{whole.week.lower_bound:%Y-%m-%d}" for whole in pruned.weeks],
        "complete": pruned.complete,
    }
