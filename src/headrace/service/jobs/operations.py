"""Bulk operations under way and done."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import UUID

from headrace.service.base import TenantService
from headrace.service.jobs.bulk import (
    Operation,
    any_paced,
    cancel_operation,
    list_operations,
    read_operation,
    run_batch,
)

# A second at most is late by this.
PACE_LOOK = 0.1


class Operations(TenantService):
    """Bulk operations under way and done."""

    async def get(self, operation_id: UUID, *, tenant: str | None = None) -> Operation:
        """How far it is, or `NotFound`."""
        async with self._begin("operations.read", tenant) as scope:
            return await read_operation(scope.conn, operation_id, scope.tenant_id)

    async def cancel(self, operation_id: UUID, *, tenant: str | None = None) -> Operation:
        """Let it go no further; what was changed stays changed."""
        async with self._begin("operations.cancel", tenant) as scope:
            before = await read_operation(scope.conn, operation_id, scope.tenant_id)
            if await cancel_operation(scope.conn, operation_id, scope.tenant_id):
                await scope.audit(operation_id, done=before.done)
            return await read_operation(scope.conn, operation_id, scope.tenant_id)

    async def run_all(self) -> None:
        """Go on with whatever is not done yet, until all is; what has a pace is waited for."""
        pool = self._runtime.database.pool
        while True:
            while await run_batch(pool):
                pass
            if not await any_paced(pool):
                return
            await asyncio.sleep(PACE_LOOK)

    # Last, for below it `list` is no type any more.
    async def list(self, *, limit: int = 50, tenant: str | None = None) -> Sequence[Operation]:
        """The newest first."""
        async with self._begin("operations.read", tenant) as scope:
            return await list_operations(scope.conn, scope.tenant_id, limit)
