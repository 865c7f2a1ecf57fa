"""The roles of the database: which are there, and what an administrator runs to make the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
CURE = (
    "let an administrator run what `headrace db roles --print` prints, "
    "then run `headrace db migrate` as the owner of the schema"
)
TENANT, SERVER = "headrace_tenant", "headrace_server"
# What each is for. `functions/grants.sql` gives them their rights.
ROLES = {
    TENANT: "requests for one tenant; no login is a member but the owner and servers",
    "headrace_app": "applications: enqueue, emit, read jobs, cancel and retry",
    "headrace_integrator": "others who write SQL for one tenant, to which headrace.bind_login binds the login",
    "headrace_worker": "headrace worker",
    SERVER: "headrace serve",
    "headrace_metrics": "reads what /metrics shows",
}


class Role(NamedTuple):
    """One of them on this server. A `ready` one has its rights in this database; `logins` hold it."""

    name: str
    exists: bool
    ready: bool
    logins: list[str]


async def list_roles(conn: Connection) -> list[Role]:
    """All that there should be."""
    return [Role(*row) for row in await conn.fetch(SQL["list_roles"], list(ROLES))]


async def missing_statements(conn: Connection) -> list[str]:
    """What an administrator runs, once for the server; what is there already is left out."""
    owner, _ = await conn.fetchrow(SQL["look_at_owner"])  # type: ignore[misc] # it gives one row
    made = [f"create role {role.name} nologin;" for role in await list_roles(conn) if not role.exists]
    takers = [who for who in (owner, SERVER) if not await conn.fetchval(SQL["may_take"], who)]
    return [*made, *(f"grant {TENANT} to {quoted(who)};" for who in takers)]


async def example_statements(conn: Connection) -> Iterator[str]:
    """What an administrator runs for the logins of processes, with names made up."""
    _, database = await conn.fetchrow(SQL["look_at_owner"])  # type: ignore[misc] # it gives one row
    place = quoted(database)
    return iter(
        (
            "create role shop_web login password '…' in role headrace_app;",
            "create role shop_jobs login password '…' in role headrace_worker;",
            "create role shop_admin login password '…' in role headrace_server;",
            f"revoke connect on database {place} from public;",
            f"grant connect on database {place} to shop_web, shop_jobs, shop_admin;",
        )
    )


def quoted(name: str) -> str:
    """As SQL writes a name."""
    return '"' + name.replace('"', '""') + '"'
