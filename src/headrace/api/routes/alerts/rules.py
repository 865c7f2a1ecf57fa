"""`/alerts/rules`: what is looked for, and who is told."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.schemas import Page, RequestModel, ResponseModel, Text
from headrace.model.alert.kinds import AlertKind
from headrace.model.alert.rule import MOST_TARGETS, RANGES

router = new_router(prefix="/alerts/rules", tags=["alerts"])


def _range(name: str, default: Any = None, about: str = "") -> Any:
    low, high = RANGES[name]
    return Field(default=default, ge=low, le=high, description=about)


class RuleSettingsBody(RequestModel):
    """Whom a rule tells, how often and when not. What is left out has its default, or stays as it is."""

    parameters: dict[Text, str | float | int | None] = Field(
        default={}, description="as the kind has them; null is the default", examples=[{"definition": "sync-dropbox"}]
    )
    targets: list[UUID] = Field(default=[], max_length=MOST_TARGETS, description="ids of targets of the same tenant")
    recover_after_seconds: float | None = _range(
        "recover_after_seconds", about="for how long it must not hold before it is over; null is as the kind has it"
    )
    group_seconds: float = _range(
        "group_seconds", 30.0, "after a notice, new alerts wait for so long and go in one notice"
    )
    repeat_seconds: float | None = _range("repeat_seconds", about="how often what lasts is told again; null is never")
    escalate_after: int | None = _range("escalate_after", about="with which repeat the second target is told too")
    escalate_to: UUID | None = Field(default=None, description="the second target")
    quiet_from: Text | None = Field(default=None, description="nothing is told from here", examples=["22:00"])
    quiet_until: Text | None = Field(default=None, description="to here", examples=["07:00"])
    timezone: Text = Field(default="UTC", max_length=100, description="whose clocks", examples=["Europe/Berlin"])


class NewRule(RuleSettingsBody):
    """A rule to make."""

    name: Text = Field(min_length=1, max_length=200, examples=["nightly jobs die"])
    kind: AlertKind = Field(description="what it looks for")
    enabled: bool = True


class RuleChanges(RuleSettingsBody):
    """Settings to change. Parameters change one by one."""

    name: Text = Field(default_factory=str, min_length=1, max_length=200)


class RuleAnswer(ResponseModel):
    """A rule."""

    id: UUID
    tenant: str | None = Field(description="null: the server's own, about everybody's jobs")
    name: str
    kind: AlertKind
    parameters: dict[str, Any]
    targets: list[UUID]
    enabled: bool
    recover_after_seconds: float
    group_seconds: float
    repeat_seconds: float | None
    escalate_after: int | None
    escalate_to: UUID | None
    quiet_from: str | None
    quiet_until: str | None
    timezone: str
    open_alerts: int
    created_at: datetime
    created_by: str


class AlertPageQuery(RequestModel):
    """A part of a list."""

    limit: int = Field(default=50, ge=1, le=500)
    cursor: Text | None = Field(default=None, max_length=1000, description="`next_cursor` of the page before")


@router.get("")
async def list_alert_rules(service: CurrentService, query: Annotated[AlertPageQuery, Query()]) -> Page[RuleAnswer]:
    """Rules by name."""
    page = await service.alert_rules.list(limit=query.limit, cursor=query.cursor)
    return Page(items=[RuleAnswer.model_validate(rule) for rule in page.items], next_cursor=page.next_cursor)


@router.post("", status_code=201)
async def create_alert_rule(service: CurrentService, new: NewRule) -> RuleAnswer:
    """Make a rule. By a super-admin without a tenant it is the server's own, and looks at everybody's jobs."""
    settings: Any = new.model_dump(exclude_unset=True)
    return RuleAnswer.model_validate(await service.alert_rules.create(**settings))


@router.get("/{alert_rule_id}")
async def get_alert_rule(service: CurrentService, alert_rule_id: UUID) -> RuleAnswer:
    """One rule."""
    return RuleAnswer.model_validate(await service.alert_rules.get(alert_rule_id))


@router.patch("/{alert_rule_id}")
async def update_alert_rule(service: CurrentService, alert_rule_id: UUID, changes: RuleChanges) -> RuleAnswer:
    """Change some settings, all or none."""
    settings = changes.model_dump(exclude_unset=True)
    return RuleAnswer.model_validate(await service.alert_rules.update(alert_rule_id, settings))


@router.delete("/{alert_rule_id}", status_code=204)
async def delete_alert_rule(service: CurrentService, alert_rule_id: UUID) -> None:
    """Remove it, and its alerts with it; what was sent stays in the log of deliveries."""
    await service.alert_rules.delete(alert_rule_id)


@router.post("/{alert_rule_id}/enable")
async def enable_alert_rule(service: CurrentService, alert_rule_id: UUID) -> RuleAnswer:
    """Turn it on, from now: what happened meanwhile does not count."""
    return RuleAnswer.model_validate(await service.alert_rules.enable(alert_rule_id))


@router.post("/{alert_rule_id}/disable")
async def disable_alert_rule(service: CurrentService, alert_rule_id: UUID) -> RuleAnswer:
    """Turn it off; its open alerts are closed without a notice."""
    return RuleAnswer.model_validate(await service.alert_rules.disable(alert_rule_id))
