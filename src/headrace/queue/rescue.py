"""Rescue: free what lost workers held."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.vigil import Vigil

SQL = statements(__file__)


class LostWorker(NamedTuple):
    """A worker whose lease ran out."""

    id: int
    name: str


class Look(NamedTuple):
    """The database's time, and the shortest lease of those who are called live."""

    at: datetime
    shortest_lease: timedelta | None


class Rescued(NamedTuple):
    """A job taken from a lost worker; without a final status it waits again."""

    job_id: UUID
    final: str | None


async def mark_lost_workers(conn: Connection, vigil: Vigil) -> list[LostWorker]:
    """Call workers lost whose lease ran out while we had the database in sight for the whole of that lease."""
    ended_at, lengths = [gap.until for gap in vigil.gaps], [gap.length for gap in vigil.gaps]
    return [LostWorker(*row) for row in await conn.fetch(SQL["mark_lost_workers"], vigil.last, ended_at, lengths)]


async def look(conn: Connection) -> Look:
    """See that the database answers, and when."""
    return Look(*await conn.fetchrow(SQL["look"]) or ())


async def mark_gone_workers(conn: Connection, processes: Sequence[str]) -> list[LostWorker]:
    """Call workers lost whose process is known to be gone, whatever is left of their lease."""
    return [LostWorker(*row) for row in await conn.fetch(SQL["mark_gone_workers"], processes)]


async def rescue_jobs(conn: Connection) -> list[Rescued]:
    """One batch of jobs whose worker is not live any more."""
    return [Rescued(*row) for row in await conn.fetch(SQL["rescue_jobs"])]
