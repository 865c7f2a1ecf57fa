"""Enqueue what triggers fire: many definitions and tenants in one statement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


class NewJob(NamedTuple):
    """A job to be, its lane and defaults settled."""

    id: UUID
    tenant_id: int
    definition_id: int
    lane_id: int
    priority: int
    max_attempts: int
    payload: str
    source: str
    source_ref: UUID
    correlation_id: str | None
    scheduled_for: datetime | None
    overlap_id: UUID | None


async def make_job_ids(conn: Connection, n: int) -> list[UUID]:
    """Ids in ascending order."""
    ids: list[UUID] = await conn.fetchval(SQL["make_job_ids"], n) if n else []
    return ids


async def find_lanes(conn: Connection, rows: Sequence[Any]) -> dict[tuple[str, int], int]:
    """The lane of each row's queue and definition, made where it is missing."""
    lanes = {(row["queue"], row["definition_id"]): row["lane_id"] for row in rows}
    # In one order, so that two who make the same lanes do not deadlock.
    for queue, definition_id in sorted(key for key, lane_id in lanes.items() if lane_id is None):
        lanes[queue, definition_id] = await conn.fetchval(SQL["make_lane"], queue, definition_id)
    return lanes


async def suppress_repeated(conn: Connection, jobs: Sequence[tuple[UUID, UUID, str, float]]) -> dict[UUID, UUID]:
    """Of (job, trigger, payload, window in seconds) those whose window is still open, with the job that opened it."""
    if not jobs:
        return {}
    opened = {row[0] for row in await conn.fetch(SQL["open_windows"], *columns(jobs))}
    rest = [(job, trigger, payload) for job, trigger, payload, _ in jobs if job not in opened]
    return {row[0]: row[1] for row in await conn.fetch(SQL["earlier_jobs"], *columns(rest))} if rest else {}


async def enqueue_jobs(conn: Connection, jobs: Sequence[NewJob]) -> None:
    """Queue rows and records for all of them; wakes workers that sleep."""
    if not jobs:
        return
    await conn.execute(SQL["enqueue_jobs"], *columns(jobs))
    await conn.execute(SQL["wake_workers"])


def columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """Rows turned into the arrays that unnest takes."""
    return [list(column) for column in zip(*rows, strict=True)]
