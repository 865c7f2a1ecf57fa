"""Deliveries: each attempt to send a notice, and its result."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.alert.incident import Event

SQL = statements(__file__)


class DeliveryRecord(NamedTuple):
    """One attempt. Without an error the notice arrived."""

    id: int
    notice_id: UUID
    tenant: str | None
    event: Event
    rule_id: UUID | None
    target_id: UUID
    target: str
    at: datetime
    seconds: float
    status_code: int | None
    error: str | None
    rule: str | None


async def list_deliveries(
    conn: Connection,
    *,
    tenant_id: int | None,
    limit: int,
    notice_id: UUID | None = None,
    target_id: UUID | None = None,
    before: int | None = None,
) -> list[DeliveryRecord]:
    """The newest first; of one notice, to one target, or all."""
    rows = await conn.fetch(SQL["list_deliveries"], tenant_id, notice_id, target_id, before, limit)
    return [DeliveryRecord(*row) for row in rows]
