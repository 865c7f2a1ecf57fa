"""What a login is to the schema: its owner, who migrates it, or the holder of a role, who finds it migrated."""

from __future__ import annotations

from typing import NamedTuple

import asyncpg

from headrace.db.compare import applied_schema, find_difference, known_schema
from headrace.db.connect import Connection, Endpoint
from headrace.db.migrate import applied_steps, migrate, read_migrations, refuse_foreign_history
from headrace.db.statements import statements
from headrace.errors import DatabaseUnusable

SQL = statements(__file__)


class Standing(NamedTuple):
    """What the login of a process may do beside its work."""

    owns: bool
    declares: bool

    def require_declaring(self) -> None:
        """Refuse to tell the database of jobs with a login that may only enqueue them."""
        if not self.declares:
            raise DatabaseUnusable(
                "this login may not declare jobs or triggers. A worker does, when it starts: "
                "let it run this code, or grant the login headrace_worker."
            )


OWNER = Standing(owns=True, declares=True)


async def migrate_or_check(endpoint: Endpoint) -> Standing:
    """Migrate as the owner of the schema, or where there is none yet; as another look whether that was done."""
    connection = await endpoint.connect("start")
    try:
        if not await owns_schema(connection):
            return await _check(connection)
    finally:
        await connection.close()
    await migrate(endpoint)
    return OWNER


async def owns_schema(conn: Connection) -> bool:
    """Whether this login may change tables; true also where there is no schema yet."""
    owns: bool = await conn.fetchval(SQL["owns_schema"])
    return owns


async def _check(conn: Connection) -> Standing:
    me, owner, declares = await conn.fetchrow(SQL["look_at_login"])  # type: ignore[misc] # it gives one row
    try:
        differs = find_difference(await applied_schema(conn), known_schema())
    except asyncpg.InsufficientPrivilegeError as error:
        raise DatabaseUnusable(
            f'the login "{me}" may not use the schema headrace of "{owner}": {error}. '
            f'Let an administrator run: GRANT headrace_app TO "{me}"; or headrace_worker, or headrace_server.'
        ) from None
    if differs is None:
        return Standing(owns=False, declares=declares)
    refuse_foreign_history(await applied_steps(conn), read_migrations())
    raise DatabaseUnusable(
        f'the schema headrace is older than this version, and the login "{me}" does not own it: '
        f'run `headrace db migrate` as the owner, "{owner}".'
    )
