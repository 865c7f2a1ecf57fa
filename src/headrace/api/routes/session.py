"""`/session`: signing in with a token or a link's code, in a browser; and who one is."""

from __future__ import annotations

from typing import Annotated, Self

from fastapi import Cookie, Request, Response
from pydantic import Field, model_validator

from headrace.api.auth import SESSION_COOKIE, Authenticator, CurrentService, authenticator
from headrace.api.body.route import new_router
from headrace.api.csrf import require_same_origin
from headrace.api.schemas import RequestModel, ResponseModel, Text
from headrace.errors import BadRequest
from headrace.service import Service
from headrace.service.permissions import allowed_actions
from headrace.service.principal import Role
from headrace.service.tokens.browser_sessions import LASTS, end_session, open_session, replace_session
from headrace.service.tokens.service import digest
from headrace.service.tokens.sign_in_codes import redeem_code
from headrace.version import __version__

router = new_router(prefix="/session", tags=["session"])

MOST_TENANTS = 500
SessionCookie = Annotated[str | None, Cookie(alias=SESSION_COOKIE, include_in_schema=False)]


class SignIn(RequestModel):
    """A token or a code to sign in with."""

    token: Text | None = Field(
        default=None, min_length=1, max_length=200, description="a token from `headrace tokens create`"
    )
    code: Text | None = Field(
        default=None, min_length=1, max_length=200, description="the one-time code of a link from `headrace sign-in`"
    )
    replace: bool = Field(default=False, description="whether to end a session of someone else in this browser")

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.token is None) == (self.code is None):
            raise ValueError("give a token, or else a code")
        return self


class SessionAnswer(ResponseModel):
    """The caller, and the actions that the caller may take."""

    principal: str = Field(description="a name", examples=["token ci"])
    role: Role
    tenant: str | None = Field(description="the tenant of the session; null: all tenants")
    tenants: list[str] = Field(description="tenants that a super-admin may choose by X-Headrace-Tenant, up to 500")
    may: list[str] = Field(description="actions that the role may take", examples=[["jobs.list", "jobs.retry"]])
    version: str


@router.post("", status_code=204)
async def sign_in(request: Request, response: Response, given: SignIn, session: SessionCookie = None) -> None:
    """Exchange a token or a code for a session in a cookie that scripts cannot read.

    A session of someone else in this browser stays, with 409, unless `replace` is true; the code is then not used up.
    """
    require_same_origin(request, or_none=True)
    auth = authenticator(request)
    if given.token is not None:
        await auth.count_sign_in(request, given.token)
    try:
        secret = await _open_session(auth, given, session)
    except BadRequest as error:
        if error.field == "code":
            await auth.count_wrong(request)
        raise
    _set_cookie(request, response, secret)


async def _open_session(auth: Authenticator, given: SignIn, session: str | None) -> str:
    async with auth.runtime.database.pool.acquire() as conn, conn.transaction():
        token_hash = await redeem_code(conn, given.code) if given.code else digest(given.token or "")
        secret = await open_session(conn, token_hash)
        if session is not None:
            await replace_session(conn, session, secret, agreed=given.replace)
    if session is not None:
        auth.forget_session(session)
    return secret


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
            ended = await end_session(conn, session)
        auth.forget_session(session)
        if not ended:
            await auth.count_wrong(request)
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
        secure=request.url.scheme == "https" or authenticator(request).runtime.settings.server.is_https,
        httponly=True,
        samesite="strict",
    )


def _path(request: Request) -> str:
    """Where this is mounted."""
    return request.scope.get("root_path") or "/"
