"""What has changed since a time, found by indexes that are there anyway."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)

# Whose changes: a tenant's number, or none for all tenants'.
Whose = int | None
ALL: Whose = None

# A transaction commits a while after the time it writes: each look goes back this far, and what was told is not told
# again. People's transactions take longer than a worker's, which writes outcomes and nothing else.
OVERLAP = timedelta(seconds=5)
OVERLAP_OF_ENDS = timedelta(seconds=2)
# Nobody is told of what is longer ago.
RESUMES_WITHIN = timedelta(minutes=5)
# Rows of each kind and tenant that one look reads.
MOST_READ = 2000
# A queue of up to this many bytes is read whole.
SMALL_QUEUE = 8 * 1024 * 1024
FINALS = ("succeeded", "failed", "canceled", "dead_letter")


class Change(NamedTuple):
    """Something that happened to a job. Two looks give equal ones for the same happening."""

    job_id: UUID
    tenant_id: int
    run: int
    what: str
    at: float | None


class Look(NamedTuple):
    """What was found, by the database's clock; `cut` are those of whom there was more than is read."""

    now: datetime
    changes: list[Change]
    cut: frozenset[Whose]


class TenantCounts(NamedTuple):
    """Live jobs as last sampled, and how many jobs there ever were that came in or ended so."""

    live: dict[str, int]
    ended: dict[str, int]
    enqueued: int


async def read_changes(conn: Connection, since: datetime | None, whose: Collection[Whose]) -> Look:
    """Whatever changed since then for any of these, within `RESUMES_WITHIN`; without a time only what time it is."""
    tenants, everybody = _apart(whose)
    async with conn.transaction(readonly=True):
        now, queue_bytes = await conn.fetchrow(SQL["now"])  # type: ignore[misc] # it gives one row
        if since is None:
            return Look(now, [], frozenset())
        since = max(since, now - RESUMES_WITHIN)
        asked = (since - OVERLAP, tenants, everybody, MOST_READ)
        created = await conn.fetch(SQL["created"], *asked)
        live = await conn.fetch(SQL["live"] if queue_bytes <= SMALL_QUEUE else SQL["running"], *asked)
        await conn.execute(SQL["by_index"])
        ended = await conn.fetch(SQL["ended"], since - OVERLAP_OF_ENDS, *asked[1:])
        await conn.execute(SQL["by_any_means"])
    changes = dict.fromkeys(Change(*row[:5]) for row in (*created, *live, *ended))
    return Look(now, list(changes), frozenset(key for rows in (created, live, ended) for key in _cut(rows, whose)))


async def read_summaries(conn: Connection, whose: Collection[Whose]) -> dict[Whose, TenantCounts]:
    """The counts of each."""
    tenants, everybody = _apart(whose)
    live: dict[Whose, Counter[str]] = {key: Counter() for key in whose}
    ended: dict[Whose, Counter[str]] = {key: Counter() for key in whose}
    for row in await conn.fetch(SQL["sampled"], tenants, everybody):
        for key in {row["tenant_id"], ALL} & live.keys():
            live[key][row["status"]] += row["jobs"]
    for row in await conn.fetch(SQL["totals"], tenants, everybody):
        for key in {row["tenant_id"], ALL} & ended.keys():
            ended[key].update({name: row[name] for name in ("enqueued", *FINALS)})
    return {key: _summary(live[key], ended[key]) for key in whose}


def _apart(whose: Collection[Whose]) -> tuple[list[int], bool]:
    return [key for key in whose if key is not None], ALL in whose


def _cut(rows: Sequence[Any], whose: Collection[Whose]) -> set[Whose]:
    if any(row["cut"] for row in rows):
        return set(whose)
    read: Counter[Whose] = Counter(row["tenant_id"] for row in rows)
    read[ALL] = len(rows)
    return {key for key in whose if read[key] >= MOST_READ}


def _summary(live: Counter[str], ended: Counter[str]) -> TenantCounts:
    return TenantCounts(
        {status: live[status] for status in ("scheduled", "queued", "running")},
        {status: ended[status] for status in FINALS},
        ended["enqueued"],
    )
