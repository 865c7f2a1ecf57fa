"""Whether emits notify: only while some dispatcher sleeps, for a notification costs every commit of the server."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


async def set_armed(conn: Connection, *, armed: bool) -> None:
    """Say that dispatchers want to be woken, or that they are busy anyway."""
    await conn.execute(SQL["set_armed"], armed)
