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
