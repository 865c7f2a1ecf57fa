"""Rescue: free what lost workers held."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


class LostWorker(NamedTuple):
    """A worker whose lease ran out."""

    id: int
    name: str


class Rescued(NamedTuple):
    """A job taken from a lost worker; without a final status it waits again."""

    job_id: UUID
    final: str | None


async def mark_lost_workers(conn: Connection, *, healthy_for: timedelta) -> list[LostWorker]:
    """Call workers lost whose lease ran out, if we ourselves have been well for as long as their lease."""
    return [LostWorker(*row) for row in await conn.fetch(SQL["mark_lost_workers"], healthy_for)]


async def mark_all_lost(conn: Connection) -> list[LostWorker]:
    """Call every worker lost: only for who knows that it is alone with the database."""
    return [LostWorker(*row) for row in await conn.fetch(SQL["mark_all_lost"])]


async def rescue_jobs(conn: Connection) -> list[Rescued]:
    """One batch of jobs whose worker is not live any more."""
    return [Rescued(*row) for row in await conn.fetch(SQL["rescue_jobs"])]
