"""Read: the lines of a job in order, and as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, TypedDict
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.log.line import LogLine

SQL = statements(__file__)

# A page with few wanted lines is filled from several reads of at most this many.
LARGEST_READ = 1000
# Characters of a page, which a server holds in memory. A single line is always read.
LARGEST_PAGE = 8_000_000
# Lines that a page with filters looks at; then it ends, perhaps empty, and says where to go on.
MOST_READ = 20_000
POLL_SECONDS = 0.5

Position = tuple[int, int]
Connect = Callable[[], AbstractAsyncContextManager[Connection]]


class LineOptions(TypedDict, total=False):
    """Which lines of a job: those behind a position, of a level and up, of one stream."""

    after: Position | None
    level: int | None
    stream: int | None


class LinePage(NamedTuple):
    """Lines in order, and where to read on. `more`: there is more to read now. `ended`: there will never be more."""

    lines: list[LogLine]
    after: Position
    more: bool
    ended: bool


async def read_lines(
    conn: Connection,
    job_id: UUID,
    *,
    after: Position | None = None,
    limit: int = 1000,
    level: int | None = None,
    stream: int | None = None,
) -> LinePage:
    """The lines behind `after`, of that level and up and of that stream; never past one that is still being written."""
    ended_upto, has_ended = await _ended_upto(conn, job_id)
    position = after or (0, 0)
    lines: list[LogLine] = []
    size = looked_at = 0
    while True:
        wanted = min(limit - len(lines), LARGEST_READ) if level is None and stream is None else LARGEST_READ
        rows = await conn.fetch(SQL["read_lines"], job_id, *position, wanted, level, stream)
        for run, seq, at, of_level, of_stream, message, fields, is_old in rows:
            if run > ended_upto and not is_old and not _follows((run, seq), position):
                return LinePage(lines, position, more=False, ended=False)
            size += len(message or "") + len(fields or "")
            if len(lines) == limit or (lines and size > LARGEST_PAGE):
                return LinePage(lines, position, more=True, ended=False)
            position = (run, seq)
            if message is not None:
                lines.append(LogLine(job_id, run, seq, at, of_level, of_stream, message, fields))
        if len(rows) < wanted:
            return LinePage(lines, position, more=False, ended=has_ended)
        looked_at += len(rows)
        if len(lines) == limit or looked_at >= MOST_READ:
            return LinePage(lines, position, more=True, ended=False)


async def follow(
    connect: Connect,
    job_id: UUID,
    *,
    after: Position | None = None,
    level: int | None = None,
    stream: int | None = None,
    poll: float = POLL_SECONDS,
) -> AsyncIterator[LogLine]:
    """Every line there is and then those that come, until the job has ended. Holds no connection while it waits."""
    while True:
        async with connect() as conn:
            page = await read_lines(conn, job_id, after=after, level=level, stream=stream)
        for line in page.lines:
            yield line
        if page.ended:
            return
        after = page.after
        if not page.more:
            await asyncio.sleep(poll)


async def _ended_upto(conn: Connection, job_id: UUID) -> tuple[int, bool]:
    row = await conn.fetchrow(SQL["ended_upto"], job_id)
    if row is None:
        raise AssertionError("a select without a table gives one row")
    return row["ended_upto"], row["has_ended"]


def _follows(line: Position, before: Position) -> bool:
    """Whether nothing can be missing between the two. An earlier run has ended, so all of it is to be seen."""
    return line == (before[0], before[1] + 1) or (line[0] > before[0] and line[1] == 1)
