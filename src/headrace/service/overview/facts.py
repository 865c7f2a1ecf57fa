"""What the overview's sentences are made of, read in a few milliseconds whatever the number of jobs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from headrace.db.statements import statements
from headrace.service.session import Scope

SQL = statements(__file__)
# "Lately" against what was usual before.
LATELY = timedelta(minutes=15)
BEFORE = timedelta(hours=6)
SILENT = timedelta(seconds=45)


class Failing(NamedTuple):
    """A definition of which attempts failed lately: so many of how many, and the same before that."""

    key: str
    runs: int
    bad: int
    runs_before: int
    bad_before: int
    timed_out: int
    dead: int
    since: datetime


class WaitingQueue(NamedTuple):
    """Jobs that wait in a queue, and who could take them; those of a definition that no worker knows are apart."""

    queue: str
    jobs: int
    oldest: float | None
    paused: bool
    workers: int
    slots: int
    busy: int
    unknown: str | None = None
    gone: bool = False
    sql: bool = False


class Gone(NamedTuple):
    """A definition that no code declares any more, the number of triggers that are on for it, and one of them."""

    key: str
    sql: bool
    triggers: int
    named: str


class Unread(NamedTuple):
    """Jobs of a definition that workers could not read; the version that was declared last, and those of workers."""

    key: str
    jobs: int
    oldest: float
    version: str | None
    versions: list[str]


class Silent(NamedTuple):
    """A worker that was not heard for some seconds."""

    name: str
    seconds: float


class TriggerFacts(NamedTuple):
    """Triggers: how many, how many in error, one of these; how late the latest is."""

    number: int
    in_error: int
    named: str | None
    said: str | None
    late: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewFacts:
    """How things stand. `snapshot` is none where one may not know."""

    failing: list[Failing]
    waiting: list[WaitingQueue]
    unread: list[Unread]
    silent: list[Silent]
    triggers: TriggerFacts
    gone: list[Gone]
    ended: int
    definitions: int
    ever: bool
    workers: int
    slots: int
    busy: int
    snapshot: float | None


async def read_facts(scope: Scope) -> OverviewFacts:
    """Of a tenant, or of all."""
    conn, tenant_id = scope.conn, scope.tenant_id
    [done] = await conn.fetch(SQL["done"], tenant_id)
    [live] = await conn.fetch(SQL["live"], tenant_id)
    [triggers] = await conn.fetch(SQL["triggers"], tenant_id)
    return OverviewFacts(
        failing=[Failing(*row) for row in await conn.fetch(SQL["failing"], tenant_id, LATELY, BEFORE)],
        waiting=[WaitingQueue(*row) for row in await conn.fetch(SQL["waiting"], tenant_id)],
        unread=[Unread(*row) for row in await conn.fetch(SQL["unreadable"], tenant_id)],
        silent=[Silent(*row) for row in await conn.fetch(SQL["silent_workers"], SILENT, tenant_id)],
        triggers=TriggerFacts(*triggers),
        gone=[Gone(*row) for row in await conn.fetch(SQL["gone"], tenant_id)],
        **done,
        **live,
        snapshot=await conn.fetchval(SQL["oldest_snapshot"]) if tenant_id is None else None,
    )
