"""Claim: take jobs that wait, for a worker that is live at that moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.job import ClaimedJob, FunctionName, Terms
from headrace.model.retry import RetryPolicy

SQL = statements(__file__)

# With many lanes each gives up its first few: enough to fill a claim from a handful of busy ones, and cheap.
LEAST_FROM_EACH_LANE = 20
# Among a worker's definitions: whatever SQL job there is. No definition can have this key.
SQL_JOBS = "*sql"


class Held(NamedTuple):
    """A queue row that a claim has just turned to running."""

    job_id: UUID
    run: int
    spent: int
    max_attempts: int
    lane_id: int
    tenant_id: int
    suspect: bool


async def claim_jobs(
    conn: Connection, *, worker_id: int, lanes: Sequence[int], limit: int, suspects: int
) -> list[Held]:
    """Up to `limit` jobs in order of priority, then age; of the suspects among them at most `suspects`."""
    if not lanes or limit <= 0:
        return []
    suspects = min(suspects, limit)
    if len(lanes) == 1:
        rows = await conn.fetch(SQL["claim_from_lane"], worker_id, lanes[0], limit, suspects)
    else:
        each = min(limit, max(LEAST_FROM_EACH_LANE, 4 * limit // len(lanes)))
        rows = await conn.fetch(SQL["claim_from_lanes"], worker_id, lanes, limit, suspects, each)
    return list(map(Held._make, rows))


async def fetch_claimed(
    conn: Connection, held: Sequence[Held], *, terms: Mapping[int, Terms], tenants: Mapping[int, str]
) -> list[ClaimedJob]:
    """The claimed rows with what their handlers need."""
    records = {row[0]: row for row in await conn.fetch(SQL["fetch_payloads"], [h.job_id for h in held])}
    jobs = []
    for h in held:
        _, payload, correlation_id, scheduled_for, source = records[h.job_id]
        about = (payload, correlation_id, scheduled_for, source, h.suspect)
        jobs.append(
            ClaimedJob(h.job_id, h.run, h.spent, h.max_attempts, terms[h.lane_id], tenants[h.tenant_id], *about)
        )
    return jobs


async def list_lanes(conn: Connection, *, worker_id: int) -> dict[int, Terms]:
    """The lanes a worker may claim from now, each with the terms of its definition."""
    rows = await conn.fetch(SQL["list_lanes"], worker_id)
    return {row[0]: _terms(*row[1:]) for row in rows}


def _terms(
    definition: str, timeout: float | None, base: float, cap: float, jitter: float, *function: str | None
) -> Terms:
    retry = RetryPolicy(*(timedelta(seconds=seconds) for seconds in (base, cap, jitter)))
    schema, name, signature = function
    named = FunctionName(schema, name, signature) if schema and name and signature else None
    return Terms(definition, timeout, retry, named)


async def list_tenants(conn: Connection) -> dict[int, str]:
    """The names behind the numbers."""
    return {row[0]: row[1] for row in await conn.fetch(SQL["list_tenants"])}


async def list_held(conn: Connection, *, worker_id: int) -> list[tuple[UUID, int]]:
    """What the database says this worker holds."""
    return [(row[0], row[1]) for row in await conn.fetch(SQL["list_held"], worker_id)]
