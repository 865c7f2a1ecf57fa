"""`/admin/tokens`: make, look, revoke."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import Name, Page, RequestModel, ResponseModel, Text
from headrace.api.timestamps import time_or_length
from headrace.model.time.timestamps import LONGEST_AHEAD, Moment
from headrace.service.principal import Role
from headrace.service.tokens.service import Token

router = new_router(prefix="/admin/tokens", tags=["tokens"])


class TokenRequest(RequestModel):
    """A token to create."""

    name: Text = Field(
        min_length=1, max_length=200, description="the owner or the purpose of the token", examples=["ci"]
    )
    role: Role
    tenant: Text | None = Field(default=None, max_length=100, description="the tenant, for a tenant's role")
    queues: list[Name] | None = Field(
        fail_fast=True,
        default=None,
        min_length=1,
        max_length=100,
        description="the queues that a worker's token may serve; all by default",
    )
    expires_at: Moment | None = Field(default=None, description="when the token expires; never by default")
    expires_after_seconds: float | None = Field(
        default=None, gt=0, le=LONGEST_AHEAD, description="the time from now until expires_at"
    )


class TokenAnswer(ResponseModel):
    """A token without its secret."""

    id: UUID
    name: str
    role: Role
    tenant: str | None
    queues: list[str]
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="when the token was last used, to the minute")
    revoked_at: datetime | None
    expired: bool = Field(description="whether the token has expired")


class NewTokenAnswer(TokenAnswer):
    """A new token with its secret."""

    token: str = Field(description="the secret, shown only here; only its hash is stored")


def _answer(token: Token) -> TokenAnswer:
    return TokenAnswer.model_validate(token)


@router.get("")
async def list_tokens(service: CurrentService) -> Page[TokenAnswer]:
    """List all tokens, expired and revoked ones too, newest first."""
    return Page(items=[_answer(token) for token in await service.tokens.list()])


@router.post("", status_code=201)
async def create_token(service: CurrentService, new: TokenRequest) -> NewTokenAnswer:
    """Create a token; only this response shows the secret."""
    queues = ("*",) if new.queues is None else tuple(new.queues)
    end = time_or_length("expires", new.expires_at, new.expires_after_seconds)
    made = await service.tokens.create(new.name, new.role, tenant=new.tenant, queues=queues, expires_at=end)
    return NewTokenAnswer(token=made.token, **made.about._asdict())


@router.delete("/{token_id}")
async def revoke_token(service: CurrentService, token_id: UUID) -> TokenAnswer:
    """Revoke a token: within a second every process refuses it."""
    return _answer(await service.tokens.revoke(token_id))
