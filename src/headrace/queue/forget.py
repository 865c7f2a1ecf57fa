"""Forget: what gates noted of keys and tenants without jobs for a while, and lanes that nothing refers to any more."""

from __future__ import annotations

import asyncpg

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


async def forget_full_buckets(conn: Connection) -> None:
    """Remove buckets of tokens that are full again, and shares of fair queues that the queue's clock has overtaken."""
    await conn.execute(SQL["forget_full_buckets"])
    await conn.execute(SQL["forget_overtaken_shares"])


async def forget_unused_lanes(conn: Connection) -> int:
    """Remove lanes whose last job has left history. None while a transaction is open that may still use one."""
    if not await conn.fetchval(SQL["any_forgettable"]):
        return 0
    try:
        async with conn.transaction():
            await conn.execute(SQL["wait_briefly"])
            await conn.execute(SQL["lock_lanes"])
            forgotten: int = await conn.fetchval(SQL["forget_lanes"])
            return forgotten
    except asyncpg.LockNotAvailableError:
        return 0
