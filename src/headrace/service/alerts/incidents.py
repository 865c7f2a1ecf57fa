"""The verbs of alerts themselves, and of what was sent about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from headrace.alerts.deliveries import DeliveryRecord, list_deliveries
from headrace.alerts.incidents import (
    ALL,
    AlertFilter,
    AlertRecord,
    acknowledge_alert,
    close_alert,
    get_alert,
    list_alerts,
)
from headrace.service.base import TenantService
from headrace.service.paging import check_limit, moment, read_cursor, write_cursor


class AlertPage(NamedTuple):
    """Alerts, newest first."""

    items: Sequence[AlertRecord]
    next_cursor: str | None


class AlertDeliveryPage(NamedTuple):
    """Attempts to send notices, newest first."""

    items: Sequence[DeliveryRecord]
    next_cursor: str | None


class Alerts(TenantService):
    """Look and settle."""

    async def get(self, alert_id: UUID) -> AlertRecord:
        """The alert, or `NotFound`."""
        async with self._begin("alerts.read") as scope:
            return await get_alert(scope.conn, alert_id, tenant_id=scope.tenant_id)

    async def acknowledge(self, alert_id: UUID) -> AlertRecord:
        """Nothing more is told of it until it is over."""
        async with self._begin("alerts.settle") as scope:
            if await acknowledge_alert(scope.conn, alert_id, tenant_id=scope.tenant_id, by=scope.principal.name):
                await scope.audit(alert_id, did="acknowledge")
            return await get_alert(scope.conn, alert_id, tenant_id=scope.tenant_id)

    async def close(self, alert_id: UUID) -> AlertRecord:
        """Say that it is over. Where the condition still holds, the next look opens another."""
        async with self._begin("alerts.settle") as scope:
            await close_alert(scope.conn, alert_id, tenant_id=scope.tenant_id, by=scope.principal.name)
            await scope.audit(alert_id, did="close")
            return await get_alert(scope.conn, alert_id, tenant_id=scope.tenant_id)

    async def deliveries(
        self,
        *,
        notice_id: UUID | None = None,
        target_id: UUID | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> AlertDeliveryPage:
        """Each attempt to send a notice, and its result."""
        check_limit(limit)
        before = None if cursor is None else read_cursor(cursor, _number)[0]
        async with self._begin("alerts.read") as scope:
            deliveries = await list_deliveries(
                scope.conn,
                tenant_id=scope.tenant_id,
                limit=limit + 1,
                notice_id=notice_id,
                target_id=target_id,
                before=before,
            )
        last = deliveries[limit - 1] if len(deliveries) > limit else None
        return AlertDeliveryPage(deliveries[:limit], None if last is None else write_cursor(str(last.id)))

    # Last, for below it `list` is no type any more.
    async def list(self, wanted: AlertFilter = ALL, *, limit: int = 50, cursor: str | None = None) -> AlertPage:
        """The newest first: a tenant's, or everybody's and the server's own."""
        check_limit(limit)
        begin = None if cursor is None else read_cursor(cursor, moment, UUID)
        async with self._begin("alerts.read") as scope:
            before = None if begin is None else (begin[0], begin[1])
            alerts = await list_alerts(scope.conn, wanted, tenant_id=scope.tenant_id, limit=limit + 1, before=before)
        last = alerts[limit - 1] if len(alerts) > limit else None
        return AlertPage(alerts[:limit], None if last is None else write_cursor(last.since, last.id))


def _number(text: str) -> int:
    """The number of a row."""
    if not 0 <= (number := int(text)) < 2**63:
        raise ValueError(f"{text} is not the number of a row")
    return number
