"""Write: keep lines of the runs that this worker still holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.log import get_logger
from headrace.logs.prune import create_log_partitions
from headrace.model.log.line import LogLine, clean_fields, storable

SQL = statements(__file__)
log = get_logger("headrace.logs")
COLUMNS = ("tenant_id", "definition_id", "job_id", "run", "seq", "at", "level", "stream", "message", "fields")


class NoPartition(Exception):
    """There is no partition at all."""


# A repeat, a partition that has just gone, or fields that are no JSON: not worth looking for each time.
REPAIRABLE = (
    NoPartition,
    asyncpg.UniqueViolationError,
    asyncpg.CheckViolationError,
    asyncpg.DataError,
    asyncpg.ProgramLimitExceededError,
    UnicodeEncodeError,
)

Fence = tuple[UUID, int]


class Home(NamedTuple):
    """Where the lines of a run belong, the times there are partitions for, and whether policies stand before them."""

    tenant_id: int
    definition_id: int
    earliest: datetime
    latest: datetime
    secured: bool


async def write_lines(conn: Connection, worker_id: int, lines: Sequence[LogLine]) -> set[Fence]:
    """Store a batch in one transaction; gives back the (job, run) pairs no longer ours, whose lines were dropped.

    A batch that was stored already, in whole or in part, because the reply to it was lost, is not stored twice.
    """
    clean = [storable(line) for line in lines]
    try:
        return await _write(conn, worker_id, clean)
    except REPAIRABLE as error:
        if _is_about_partitions(error):
            made = await create_log_partitions(conn)
            log.warning("missing log partitions created", partitions=made)
        readable = [line._replace(fields=clean_fields(line.fields)) for line in clean]
        return await _write(conn, worker_id, readable, repeated=True)


async def stored_upto(conn: Connection, job_id: UUID, run: int) -> int:
    """The last line that is stored of a run, 0 where there is none."""
    seq: int = await conn.fetchval(SQL["stored_upto"], job_id, run)
    return seq


async def _write(conn: Connection, worker_id: int, lines: Sequence[LogLine], *, repeated: bool = False) -> set[Fence]:
    fences = {(line.job_id, line.run) for line in lines}
    if not fences:
        return set()
    async with conn.transaction():
        homes = await _lock_held(conn, worker_id, fences)
        mine = [line for line in lines if (line.job_id, line.run) in homes]
        # A time outside of all partitions is drawn to the nearest, and to another one once there are more partitions:
        # then the key does not tell a repeat.
        if repeated or any(not _fits(line, homes[line.job_id, line.run]) for line in mine):
            stored = await _stored(conn, homes)
            mine = [line for line in mine if line.seq > stored[line.job_id, line.run]]
        if mine:
            secured = any(home.secured for home in homes.values())
            await _insert(conn, [_row(line, homes[line.job_id, line.run]) for line in mine], secured=secured)
    return fences - homes.keys()


async def _insert(conn: Connection, rows: list[tuple[object, ...]], *, secured: bool) -> None:
    """By COPY, which row-level security does not allow: there by one statement."""
    if secured:
        await conn.execute(SQL["insert_lines"], *zip(*rows, strict=True))
    else:
        await conn.copy_records_to_table("log", schema_name="headrace", columns=COLUMNS, records=rows)


def _is_about_partitions(error: Exception) -> bool:
    """A check that has a name is about the line itself; one that has none is a partition that is missing."""
    is_check = isinstance(error, asyncpg.CheckViolationError)
    return isinstance(error, NoPartition) or (is_check and not getattr(error, "constraint_name", None))


async def _lock_held(conn: Connection, worker_id: int, fences: set[Fence]) -> dict[Fence, Home]:
    rows = await conn.fetch(SQL["lock_held"], worker_id, list({job_id for job_id, _ in fences}))
    if rows and rows[0]["earliest"] is None:
        raise NoPartition
    return {(row[0], row[1]): Home(*row[2:]) for row in rows if (row[0], row[1]) in fences}


async def _stored(conn: Connection, homes: dict[Fence, Home]) -> dict[Fence, int]:
    rows = await conn.fetch(SQL["stored_upto_of_many"], [job_id for job_id, _ in homes], [run for _, run in homes])
    return {(row[0], row[1]): row[2] for row in rows}


def _fits(line: LogLine, home: Home) -> bool:
    return home.earliest <= line.at <= home.latest


def _row(line: LogLine, home: Home) -> tuple[object, ...]:
    job_id, run, seq, at, level, stream, message, fields = line
    at = min(max(at, home.earliest), home.latest)
    return (home.tenant_id, home.definition_id, job_id, run, seq, at, level, stream, message, fields)
