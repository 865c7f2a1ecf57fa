"""Prune: forget minutes and hours of long ago, a small batch at a time so that nobody waits. Totals stay."""

from __future__ import annotations

from datetime import timedelta

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
BATCH = 5000


async def prune_rollups(conn: Connection, *, keep: timedelta) -> int:
    """Remove what is older than that; gives back how many rows."""
    removed = 0
    for statement in (SQL["prune_minutes"], SQL["prune_hours"]):
        while batch := await conn.fetchval(statement, keep, BATCH):
            removed += batch
    return removed
