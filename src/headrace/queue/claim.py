"""Claim: take jobs that wait, for a worker that is live at that moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.job.record import ClaimedJob, FunctionName, Terms
from headrace.model.job.retry import RetryPolicy

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


class Gated(NamedTuple):
    """What came through the gates, and in how many seconds a rate limit lets the next one through, if it must wait."""

    held: list[Held]
    opens_in: float | None


class Lanes(NamedTuple):
    """The lanes a worker may claim from, each with its definition's terms; and in which jobs may stand behind gates."""

    terms: dict[int, Terms]
    gated: list[int]


async def claim_jobs(
    conn: Connection, *, worker_id: int, lanes: Sequence[int], limit: int, suspects: int
) -> list[Held]:
    """Up to `limit` jobs without a gate, in order of priority, then age; of suspects among them at most `suspects`."""
    if not lanes or limit <= 0:
        return []
    suspects = min(suspects, limit)
    if len(lanes) == 1:
        rows = await conn.fetch(SQL["claim_from_lane"], worker_id, lanes[0], limit, suspects)
    else:
        each = min(limit, max(LEAST_FROM_EACH_LANE, 4 * limit // len(lanes)))
        rows = await conn.fetch(SQL["claim_from_lanes"], worker_id, lanes, limit, suspects, each)
    return list(map(Held._make, rows))


async def claim_gated(
    conn: Connection, *, worker_id: int, lanes: Sequence[int], limit: int, suspects: int, up_to_priority: int
) -> Gated:
    """Up to `limit` jobs that their gates let through now, and are no less urgent than that."""
    if not lanes or limit <= 0:
        return Gated([], None)
    rows = await conn.fetch(SQL["claim_gated"], worker_id, lanes, limit, suspects, up_to_priority)
    opens_in = rows.pop()[-1] if rows and rows[-1][0] is None else None
    return Gated([Held._make(row[:-1]) for row in rows], opens_in)


async def first_priority(conn: Connection, lanes: Sequence[int]) -> int | None:
    """How urgent the first job without a gate is, if one waits."""
    priority: int | None = await conn.fetchval(SQL["first_priority"], lanes)
    return priority


async def fetch_claimed(
    conn: Connection, held: Sequence[Held], *, terms: Mapping[int, Terms], tenants: Mapping[int, str]
) -> list[ClaimedJob]:
    """The claimed rows with what their handlers need; a row without a record is left out."""
    records = {row[0]: row for row in await conn.fetch(SQL["fetch_payloads"], [h.job_id for h in held])}
    jobs = []
    for h in held:
        if h.job_id not in records:
            continue
        _, payload, correlation_id, scheduled_for, source, trace = records[h.job_id]
        about = (payload, correlation_id, scheduled_for, source, h.suspect, trace)
        jobs.append(
            ClaimedJob(h.job_id, h.run, h.spent, h.max_attempts, terms[h.lane_id], tenants[h.tenant_id], *about)
        )
    return jobs


async def measure_payloads(conn: Connection, held: Sequence[Held]) -> list[int]:
    """The size of each payload in bytes, in the order of what is held."""
    sizes = {row[0]: row[1] for row in await conn.fetch(SQL["measure_payloads"], [h.job_id for h in held])}
    return [sizes.get(h.job_id, 0) for h in held]


async def remove_orphans(conn: Connection, held: Sequence[Held], *, worker_id: int) -> list[UUID]:
    """Take rows that this worker holds and that have no record off the queue; gives back the ids of those."""
    rows = await conn.fetch(SQL["remove_orphans"], worker_id, [h.job_id for h in held], [h.run for h in held])
    return [row[0] for row in rows]


async def list_lanes(conn: Connection, *, worker_id: int) -> Lanes:
    """The lanes a worker may claim from now."""
    rows = await conn.fetch(SQL["list_lanes"], worker_id)
    terms = {row[0]: _terms(*row[1:-2])._replace(fair=row["fair"]) for row in rows}
    return Lanes(terms, [row[0] for row in rows if row["gated"]])


def _terms(
    definition: str, timeout: float | None, base: float, cap: float, jitter: float, queue: str, *function: str | None
) -> Terms:
    retry = RetryPolicy(*(timedelta(seconds=seconds) for seconds in (base, cap, jitter)))
    schema, name, signature = function
    named = FunctionName(schema, name, signature) if schema and name and signature else None
    return Terms(definition, timeout, retry, named, queue=queue)


async def list_tenants(conn: Connection) -> dict[int, str]:
    """The names behind the numbers."""
    return {row[0]: row[1] for row in await conn.fetch(SQL["list_tenants"])}


async def list_held(conn: Connection, *, worker_id: int) -> list[tuple[UUID, int]]:
    """What the database says this worker holds."""
    return [(row[0], row[1]) for row in await conn.fetch(SQL["list_held"], worker_id)]


async def list_released_before(
    conn: Connection, fences: Sequence[tuple[UUID, int]], *, worker_id: int, why: str
) -> list[Held]:
    """Of the runs that this worker holds those whose job was given back for that reason the time before, too."""
    job_ids, runs = [job_id for job_id, _ in fences], [run for _, run in fences]
    rows = await conn.fetch(SQL["list_released_before"], worker_id, job_ids, runs, why)
    return list(map(Held._make, rows))
