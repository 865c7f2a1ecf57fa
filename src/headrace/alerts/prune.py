"""Prune: forget alerts that ended and notices that went out long ago, a small batch at a time so that nobody waits."""

from __future__ import annotations

from datetime import timedelta

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
BATCH = 1000


async def prune_alerts(conn: Connection, *, keep: timedelta) -> int:
    """Remove alerts that closed longer ago than that; gives back how many."""
    return await _in_batches(conn, SQL["prune_alerts"], keep)


async def prune_notices(conn: Connection, *, keep: timedelta) -> int:
    """Remove notices older than that with the log of their deliveries; gives back how many."""
    return await _in_batches(conn, SQL["prune_notices"], keep)


async def _in_batches(conn: Connection, statement: str, keep: timedelta) -> int:
    removed = 0
    while batch := await conn.fetchval(statement, keep, BATCH):
        removed += batch
    return removed
