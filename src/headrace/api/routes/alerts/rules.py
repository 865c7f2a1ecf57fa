"""`/alerts/rules`: what is looked for, and who is told."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from pydantic import BeforeValidator, ConfigDict, Field

from headrace.alerts.rules import RuleRecord
from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors, Cursor
from headrace.api.schemas import Page, RequestModel, ResponseModel, Text, without_defaults
from headrace.model.alert.description import looks_for
from headrace.model.alert.kind import AlertKind
from headrace.model.alert.kinds import KINDS
from headrace.model.settings.alert_rule import AlertRuleSettings
from headrace.model.unknown_fields import refuse_many_unknown

router = new_router(prefix="/alerts/rules", tags=["alerts"])
PARAMETERS_OF_ALL = frozenset(name for kind in KINDS.values() for name in kind.parameters)
Parameters = Annotated[
    dict[Text, str | float | int | None], BeforeValidator(lambda given: refuse_many_unknown(given, PARAMETERS_OF_ALL))
]
PARAMETERS = "as the kind has them; null is the default"


class RuleIdentity(RequestModel):
    """What a rule looks for."""

    name: Text = Field(min_length=1, max_length=200, examples=["nightly jobs die"])
    kind: AlertKind = Field(description="what the rule looks for")
    parameters: Parameters = Field(default={}, description=PARAMETERS, examples=[{"definition": "sync-dropbox"}])
    enabled: bool = True


class NewRule(AlertRuleSettings, RuleIdentity):
    """A rule to make."""

    model_config = ConfigDict(defer_build=False)


class RuleChanges(AlertRuleSettings):
    """Settings to change. What is left out stays as it is, and parameters change one by one."""

    model_config = ConfigDict(defer_build=False, json_schema_extra=without_defaults)

    name: Text = Field(default="", min_length=1, max_length=200)
    parameters: Parameters = Field(default={}, description=PARAMETERS)


class RuleFacts(ResponseModel):
    """What there is to know of a rule beside its settings."""

    id: UUID
    tenant: str | None = Field(description="null: the server's own, about everybody's jobs")
    name: str
    kind: AlertKind
    parameters: dict[str, Any]
    looks_for: str = Field(description="kind and parameters in a sentence")
    enabled: bool
    open_alerts: int
    created_at: datetime
    created_by: str


class RuleAnswer(AlertRuleSettings, RuleFacts):
    """A rule."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra=without_defaults, json_schema_serialization_defaults_required=True
    )


def _answer(rule: RuleRecord) -> RuleAnswer:
    names = ("id", "tenant", "name", "kind", "parameters", "enabled", "open_alerts", "created_at", "created_by")
    facts = {name: getattr(rule, name) for name in names}
    settings = {**rule.settings, "targets": tuple(rule.settings["targets"])}
    return RuleAnswer.model_construct(**facts, **settings, looks_for=looks_for(rule.kind, rule.parameters))


class AlertPageQuery(RequestModel):
    """A part of a list."""

    limit: int = Field(default=50, ge=1, le=500)
    cursor: Cursor = None


@router.get("")
async def list_alert_rules(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[AlertPageQuery, Query()]
) -> Page[RuleAnswer]:
    """List rules by name."""
    page = await service.alert_rules.list(limit=query.limit, cursor=await cursors.read(query.cursor))
    items = [_answer(rule) for rule in page.items]
    return Page(items=items, next_cursor=await cursors.write(page.next_cursor))


@router.post("", status_code=201)
async def create_alert_rule(service: CurrentService, new: NewRule) -> RuleAnswer:
    """Create a rule. A super-admin without a tenant makes a rule of the whole server, for the jobs of all tenants."""
    settings: Any = new.model_dump(exclude_unset=True)
    return _answer(await service.alert_rules.create(**settings))


@router.get("/{alert_rule_id}")
async def get_alert_rule(service: CurrentService, alert_rule_id: UUID) -> RuleAnswer:
    """One rule."""
    return _answer(await service.alert_rules.get(alert_rule_id))


@router.patch("/{alert_rule_id}")
async def update_alert_rule(service: CurrentService, alert_rule_id: UUID, changes: RuleChanges) -> RuleAnswer:
    """Change settings, all or none."""
    settings = changes.model_dump(exclude_unset=True)
    return _answer(await service.alert_rules.update(alert_rule_id, settings))


@router.delete("/{alert_rule_id}", status_code=204)
async def delete_alert_rule(service: CurrentService, alert_rule_id: UUID) -> None:
    """Delete a rule and its alerts; the log of deliveries stays."""
    await service.alert_rules.delete(alert_rule_id)


@router.post("/{alert_rule_id}/enable")
async def enable_alert_rule(service: CurrentService, alert_rule_id: UUID) -> RuleAnswer:
    """Turn it on, from now: what happened meanwhile does not count."""
    return _answer(await service.alert_rules.enable(alert_rule_id))


@router.post("/{alert_rule_id}/disable")
async def disable_alert_rule(service: CurrentService, alert_rule_id: UUID) -> RuleAnswer:
    """Turn it off; its open alerts are closed without a notice."""
    return _answer(await service.alert_rules.disable(alert_rule_id))
