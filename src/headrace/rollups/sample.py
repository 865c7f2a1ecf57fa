"""Sample: how many jobs there are now, so that readers need not count them."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


async def sample_queue(conn: Connection, *, when_due: bool = False) -> int | None:
    """Count live jobs; nothing while another process does or, if so asked, before it is due."""
    async with conn.transaction():
        if not await conn.fetchval(SQL["take_turn"], not when_due):
            return None
        jobs: int = await conn.fetchval(SQL["sample_queue"])
        await conn.execute(SQL["note_unused_lanes"])
        await conn.execute(SQL["note_sampled"])
        return jobs
