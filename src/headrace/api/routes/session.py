"""`/session`: signing in with a token, in a browser; and who one is."""

from __future__ import annotations

from typing import Annotated

from fastapi import Cookie, Request, Response
from pydantic import Field

from headrace.api.auth import SESSION_COOKIE, CurrentService, authenticator
from headrace.api.body.route import new_router
from headrace.api.csrf import require_same_origin
from headrace.api.schemas import RequestModel, ResponseModel, Text
from headrace.service import Service
from headrace.service.permissions import allowed_actions
from headrace.service.principal import Role
from headrace.service.tokens.browser_sessions import LASTS, end_session, open_session
from headrace.version import __version__

router = new_router(prefix="/session", tags=["session"])

MOST_TENANTS = 500
SessionCookie = Annotated[str | None, Cookie(alias=SESSION_COOKIE, include_in_schema=False)]


class SignIn(RequestModel):
    """A token to sign in with."""

    token: Text = Field(min_length=1, max_length=200, description="a token from `headrace tokens create`")


class SessionAnswer(ResponseModel):
    """The caller, and the actions that the caller may take."""

    principal: str = Field(description="a name", examples=["token ci"])
    role: Role
    tenant: str | None = Field(description="the tenant of the session; null: all tenants")
    tenants: list[str] = Field(description="tenants that a super-admin may choose by X-Headrace-Tenant, up to 500")
    may: list[str] = Field(description="actions that the role may take", examples=[["jobs.list", "jobs.retry"]])
    version: str


@router.post("", status_code=204)
async def sign_in(request: Request, response: Response, given: SignIn) -> None:
    """Exchange a token for a session in a cookie that scripts cannot read."""
    require_same_origin(request, or_none=True)
    auth = authenticator(request)
    await auth.count_sign_in(request, given.token)
    async with auth.runtime.database.pool.acquire() as conn:
        secret = await open_session(conn, given.token)
    _set_cookie(request, response, secret)


@router.get("")
async def get_session(
    service: CurrentService, request: Request, response: Response, session: SessionCookie = None
) -> SessionAnswer:
    """Show the caller, by whatever credential."""
    if session is not None:
        _set_cookie(request, response, session)  # it lasts longer now, and the browser should know
    principal = service.principal
    return SessionAnswer(
        principal=principal.name,
        role=principal.role,
        tenant=principal.tenant,
        tenants=await _tenants(service),
        may=allowed_actions(principal.role),
        version=__version__,
    )


@router.delete("", status_code=204)
async def sign_out(request: Request, response: Response, session: SessionCookie = None) -> None:
    """End the session of this browser, if there is one."""
    require_same_origin(request, or_none=session is None)
    if session is not None:
        auth = authenticator(request)
        async with auth.runtime.database.pool.acquire() as conn:
            await end_session(conn, session)
        auth.forget_session(session)
    response.delete_cookie(SESSION_COOKIE, path=_path(request), httponly=True, samesite="strict")


async def _tenants(service: Service) -> list[str]:
    if service.principal.role != "super_admin":
        return []
    return [tenant.name for tenant in await service.tenants.list(limit=MOST_TENANTS)]


def _set_cookie(request: Request, response: Response, secret: str) -> None:
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=int(LASTS.total_seconds()),
        path=_path(request),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )


def _path(request: Request) -> str:
    """Where this is mounted."""
    return request.scope.get("root_path") or "/"
