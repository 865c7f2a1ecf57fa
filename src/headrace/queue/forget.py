"""Forget: what the gates noted of keys and tenants that have had nothing for a while, and would be given anyhow."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


async def forget_full_buckets(conn: Connection) -> None:
    """Remove buckets of tokens that are full again, and shares of fair queues that the queue's clock has overtaken."""
    await conn.execute(SQL["forget_full_buckets"])
    await conn.execute(SQL["forget_overtaken_shares"])
