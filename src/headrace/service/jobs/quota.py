"""Quota: what a tenant may have waiting and how large; asked by enqueues on its behalf, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from headrace.db.statements import statements
from headrace.errors import PayloadTooLarge, TooMany
from headrace.service.session import Scope

SQL = statements(__file__)
TRY_AGAIN = 5


class Quota(NamedTuple):
    """What a tenant may have; none: as much as it likes."""

    tenant: str
    tenant_id: int
    max_queued: int | None = None
    max_payload_bytes: int | None = None

    def allow_size(self, payloads: Sequence[str]) -> None:
        """Refuse what is too large."""
        if self.max_payload_bytes is None:
            return
        largest = max((len(payload.encode()) for payload in payloads), default=0)
        if largest > self.max_payload_bytes:
            raise PayloadTooLarge(
                f'a payload of tenant "{self.tenant}" has at most {self.max_payload_bytes:,} bytes, not {largest:,}'
            )


async def quota_of(scope: Scope, tenant: str) -> Quota | None:
    """None where there is none. With one for waiting jobs, this is the tenant's only enqueue until it commits."""
    row = await scope.conn.fetchrow(SQL["quota"], tenant)
    if row is None:
        return None
    quota = Quota(tenant, *row)
    if quota.max_queued is not None:
        await scope.conn.execute(SQL["take_turn"], quota.tenant_id)
    return quota


async def allow_waiting(scope: Scope, quota: Quota) -> None:
    """Refuse what was just enqueued if too many wait with it; asked afterwards, so that a repeated request is none."""
    if quota.max_queued is None:
        return
    if await scope.conn.fetchval(SQL["may_exceed"], quota.tenant_id, quota.max_queued) and await scope.conn.fetchval(
        SQL["exceeds"], quota.tenant_id, quota.max_queued
    ):
        raise TooMany(
            f'tenant "{quota.tenant}" may have {quota.max_queued:,} live jobs: nothing was enqueued; '
            "try again when some have ended",
            after=TRY_AGAIN,
            code="quota_exceeded",
        )
