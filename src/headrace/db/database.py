"""The database as the rest of the package sees it: opened, checked, migrated, and closed in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from headrace.db.connect import Endpoint, Pool
from headrace.db.server_check import Pooler, ServerReport, check_server
from headrace.db.standing import OWNER, Standing, migrate_or_check
from headrace.log import get_logger
from headrace.shares import Shares

if TYPE_CHECKING:
    from headrace.db.embedded import EmbeddedServer

log = get_logger("headrace.db")


class Database:
    """A pool for short work, and an endpoint for connections that live long."""

    def __init__(
        self,
        endpoint: Endpoint,
        pool: Pool,
        tenant_pool: Pool,
        report: ServerReport,
        embedded: EmbeddedServer | None,
        standing: Standing = OWNER,
    ) -> None:
        self.endpoint = endpoint
        self.pool = pool
        # Connections of this one only ever run under the role of tenants, so plans and roles never mix.
        self.tenant_pool = tenant_pool
        self.shares = Shares(max(1, tenant_pool.get_max_size() // 2))
        self.report = report
        self.embedded = embedded
        self.standing = standing
        # What others opened on it, and must close before it goes.
        self.closers: list[Callable[[], Awaitable[None]]] = []

    @property
    def sql_jobs_url(self) -> str | None:
        """The login that SQL jobs use, where it is we who made the server."""
        if self.embedded is None:
            return None
        from headrace.db.embedded.roles import sql_role_url

        return sql_role_url(self.endpoint.url)

    @classmethod
    async def open(
        cls,
        *,
        url: str | None,
        data_dir: Path,
        pool_size: int = 10,
        migrated: bool = True,
        pooler: Pooler = "auto",
    ) -> Self:
        """The server at `url`, or the embedded one in `data_dir`; migrated, or found to be, unless told otherwise."""
        embedded = None if url else await _start_embedded(data_dir)
        try:
            where = url or embedded_url(embedded)
            report = await check_server(where, pooler=pooler)
            for warning in report.warnings:
                log.warning(warning)
            endpoint = Endpoint(where, pooled=report.pooled)
            standing = await migrate_or_check(endpoint) if migrated else OWNER
            pool = await endpoint.pool("app", size=pool_size)
            tenant_pool = await endpoint.pool("tenants", size=pool_size)
        except BaseException:
            if embedded:
                await asyncio.to_thread(embedded.stop)
            raise
        return cls(endpoint, pool, tenant_pool, report, embedded, standing)

    async def close(self) -> None:
        """Give connections back; the last one out stops an embedded server."""
        await self.disconnect()
        await asyncio.to_thread(self.leave_server)

    async def disconnect(self) -> None:
        """Give connections back, and keep the share of an embedded server."""
        for close in self.closers:
            await close()
        await asyncio.gather(*map(close_pool, (self.pool, self.tenant_pool)))

    def leave_server(self) -> None:
        """Give up the share of an embedded server; blocks while the last one out stops it."""
        if self.embedded:
            self.embedded.stop()


async def _start_embedded(data_dir: Path) -> EmbeddedServer:
    from headrace.db.embedded import EmbeddedServer  # loaded by who has no server of their own

    return await asyncio.to_thread(EmbeddedServer.start, data_dir)


async def close_pool(pool: Pool) -> None:
    """In order, or after a while without."""
    try:
        await asyncio.wait_for(pool.close(), timeout=5)
    except TimeoutError:
        pool.terminate()


def embedded_url(server: EmbeddedServer | None) -> str:
    """The address of an embedded server that was started."""
    assert server is not None  # noqa: S101 - the caller started it when there was no url
    return server.url
