"""Prune: partitions ahead of time, and whole days gone when they are too old."""

from __future__ import annotations

from datetime import timedelta

from headrace.db.connect import Connection
from headrace.db.detach import IN_USE, PATIENCE_SECONDS
from headrace.db.standing import owns_schema
from headrace.db.statements import statements
from headrace.log import get_logger

SQL = statements(__file__)
log = get_logger("headrace.logs")


async def create_log_partitions(conn: Connection) -> int:
    """Make the partitions of the coming days that are missing; gives back how many."""
    made: int = await conn.fetchval(SQL["create_log_partitions"])
    return made


async def prune_logs(conn: Connection, *, keep: timedelta) -> int:
    """Remove days that ended longer ago than that; gives back how many. Not within a transaction.

    A day that somebody reads at the moment is hidden at once and goes the next time.
    """
    await conn.execute(SQL["mark_leaving"], keep)
    removed = 0
    try:
        for suffix, detach, remove in await conn.fetch(SQL["list_leaving"]):
            if await owns_schema(conn):
                await _detach_and_drop(conn, suffix, detach, remove)
            else:
                await conn.execute(SQL["drop_day"], suffix)
            removed += 1
    except IN_USE:
        log.info("drop of a log partition postponed")
    return removed


async def _detach_and_drop(conn: Connection, suffix: str, detach: str | None, remove: str) -> None:
    if detach is not None:
        await conn.execute(detach, timeout=PATIENCE_SECONDS)
    async with conn.transaction():
        await conn.execute(remove, timeout=PATIENCE_SECONDS)
        await conn.execute(SQL["forget_partition"], suffix)
