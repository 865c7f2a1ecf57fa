"""The examination as a whole: one look after the other, each with its own trouble."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass

import asyncpg

from headrace.config import Settings
from headrace.db.connect import TRANSIENT, Connection
from headrace.db.database import Database
from headrace.errors import HeadraceError
from headrace.service.doctor.finding import Finding, fail
from headrace.service.doctor.roles import database_roles, secret_key, sql_role, tenant_role
from headrace.service.doctor.schema import bloat, detaches, disk, migrations, partitions, snapshots
from headrace.service.doctor.server import clock, notifications, pooler, server, server_settings
from headrace.service.doctor.session import session
from headrace.service.doctor.work import alerts, builtin, triggers, waiting, workers


@dataclass(frozen=True, slots=True)
class Target:
    """What is examined: an open database, which need not be migrated, and the settings."""

    database: Database
    settings: Settings


Look = Callable[[Target, Connection], Awaitable[Iterable[Finding]]]
# Of any PostgreSQL, then of one that has our schema: there what stands still comes first.
FIRST: dict[str, Look] = {
    "server": lambda patient, conn: server(patient.database, conn),
    "settings": lambda _patient, conn: server_settings(conn),
    "session": lambda patient, _conn: session(patient.database),
    "clock": lambda patient, _conn: clock(patient.database),
    "pooler": lambda patient, _conn: pooler(patient.database, patient.settings),
    "notifications": lambda patient, conn: notifications(patient.database, conn),
    "disk": lambda patient, conn: disk(patient.database, patient.settings, conn),
    "snapshots": lambda _patient, conn: snapshots(conn),
}
THEN: dict[str, Look] = {
    "waiting": lambda _patient, conn: waiting(conn),
    "triggers": lambda _patient, conn: triggers(conn),
    "partitions": lambda _patient, conn: partitions(conn),
    "detaches": lambda _patient, conn: detaches(conn),
    "bloat": lambda _patient, conn: bloat(conn),
    "tenant role": lambda _patient, conn: tenant_role(conn),
    "database roles": lambda _patient, conn: database_roles(conn),
    "SQL role": lambda patient, conn: sql_role(patient.database, patient.settings, conn),
    "secret key": lambda patient, conn: secret_key(patient.settings, conn),
    "workers": lambda _patient, conn: workers(conn),
    "built-in jobs": lambda _patient, conn: builtin(conn),
    "alerts": lambda _patient, conn: alerts(conn),
}
TROUBLE: tuple[type[BaseException], ...] = (*TRANSIENT, asyncpg.PostgresError, HeadraceError)


async def examine(target: Target) -> AsyncIterator[Finding]:
    """Look at everything, whatever is found. Without our schema the looks that need it are left out."""
    async with target.database.pool.acquire() as conn:
        for name, look in FIRST.items():
            for finding in await _careful(name, look, target, conn):
                yield finding
        schema = await migrations(conn)
        yield schema
        if schema.state != "ok":
            return
        for name, look in THEN.items():
            for finding in await _careful(name, look, target, conn):
                yield finding


async def _careful(name: str, look: Look, patient: Target, conn: Connection) -> list[Finding]:
    try:
        return list(await look(patient, conn))
    except TROUBLE as error:
        return [fail(name, f"the check failed: {error}", "see the server's log")]
