"""The way in: one action, one principal, one transaction, with its audit row in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

import asyncpg

from headrace.config import Settings
from headrace.db.connect import Connection
from headrace.db.database import Database
from headrace.db.roles import CURE
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import BadRequest, DatabaseUnusable, NotFound
from headrace.model.audit_detail import audit_text
from headrace.model.secret.encryption import SecretBox
from headrace.service.permissions import authorise
from headrace.service.principal import Principal

SQL = statements(__file__)
DEFAULT_TENANT = "default"
Ahead = datetime | timedelta
"""A time to come, or how long it is until then."""


class Runtime(Protocol):
    """What the service stands on: an application's open database and its keys."""

    @property
    def database(self) -> Database: ...

    @property
    def settings(self) -> Settings: ...

    def secret_box(self) -> SecretBox: ...


@dataclass(frozen=True, slots=True)
class Scope:
    """A transaction on behalf of a principal. `tenant` is whose things it is about; none: everybody's."""

    conn: Connection
    principal: Principal
    action: str
    tenant: str | None
    tenant_id: int | None

    @property
    def owner(self) -> str:
        """The tenant of what is made here."""
        return self.tenant or DEFAULT_TENANT

    async def now(self) -> datetime:
        """The time by the database's clock, the only one that decides."""
        now: datetime = await self.conn.fetchval(SQL["now"])
        return now

    async def from_now(self, when: Ahead | None, field: str) -> datetime | None:
        """The time that is meant, which is to come by the database's clock; or `BadRequest` naming the field."""
        if when is None:
            return None
        now = await self.now()
        at = now + when if isinstance(when, timedelta) else when
        if at <= now:
            raise BadRequest(f"{field} lies in the past", field=field)
        return at

    async def carry(self, trace: str | None) -> None:
        """Let the jobs that are made from here on carry a trace."""
        if trace is not None:
            await self.conn.execute(SQL["carry_trace"], trace)

    async def audit(self, target: object, **detail: Any) -> None:
        """Record what is changed; it stays if and only if the change does."""
        who = self.principal
        said = str(target), audit_text(detail)
        await self.conn.execute(SQL["audit"], who.name, who.role, self.action, self.tenant_id, *said)


@asynccontextmanager
async def begin(
    runtime: Runtime, principal: Principal, action: str, *, tenant: str | None = None
) -> AsyncIterator[Scope]:
    """A transaction for one action. For one tenant it runs behind row-level security, a super-admin's too.

    `tenant` is a super-admin's choice; for others it can only be their own.
    """
    authorise(principal, action)
    wanted = principal.tenant or tenant
    if tenant is not None and tenant != wanted:
        raise NotFound(f'unknown tenant "{tenant}"')
    with translated_errors():
        async with _connection(runtime.database, wanted) as conn, conn.transaction():
            tenant_id = None if wanted is None else await _confine(conn, principal, wanted)
            yield Scope(conn, principal, action, wanted, tenant_id)


@asynccontextmanager
async def _connection(database: Database, tenant: str | None) -> AsyncIterator[Connection]:
    if tenant is None:
        async with database.pool.acquire() as conn:
            yield conn
    else:
        async with database.shares.place(tenant), database.tenant_pool.acquire() as conn:
            yield conn


async def _confine(conn: Connection, principal: Principal, tenant: str) -> int:
    tenant_id = principal.tenant_id
    if tenant_id is None:
        tenant_id = await find_tenant(conn, tenant)
    # Until the end of the transaction, so that a connection never comes back to the pool as somebody's.
    try:
        await conn.execute(SQL["confine"], str(tenant_id), principal.role == "super_admin")
    except (asyncpg.InvalidParameterValueError, asyncpg.InsufficientPrivilegeError) as error:
        # Where this is mounted, no start of ours has looked.
        raise DatabaseUnusable(f"requests of tenants cannot be served: {error}: {CURE}.") from error
    return tenant_id


async def find_tenant(conn: Connection, name: str) -> int:
    """The number behind a name, or `NotFound`."""
    tenant_id: int | None = await conn.fetchval(SQL["find_tenant"], name)
    if tenant_id is None:
        raise NotFound(f'unknown tenant "{name}"')
    return tenant_id
