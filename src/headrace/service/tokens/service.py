"""Tokens: random, known by their SHA-256, shown once."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound
from headrace.model.system import SYSTEM_TENANT
from headrace.service.base import ServerService
from headrace.service.principal import Principal, Role
from headrace.service.session import Ahead

SQL = statements(__file__)
PREFIX = "hr_"


class Token(NamedTuple):
    """What is known of a token; never the token."""

    id: UUID
    name: str
    role: Role
    tenant: str | None
    queues: list[str]
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    expired: bool


class NewToken(NamedTuple):
    """A token that was just made: the only time that its secret is seen."""

    token: str
    about: Token


class Tokens(ServerService):
    """Make, list and revoke."""

    async def create(
        self,
        name: str,
        role: Role,
        *,
        tenant: str | None = None,
        queues: tuple[str, ...] = ("*",),
        expires_at: Ahead | None = None,
    ) -> NewToken:
        """A token of a role; tenants' roles need a tenant, and only workers are bound to queues."""
        if tenant == SYSTEM_TENANT:
            raise NotFound(f'unknown tenant "{tenant}"', field="tenant")
        of_tenant = role in ("tenant_admin", "tenant_viewer")
        if of_tenant != (tenant is not None):
            raise BadRequest(f"a {role} token {'needs a tenant' if of_tenant else 'has no tenant'}", field="tenant")
        if role != "worker" and queues != ("*",):
            raise BadRequest("only worker tokens are bound to queues", field="queues")
        token = PREFIX + secrets.token_urlsafe(32)
        async with self._begin("tokens.change") as scope:
            end = await scope.from_now(expires_at, "expires_at")
            self._refuse_long_life(await scope.now(), end)
            row = await scope.conn.fetchrow(
                SQL["create_token"], name, digest(token), role, tenant, list(queues), end, scope.principal.name
            )
            about = Token(*row)  # type: ignore[misc] # an insert gives its row
            await scope.audit(about.id, name=name, role=role, tenant=tenant, expires_at=end)
        return NewToken(token, about)

    def _refuse_long_life(self, now: datetime, expires_at: datetime | None) -> None:
        days = self._runtime.settings.security.token_max_days
        if days is None:
            return
        if expires_at is None or expires_at > now + timedelta(days=days, minutes=1):
            raise BadRequest(f"a token lives for {days:g} days at most (security.token_max_days)", field="expires_at")

    async def revoke(self, token_id: UUID) -> Token:
        """From now on it opens nothing; in every process within a second."""
        async with self._begin("tokens.change") as scope:
            row = await scope.conn.fetchrow(SQL["revoke_token"], token_id)
            if row is None:
                raise NotFound(f'unknown token "{token_id}"')
            await scope.audit(token_id, name=row["name"], revoked=True)
            return Token(*row)

    async def list(self) -> list[Token]:
        """All that were ever made, newest first."""
        async with self._begin("tokens.read") as scope:
            return [Token(*row) for row in await scope.conn.fetch(SQL["list_tokens"])]

    async def any_good(self) -> bool:
        """Whether there is one that opens anything."""
        async with self._begin("tokens.read") as scope:
            return bool(await scope.conn.fetchval(SQL["any_good"]))


class FoundPrincipal(NamedTuple):
    """Whose token it is, and how many requests a minute its tenant may make."""

    principal: Principal
    requests_per_minute: int | None


async def find_principal(conn: Connection, token: str) -> FoundPrincipal | None:
    """Who a token stands for, if it is good now. Notes its use, at most once a minute."""
    return await find_by_hash(conn, digest(token))


async def find_by_hash(conn: Connection, token_hash: bytes) -> FoundPrincipal | None:
    """The same, of a token that is known by its hash."""
    row = await conn.fetchrow(SQL["find_principal"], token_hash)
    return None if row is None else found_principal(row)


def found_principal(row: Any) -> FoundPrincipal:
    """From a row of a token and its tenant."""
    name, whose = f"token {row['name']}", (row["tenant"], row["tenant_id"])
    principal = Principal(name, row["role"], *whose, tuple(row["queues"]), row["id"], row["hash"])
    return FoundPrincipal(principal, row["requests_per_minute"])


def digest(token: str) -> bytes:
    """How a token is known."""
    return hashlib.sha256(token.encode()).digest()
