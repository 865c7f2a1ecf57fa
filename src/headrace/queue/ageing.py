"""Ageing: nobody waits for ever behind what is more urgent."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


async def lift_aged(conn: Connection) -> int:
    """Jobs that have waited longer than their queue allows become as urgent as its most urgent; gives back how many."""
    lifted: int = await conn.fetchval(SQL["lift_aged"])
    return lifted
