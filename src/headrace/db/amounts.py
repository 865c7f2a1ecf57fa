"""How many things one tenant may have, so that no tenant makes the work of all others slow."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.errors import Conflict


async def refuse_more(
    conn: Connection, count: str, tenant_id: int | None, *, most: int, things: str, cure: str = "delete one"
) -> None:
    """`Conflict` where the tenant, or the server itself, has so many already."""
    if await conn.fetchval(count, tenant_id) >= most:
        raise Conflict(f"there are {most} {things} already, which is the most of one tenant: {cure} first")
