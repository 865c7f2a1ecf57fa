"""`headrace.prune_logs`: days of log lines whose time has run out go whole."""

from __future__ import annotations

from datetime import timedelta
from typing import TypedDict

from headrace.builtin.workplace import Workplace
from headrace.logs.prune import prune_logs


class PrunedLogs(TypedDict):
    """How many days went."""

    days: int


async def prune_lines(place: Workplace, days: float | None = None) -> PrunedLogs:
    """Remove what jobs printed and logged longer ago than the configuration says, or than so many days."""
    keep = timedelta(days=place.settings.retention.logs_days if days is None else days)
    async with place.connection() as conn:
        return PrunedLogs(days=await prune_logs(conn, keep=keep))
