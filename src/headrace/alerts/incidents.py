"""Incidents as people see and settle them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import Conflict, NotFound
from headrace.model.alert.description import describe
from headrace.model.alert.kind import AlertKind
from headrace.model.payload.stored_json import read_object

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class AlertRecord:
    """An incident, open or closed, with what it means in a sentence."""

    id: UUID
    rule_id: UUID
    rule: str
    kind: AlertKind
    tenant: str | None
    subject: str
    what: str
    since: datetime
    last_seen: datetime
    count: int
    measure: float | None
    job_id: UUID | None
    error: str | None
    notices: int
    told_at: datetime | None
    escalated_at: datetime | None
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    closed_at: datetime | None
    closed_by: str | None


@dataclass(frozen=True, slots=True)
class AlertFilter:
    """Conditions that must all hold."""

    open: bool | None = None
    rule_id: UUID | None = None


ALL = AlertFilter()


async def list_alerts(
    conn: Connection,
    wanted: AlertFilter = ALL,
    *,
    tenant_id: int | None,
    limit: int,
    before: tuple[datetime, UUID] | None = None,
) -> list[AlertRecord]:
    """The newest first."""
    asked = (tenant_id, None, wanted.open, wanted.rule_id, *(before or (None, None)), limit)
    return [_record(row) for row in await conn.fetch(SQL["list_alerts"], *asked)]


async def get_alert(conn: Connection, alert_id: UUID, *, tenant_id: int | None) -> AlertRecord:
    """The alert, or `NotFound`."""
    row = await conn.fetchrow(SQL["list_alerts"], tenant_id, alert_id, None, None, None, None, 1)
    if row is None:
        raise _unknown(alert_id)
    return _record(row)


async def acknowledge_alert(conn: Connection, alert_id: UUID, *, tenant_id: int | None, by: str) -> bool:
    """Nothing more is told of it until it is over. False: somebody did so already."""
    await _lock_open(conn, alert_id, tenant_id)
    return bool(await conn.fetchval(SQL["acknowledge"], alert_id, by))


async def close_alert(conn: Connection, alert_id: UUID, *, tenant_id: int | None, by: str) -> None:
    """It is over because somebody says so, and whoever was told of it is told that. What still holds opens another."""
    await _lock_open(conn, alert_id, tenant_id)
    await conn.execute(SQL["close"], alert_id, by)


async def _lock_open(conn: Connection, alert_id: UUID, tenant_id: int | None) -> None:
    row = await conn.fetchrow(SQL["lock_alert"], alert_id, tenant_id)
    if row is None:
        raise _unknown(alert_id)
    if row["closed_at"] is not None:
        raise Conflict("the alert is already closed")


def _record(row: Any) -> AlertRecord:
    said = dict(row)
    parameters = read_object(said.pop("parameters"))
    what = describe(said["kind"], said["subject"], said["count"], said["measure"], parameters)
    return AlertRecord(**said, what=what)


def _unknown(alert_id: UUID) -> NotFound:
    return NotFound(f'unknown alert "{alert_id}"')
