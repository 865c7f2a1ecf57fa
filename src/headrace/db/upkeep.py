"""Upkeep: partitions ahead of time, and no leftovers."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
FEWEST_AHEAD = 2


async def create_partitions(conn: Connection) -> int:
    """Make the partitions of the coming weeks that are missing; gives back how many."""
    made: int = await conn.fetchval(SQL["create_partitions"])
    return made


async def health_warnings(conn: Connection) -> list[str]:
    """What an operator should know before it hurts."""
    ahead = await conn.fetchval(SQL["partitions_ahead"])
    if ahead >= FEWEST_AHEAD:
        return []
    return [f"only {ahead} partitions ahead (at least {FEWEST_AHEAD} wanted): is a worker running its upkeep?"]


async def forget_ended(conn: Connection) -> None:
    """Remove what ended jobs left in the small tables, and workers of long ago."""
    await conn.execute(SQL["forget_ended_progress"])
    await conn.execute(SQL["forget_waiters"])
    await conn.execute(SQL["forget_workers"])
