"""Lease: a worker's sign of life, and what it hears in return."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
ProgressReport = tuple[UUID, float | None, str | None]


@dataclass(frozen=True, slots=True)
class WorkerIdentity:
    """Who a worker is and what it serves."""

    name: str
    hostname: str
    pid: int
    version: str
    queues: tuple[str, ...]
    definitions: tuple[str, ...]
    concurrency: int
    lease: timedelta
    principal: str | None = None
    """Whose it is; none for one with a login to the database."""
    process: str | None = None
    """By which name others on an embedded server can ask whether its process is still there."""
    schemas: Mapping[str, str] = field(default_factory=dict)
    """Which version of each definition's schema its code has, where that is known."""


class Renewed(NamedTuple):
    """The database's time, and whether this worker should finish what it runs and stop."""

    now: datetime
    drain: bool


async def register_worker(conn: Connection, who: WorkerIdentity) -> int:
    """A new id. A worker that was lost comes back under another one."""
    worker_id: int = await conn.fetchval(
        SQL["register_worker"],
        who.name,
        who.hostname,
        who.pid,
        who.version,
        list(who.queues),
        list(who.definitions),
        who.concurrency,
        who.lease,
        who.principal,
        who.process,
        json.dumps(dict(who.schemas)),
    )
    return worker_id


async def renew_lease(
    conn: Connection, *, worker_id: int, running: int, memory_bytes: int | None = None
) -> Renewed | None:
    """What a live worker hears back, or none when it was called lost."""
    row = await conn.fetchrow(SQL["renew_lease"], worker_id, running, memory_bytes)
    return None if row is None else Renewed(*row)


async def note_standstill(conn: Connection, *, worker_id: int, seconds: float) -> None:
    """Why a worker that was called lost had been silent; of no other it is written down."""
    await conn.execute(SQL["note_standstill"], worker_id, seconds)


async def list_cancel_requests(conn: Connection, *, worker_id: int) -> list[tuple[UUID, int]]:
    """Runs of this worker that somebody asked to stop."""
    return [(row[0], row[1]) for row in await conn.fetch(SQL["list_cancel_requests"], worker_id)]


async def stop_worker(conn: Connection, *, worker_id: int) -> None:
    """Leave in order: nothing of this worker's needs a rescue."""
    await conn.execute(SQL["stop_worker"], worker_id)


async def set_armed(conn: Connection, *, worker_id: int, armed: bool) -> None:
    """An armed worker sleeps and wants to be woken by an enqueue."""
    await conn.execute(SQL["set_armed"], worker_id, armed)


async def set_definitions(
    conn: Connection, *, worker_id: int, definitions: Sequence[str], schemas: Mapping[str, str]
) -> None:
    """What the worker can run has changed."""
    await conn.execute(SQL["set_definitions"], worker_id, list(definitions), json.dumps(dict(schemas)))


async def write_progress(conn: Connection, reports: Sequence[ProgressReport]) -> None:
    """The newest word of each job."""
    await conn.execute(SQL["write_progress"], *map(list, zip(*reports, strict=True)))
