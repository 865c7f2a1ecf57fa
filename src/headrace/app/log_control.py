"""`hr.control.logs`: what jobs printed and logged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Protocol
from uuid import UUID

from headrace.db.database import Database
from headrace.logs.read import Page, Position, follow, read_lines
from headrace.logs.search import SearchPage, search
from headrace.model.log_line import LogLine


class App(Protocol):
    """An application that may be open."""

    @property
    def database(self) -> Database: ...


class LogControl:
    """Log lines of one job, and of all."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def read(
        self,
        job_id: UUID,
        *,
        after: Position | None = None,
        limit: int = 1000,
        level: int | None = None,
        stream: int | None = None,
    ) -> Page:
        """A job's lines in order, of a level (20 is info, 40 error) and up; `page.after` reads on."""
        async with self._app.database.pool.acquire() as conn:
            return await read_lines(conn, job_id, after=after, limit=limit, level=level, stream=stream)

    def follow(self, job_id: UUID, *, level: int | None = None, stream: int | None = None) -> AsyncIterator[LogLine]:
        """Every line there is and then those that come, until the job has ended."""
        return follow(self._app.database.pool.acquire, job_id, level=level, stream=stream)

    async def search(
        self,
        query: str = "",
        *,
        tenant: str | None = None,
        definition: str | None = None,
        job_id: UUID | None = None,
        level: int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> SearchPage:
        """Lines with all the words, newest first: words, "a phrase", prefix*, -excluded, or ~text for a substring."""
        async with self._app.database.pool.acquire() as conn:
            return await search(
                conn,
                query,
                tenant=tenant,
                definition=definition,
                job_id=job_id,
                level=level,
                since=since,
                until=until,
                limit=limit,
                cursor=cursor,
            )
