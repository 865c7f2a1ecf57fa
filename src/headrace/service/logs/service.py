"""Log lines of one job, and of all."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Unpack
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound
from headrace.logs.read import LineOptions, LinePage, Position, follow, read_lines
from headrace.logs.search import SearchOptions, SearchPage, search
from headrace.model.log.line import LogLine
from headrace.service.base import TenantService
from headrace.service.logs.hub import START, Follower, LogHub, Part
from headrace.service.session import Scope

SQL = statements(__file__)
LARGEST_PAGE = 10_000
# Of a download.
LINES_AT_ONCE = 2000
# An answer over HTTP comes within 100 ms, with all else that it takes; whoever wants more goes on with the cursor.
PATIENCE = timedelta(milliseconds=50)


class Logs(TenantService):
    """Read, follow, search."""

    async def read(
        self, job_id: UUID, *, limit: int = 1000, tenant: str | None = None, **options: Unpack[LineOptions]
    ) -> LinePage:
        """A job's lines in order, of a level (20 is info, 40 error) and up; `page.after` reads on."""
        if not 1 <= limit <= LARGEST_PAGE:
            raise BadRequest(f"limit is 1 to {LARGEST_PAGE:,}, not {limit}", field="limit")
        async with self._begin("logs.read", tenant) as scope:
            await _expect_job(scope, job_id)
            return await read_lines(scope.conn, job_id, limit=limit, **options)

    def follow(
        self, job_id: UUID, *, tenant: str | None = None, **options: Unpack[LineOptions]
    ) -> AsyncIterator[LogLine]:
        """Every line there is and then those that come, until the job has ended."""

        @asynccontextmanager
        async def connect() -> AsyncIterator[Connection]:
            async with self._begin("logs.read", tenant) as scope:
                await _expect_job(scope, job_id)
                yield scope.conn

        return follow(connect, job_id, **options)

    def listen(
        self, hub: LogHub, job_id: UUID, *, after: Position | None, level: int | None, stream: int | None
    ) -> AsyncGenerator[Part, None]:
        """The same in parts, with one reader for all who listen to a hub; the first part is what there is now."""

        async def read(position: Position) -> LinePage:
            return await self.read(job_id, after=position, level=level, stream=stream)

        who, follower = self._principal, Follower(after or START, level, stream)
        return hub.follow(job_id, read, follower, whose=who.tenant_id, credential=who.credential)

    def download(
        self, hub: LogHub, job_id: UUID, *, after: Position | None, level: int | None, stream: int | None
    ) -> AsyncGenerator[LinePage, None]:
        """All lines there are now, in pages, for as long as the credential is good."""

        async def read(position: Position) -> LinePage:
            return await self.read(job_id, after=position, limit=LINES_AT_ONCE, level=level, stream=stream)

        who, reader = self._principal, Follower(after or START, level, stream)
        return hub.read_all(read, reader, whose=who.tenant_id, credential=who.credential)

    async def search(
        self, query: str = "", *, tenant: str | None = None, **options: Unpack[SearchOptions]
    ) -> SearchPage:
        """Lines with all the words, newest first: words, "a phrase", prefix*, -excluded, or ~text for a substring."""
        own = self._principal.tenant is not None
        async with self._begin("logs.search", tenant if own else None) as scope:
            return await search(scope.conn, query, tenant=tenant, own=own, patience=PATIENCE, **options)


async def _expect_job(scope: Scope, job_id: UUID) -> None:
    """`NotFound` for a job that is not there, and for one that is another tenant's."""
    if not await scope.conn.fetchval(SQL["job_exists"], job_id, scope.tenant_id):
        raise NotFound(f'unknown job "{job_id}"')
