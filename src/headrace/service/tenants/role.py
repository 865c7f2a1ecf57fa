"""The role behind which requests for one tenant run."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.database import Database
from headrace.db.roles import CURE
from headrace.db.statements import statements
from headrace.errors import DatabaseUnusable

SQL = statements(__file__)


async def why_no_tenants(conn: Connection) -> str | None:
    """Why this login cannot serve tenants, or None."""
    able, me = await conn.fetchrow(SQL["look"]) or (False, "")
    return None if able else f'"{me}" cannot take the role "headrace_tenant", under which requests of tenants run'


async def require_tenant_role(database: Database) -> None:
    """Refuse to serve tenants without the second wall between them."""
    async with database.pool.acquire() as conn:
        reason = await why_no_tenants(conn)
    if reason is not None:
        raise DatabaseUnusable(f"{reason}: {CURE}.")
