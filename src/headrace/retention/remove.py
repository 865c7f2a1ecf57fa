"""Remove: weeks that are leaving, without making an enqueue wait."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.detach import IN_USE, PATIENCE_SECONDS
from headrace.db.standing import owns_schema
from headrace.db.statements import statements
from headrace.log import get_logger

SQL = statements(__file__)
log = get_logger("headrace.retention")
KEYS = 5000


async def remove_leaving(conn: Connection) -> int:
    """Detach and drop them; gives back how many are gone. Not within a transaction. What is in use goes later."""
    removed = 0
    try:
        for suffix, first, end in await conn.fetch(SQL["list_leaving"]):
            # Before the jobs: a key must not lead to one that is not there.
            while await conn.fetchval(SQL["forget_keys"], first, end, KEYS):
                pass
            if await owns_schema(conn):
                await _detach_and_drop(conn, suffix)
            else:
                await conn.execute(SQL["drop_week"], suffix)
            removed += 1
    except IN_USE:
        log.info("drop of a job partition postponed")
    return removed


async def _detach_and_drop(conn: Connection, suffix: str) -> None:
    for (detach,) in await conn.fetch(SQL["list_detaching"], suffix):
        await conn.execute(detach, timeout=PATIENCE_SECONDS)
    async with conn.transaction():
        for (drop,) in await conn.fetch(SQL["list_dropping"], suffix):
            await conn.execute(drop, timeout=PATIENCE_SECONDS)
        await conn.execute(SQL["forget_week"], suffix)
