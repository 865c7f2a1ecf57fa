"""Promote: queue the jobs whose time has come."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
BATCH = 1000


async def promote_due(conn: Connection) -> int:
    """One batch, oldest first; wakes workers that sleep. Gives back how many."""
    promoted = len(await conn.fetch(SQL["promote_due"], BATCH))
    if promoted:
        await conn.execute(SQL["wake_workers"])
    return promoted


async def seconds_until_due(conn: Connection) -> float | None:
    """How long until the next scheduled job, by the database's clock; none when there is none."""
    seconds: float | None = await conn.fetchval(SQL["seconds_until_due"])
    return seconds
