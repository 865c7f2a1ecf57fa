"""`/alerts`: what is wrong, or was; and what was sent about it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query
from pydantic import Field

from headrace.alerts.incidents import AlertFilter
from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors
from headrace.api.routes.alerts.rules import AlertPageQuery
from headrace.api.schemas import Page, ResponseModel
from headrace.model.alert.incident import Event
from headrace.model.alert.kind import AlertKind

router = new_router(prefix="/alerts", tags=["alerts"])
State = Literal["open", "closed", "all"]


class AlertAnswer(ResponseModel):
    """An alert: open while its condition holds, or until somebody closes it."""

    id: UUID
    rule_id: UUID
    rule: str
    kind: AlertKind
    tenant: str | None = Field(description="null: an alert of the whole server")
    subject: str = Field(description="the definition, queue or trigger concerned")
    what: str = Field(description="the problem, in a sentence", examples=["3 jobs of sync-dropbox died"])
    since: datetime
    last_seen: datetime
    count: int
    measure: float | None
    job_id: UUID | None = Field(description="one of the jobs concerned")
    error: str | None = Field(description="the error of that job or trigger")
    notices: int = Field(description="how many notices were sent")
    told_at: datetime | None
    escalated_at: datetime | None
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    closed_at: datetime | None
    closed_by: str | None = Field(description="who closed the alert; null: it recovered by itself")


class AlertQuery(AlertPageQuery):
    """Filters of alerts."""

    state: State = "open"
    rule_id: UUID | None = None

    def filter(self) -> AlertFilter:
        """What the service is asked for."""
        return AlertFilter(open={"open": True, "closed": False, "all": None}[self.state], rule_id=self.rule_id)


class AlertDeliveryAnswer(ResponseModel):
    """One attempt to send a notice. Without an error the notice arrived."""

    id: int
    notice_id: UUID
    tenant: str | None
    event: Event
    rule_id: UUID | None
    rule: str | None
    target_id: UUID
    target: str
    at: datetime
    seconds: float
    status_code: int | None = Field(description="the status of HTTP or SMTP")
    error: str | None


class DeliveryQuery(AlertPageQuery):
    """Filters of attempts."""

    notice_id: UUID | None = None
    target_id: UUID | None = None


@router.get("")
async def list_alerts(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[AlertQuery, Query()]
) -> Page[AlertAnswer]:
    """List alerts, newest first; open ones by default."""
    after = await cursors.read(query.cursor)
    page = await service.alerts.list(query.filter(), limit=query.limit, cursor=after)
    items = [AlertAnswer.model_validate(alert) for alert in page.items]
    return Page(items=items, next_cursor=await cursors.write(page.next_cursor))


@router.get("/deliveries")
async def list_alert_deliveries(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[DeliveryQuery, Query()]
) -> Page[AlertDeliveryAnswer]:
    """List the attempts to send notices, newest first."""
    page = await service.alerts.deliveries(
        notice_id=query.notice_id, target_id=query.target_id, limit=query.limit, cursor=await cursors.read(query.cursor)
    )
    items = [AlertDeliveryAnswer.model_validate(delivery) for delivery in page.items]
    return Page(items=items, next_cursor=await cursors.write(page.next_cursor))


@router.get("/{alert_id}")
async def get_alert(service: CurrentService, alert_id: UUID) -> AlertAnswer:
    """Show one alert."""
    return AlertAnswer.model_validate(await service.alerts.get(alert_id))


@router.post("/{alert_id}/acknowledge")
async def acknowledge_alert(service: CurrentService, alert_id: UUID) -> AlertAnswer:
    """Mute an alert until it closes."""
    return AlertAnswer.model_validate(await service.alerts.acknowledge(alert_id))


@router.post("/{alert_id}/close")
async def close_alert(service: CurrentService, alert_id: UUID) -> AlertAnswer:
    """Close an alert. A condition that still holds opens a new one."""
    return AlertAnswer.model_validate(await service.alerts.close(alert_id))
