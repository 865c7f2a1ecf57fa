"""From a request to a principal: the host's word, or a token."""

from __future__ import annotations

import inspect
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from headrace.api.state import state_of
from headrace.errors import TooMany, Unauthenticated
from headrace.service import Service
from headrace.service.door import House, find_tenant
from headrace.service.permissions import Forbidden
from headrace.service.principal import Principal
from headrace.service.tokens import Found, find_principal

# A token that is revoked opens nothing after this long, in whatever process.
KNOWN_FOR = 0.9
MOST_KNOWN = 10_000
TENANT_HEADER = "X-Headrace-Tenant"

Identify = Callable[[Request], Awaitable[Principal | None] | Principal | None]


class Gatekeeper:
    """Knows tokens for a moment, and how often each tenant has asked."""

    def __init__(self, house: House, identify: Identify | None = None) -> None:
        self.house = house
        self._identify = identify
        self._known: OrderedDict[str, tuple[float, Found | None]] = OrderedDict()
        self._budgets: dict[str, tuple[float, float]] = {}

    async def principal(self, request: Request) -> Principal:
        """Who asks, at work for the tenant they may work for; or `Unauthenticated`."""
        found = await self._by_host(request) or await self._by_token(request)
        if found is None:
            raise Unauthenticated
        principal = await self._choose_tenant(found.principal, request.headers.get(TENANT_HEADER))
        if found.requests_per_minute is not None and principal.tenant is not None:
            self._spend(principal.tenant, found.requests_per_minute)
        return principal

    async def _by_host(self, request: Request) -> Found | None:
        if self._identify is None:
            return None
        principal = self._identify(request)
        if inspect.isawaitable(principal):
            principal = await principal
        if principal is None:
            return None
        if principal.tenant is not None and principal.tenant_id is None:
            async with self.house.database.pool.acquire() as conn:
                principal = principal.of_tenant(principal.tenant, await find_tenant(conn, principal.tenant))
        return Found(principal, None)

    async def _by_token(self, request: Request) -> Found | None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token or len(token) > 200:
            return None
        known = self._known.get(token)
        if known is not None and time.monotonic() - known[0] < KNOWN_FOR:
            return known[1]
        async with self.house.database.pool.acquire() as conn:
            found = await find_principal(conn, token)
        self._known[token] = (time.monotonic(), found)
        self._known.move_to_end(token)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return found

    async def _choose_tenant(self, principal: Principal, wanted: str | None) -> Principal:
        if wanted is None or wanted == principal.tenant:
            return principal
        if principal.role != "super_admin":
            raise Forbidden(f"{TENANT_HEADER} is a super-admin's choice; your credential has its own tenant")
        async with self.house.database.pool.acquire() as conn:
            return principal.of_tenant(wanted, await find_tenant(conn, wanted))

    def _spend(self, tenant: str, per_minute: int) -> None:
        """A bucket that holds a tenth of a minute's requests and refills steadily, in each process."""
        now = time.monotonic()
        most = max(1.0, per_minute / 10)
        left, since = self._budgets.get(tenant, (most, now))
        left = min(most, left + (now - since) * per_minute / 60)
        if left < 1:
            raise TooMany(
                f'tenant "{tenant}" may make {per_minute} requests a minute', after=(1 - left) * 60 / per_minute
            )
        self._budgets[tenant] = (left - 1, now)


def gatekeeper(request: Request) -> Gatekeeper:
    """That of this application."""
    return state_of(request).gatekeeper


BEARER = HTTPBearer(auto_error=False, description="a token, as `headrace tokens create` gives it")


async def service(request: Request, _said: Annotated[object, Security(BEARER)] = None) -> Service:
    """The service as it is for who asks."""
    keeper = gatekeeper(request)
    return Service(keeper.house, await keeper.principal(request))


Asked = Annotated[Service, Depends(service)]
