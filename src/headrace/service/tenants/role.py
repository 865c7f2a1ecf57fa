"""The role behind which requests for one tenant run."""

from __future__ import annotations

from headrace.db.database import Database
from headrace.db.statements import statements
from headrace.errors import DatabaseUnusable

SQL = statements(__file__)


async def require_tenant_role(database: Database) -> None:
    """Refuse to serve tenants without the second wall between them."""
    async with database.pool.acquire() as conn:
        able, me = await conn.fetchrow(SQL["ensure"]) or (False, "")
    if not able:
        raise DatabaseUnusable(
            f'"{me}" cannot take the role "headrace_tenant", under which tenants\' requests run. '
            f'Let an administrator run: GRANT headrace_tenant TO "{me}"; '
            "and where the role does not exist, first: CREATE ROLE headrace_tenant NOLOGIN;"
        )
