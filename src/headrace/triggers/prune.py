"""Prune: forget what happened long ago, a small batch at a time so that nobody waits."""

from __future__ import annotations

from datetime import timedelta

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
BATCH = 5000


async def prune_fires(conn: Connection, *, keep: timedelta) -> int:
    """Remove fires older than that; gives back how many."""
    return await _in_batches(conn, SQL["prune_fires"], keep)


async def prune_events(conn: Connection, *, keep: timedelta) -> int:
    """Remove events older than that with their deliveries, but none that is not yet dispatched; gives back how many."""
    return await _in_batches(conn, SQL["prune_events"], keep)


async def prune_windows(conn: Connection) -> int:
    """Remove dedupe windows that have run out; gives back how many."""
    return await _in_batches(conn, SQL["prune_windows"], timedelta(0))


async def _in_batches(conn: Connection, statement: str, keep: timedelta) -> int:
    removed = 0
    while batch := await conn.fetchval(statement, keep, BATCH):
        removed += batch
    return removed
