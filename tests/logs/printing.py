"""Runs that print, and lines that come from nowhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from tests.engine import Engine

from headrace.db.connect import Connection, OwnConnection
from headrace.logs.search import Hit, SearchPage, search
from headrace.logs.write import COLUMNS, Fence, write_lines
from headrace.model.log.line import LOG, LogLine
from headrace.queue.claim import Held

Another = Callable[[], Awaitable[OwnConnection]]
INFO = 20


@dataclass
class Run:
    """A job that a worker holds, with the counter of its lines."""

    engine: Engine
    worker: int
    held: Held
    began: datetime
    seq: int = 0
    written: list[LogLine] = field(default_factory=list)

    @property
    def job_id(self) -> UUID:
        return self.held.job_id

    @property
    def fence(self) -> Fence:
        return (self.held.job_id, self.held.run)

    def line(self, message: str = "hello", **others: Any) -> LogLine:
        """The next line."""
        self.seq += 1
        at = self.began + timedelta(milliseconds=self.seq)
        values = {"at": at, "level": INFO, "stream": LOG, **others}
        return LogLine(self.held.job_id, self.held.run, self.seq, message=message, **values)

    def lines(self, n: int) -> list[LogLine]:
        """The next few."""
        return [self.line(f"line {self.seq + 1}") for _ in range(n)]

    async def write(self, lines: Iterable[LogLine] | str, conn: Connection | None = None) -> set[Fence]:
        """Store lines, or one with that text."""
        given = [self.line(lines)] if isinstance(lines, str) else list(lines)
        dropped = await write_lines(conn or self.engine.db, self.worker, given)
        if self.fence not in dropped:
            self.written += given
        return dropped

    async def finish(self) -> None:
        """End the job well."""
        assert await self.engine.finish(self.worker, self.held) == {self.job_id}


async def start(engine: Engine, *, worker: int | None = None, **options: Any) -> Run:
    """A job that has just been claimed."""
    job_id = await engine.enqueue(**options)
    worker = await engine.worker() if worker is None else worker
    (held,) = await engine.claim(worker)
    assert held.job_id == job_id
    return Run(engine, worker, held, await now(engine.db))


async def now(conn: Connection) -> datetime:
    moment: datetime = await conn.fetchval("select clock_timestamp()")
    return moment


async def tenant(conn: Connection, name: str) -> int:
    """The id of a tenant, made where there is none."""
    await conn.execute("insert into headrace.tenant (name) values ($1) on conflict do nothing", name)
    found: int = await conn.fetchval("select id from headrace.tenant where name = $1", name)
    return found


async def stored(conn: Connection, job_id: UUID) -> list[LogLine]:
    """All lines of a job, straight from the table."""
    rows = await conn.fetch(
        "select job_id, run, seq, at, level, stream, message, fields from headrace.log"
        " where job_id = $1 order by run, seq, at",
        job_id,
    )
    return [LogLine(*row) for row in rows]


async def put(conn: Connection, lines: Iterable[LogLine], *, tenant_id: int = 1, definition_id: int = 1) -> None:
    """Lines of jobs that nobody holds."""
    await conn.copy_records_to_table(
        "log", schema_name="headrace", columns=COLUMNS, records=[(tenant_id, definition_id, *line) for line in lines]
    )


async def search_all(conn: Connection, query: str, *, limit: int = 50, **filters: Any) -> list[Hit]:
    """Page after page to the end; each goes on."""
    hits: list[Hit] = []
    cursor = None
    while True:
        page = await search(conn, query, limit=limit, cursor=cursor, **filters)
        assert len(page.hits) <= limit
        hits += page.hits
        if page.complete:
            assert page.cursor is None
            return hits
        assert page.cursor is not None
        assert page.cursor != cursor
        cursor = page.cursor


async def find(conn: Connection, query: str, **filters: Any) -> list[str]:
    """The messages of all hits, newest first."""
    return [hit.line.message for hit in await search_all(conn, query, **filters)]


def messages(page: SearchPage) -> list[str]:
    """What stands on a page."""
    return [hit.line.message for hit in page.hits]
