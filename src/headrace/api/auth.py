"""From a request to a principal: the host's word, a token, or a browser's session."""

from __future__ import annotations

import inspect
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from headrace.api.access_log import PRINCIPAL, recognised
from headrace.api.csrf import require_same_origin
from headrace.api.limits import RequestLimits, WrongCredentials, client_of
from headrace.api.state import state_of
from headrace.db.connect import Connection
from headrace.errors import Forbidden, Unauthenticated
from headrace.service import Service
from headrace.service.principal import Principal
from headrace.service.session import Runtime, find_tenant
from headrace.service.tokens.browser_sessions import find_session
from headrace.service.tokens.service import FoundPrincipal, find_principal

# A token that is revoked opens nothing after this long, in whatever process.
KNOWN_FOR = 0.9
MOST_KNOWN = 10_000
TENANT_HEADER = "X-Headrace-Tenant"
SESSION_COOKIE = "headrace_session"
LONGEST_SECRET = 200

Identify = Callable[[Request], Awaitable[Principal | None] | Principal | None]
Find = Callable[[Connection, str], Awaitable[FoundPrincipal | None]]


class Authenticator:
    """Knows tokens and sessions for a moment."""

    def __init__(self, runtime: Runtime, identify: Identify | None = None) -> None:
        self.runtime = runtime
        self._identify = identify
        self._known: OrderedDict[tuple[Find, str], tuple[float, FoundPrincipal]] = OrderedDict()
        self._limits = RequestLimits()
        self._wrong = WrongCredentials()

    async def principal(self, request: Request) -> Principal:
        """Who asks, at work for the tenant they may work for; or `Unauthenticated`."""
        caller = await self._by_host(request) or await self._by_token(request) or await self._by_session(request)
        if caller is None:
            if "Authorization" in request.headers or SESSION_COOKIE in request.cookies:
                await self.count_wrong(request)
            raise Unauthenticated
        principal = await self._choose_tenant(caller.principal, request.headers.get(TENANT_HEADER))
        self._spend(principal, caller.requests_per_minute)
        return principal

    async def count_sign_in(self, request: Request, token: str) -> None:
        """A sign-in counts as a request of the token's tenant, or as a wrong token of the client's address."""
        caller = await self._known_by(find_principal, token)
        if caller is None:
            await self.count_wrong(request)
        else:
            self._spend(caller.principal, caller.requests_per_minute)

    async def count_wrong(self, request: Request) -> None:
        """One more wrong credential of whoever sends it: answered later, where there were many."""
        await self._wrong.slow_down(client_of(request))

    def _spend(self, principal: Principal, per_minute: int | None) -> None:
        if per_minute is not None and principal.tenant is not None:
            self._limits.spend(principal.tenant, per_minute)

    async def _by_host(self, request: Request) -> FoundPrincipal | None:
        if self._identify is None:
            return None
        principal = self._identify(request)
        if inspect.isawaitable(principal):
            principal = await principal
        if principal is None:
            return None
        require_same_origin(request, or_none=True)
        if principal.tenant is not None and principal.tenant_id is None:
            async with self.runtime.database.pool.acquire() as conn:
                principal = principal.of_tenant(principal.tenant, await find_tenant(conn, principal.tenant))
        return FoundPrincipal(principal, None)

    async def _by_token(self, request: Request) -> FoundPrincipal | None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        token = token.strip()
        return await self._known_by(find_principal, token) if scheme.lower() == "bearer" else None

    async def _by_session(self, request: Request) -> FoundPrincipal | None:
        caller = await self._known_by(find_session, request.cookies.get(SESSION_COOKIE, ""))
        if caller is not None:
            # A browser sends its cookie along with whatever page has it send something.
            require_same_origin(request)
        return caller

    async def _known_by(self, find: Find, secret: str) -> FoundPrincipal | None:
        if not secret or len(secret) > LONGEST_SECRET:
            return None
        known = self._known.get((find, secret))
        if known is not None and time.monotonic() - known[0] < KNOWN_FOR:
            return known[1]
        async with self.runtime.database.pool.acquire() as conn:
            caller = await find(conn, secret)
        if caller is None:  # not remembered: any number of them would push out the good ones
            return None
        self._known[find, secret] = (time.monotonic(), caller)
        self._known.move_to_end((find, secret))
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return caller

    def forget_session(self, secret: str) -> None:
        """It has ended: here at once, and not only when it is asked for again."""
        self._known.pop((find_session, secret), None)

    async def _choose_tenant(self, principal: Principal, wanted: str | None) -> Principal:
        if wanted is None or wanted == principal.tenant:
            return principal
        if principal.role != "super_admin":
            raise Forbidden(f"{TENANT_HEADER} is for super-admins; your credential has its own tenant")
        async with self.runtime.database.pool.acquire() as conn:
            return principal.of_tenant(wanted, await find_tenant(conn, wanted))


def authenticator(request: Request) -> Authenticator:
    """That of this application."""
    return state_of(request).authenticator


BEARER = HTTPBearer(auto_error=False, description="a token from `headrace tokens create`")


async def recognise(request: Request) -> Principal:
    """Who asks, by the headers alone; or `Unauthenticated`."""
    principal = await authenticator(request).principal(request)
    recognised(request.scope, principal)
    return principal


async def current_service(request: Request, _said: Annotated[object, Security(BEARER)] = None) -> Service:
    """The service as it is for who asks, whom the route has recognised."""
    return Service(authenticator(request).runtime, request.scope[PRINCIPAL])


CurrentService = Annotated[Service, Depends(current_service)]
