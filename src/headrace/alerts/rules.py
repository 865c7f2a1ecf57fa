"""Rules: make, change, turn on and off, list. A rule without a tenant is the server's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from headrace.db.amounts import refuse_more
from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest, Conflict, NotFound
from headrace.model.alert.kind import AlertKind
from headrace.model.alert.rule import CompleteRule, complete_rule, recover_after
from headrace.model.payload.stored_json import read_object
from headrace.model.settings.alert_rule import AlertRuleSettings

SQL = statements(__file__)
# Of one tenant: each look at the conditions goes through all rules of all tenants.
MOST_RULES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRecord:
    """A rule as it stands."""

    id: UUID
    tenant: str | None
    name: str
    kind: AlertKind
    parameters: dict[str, Any]
    enabled: bool
    settings: Mapping[str, Any]
    created_at: datetime
    created_by: str
    tenant_id: int | None
    open_alerts: int


async def list_rules(
    conn: Connection, *, tenant_id: int | None, limit: int, after: tuple[str, UUID] | None = None
) -> list[RuleRecord]:
    """By name."""
    rows = await conn.fetch(SQL["list_rules"], tenant_id, None, *(after or (None, None)), limit)
    return [_record(row) for row in rows]


async def get_rule(conn: Connection, rule_id: UUID, *, tenant_id: int | None) -> RuleRecord:
    """The rule, or `NotFound`."""
    row = await conn.fetchrow(SQL["list_rules"], tenant_id, rule_id, None, None, 1)
    if row is None:
        raise NotFound(f'unknown alert rule "{rule_id}"')
    return _record(row)


async def create_rule(
    conn: Connection, settings: Mapping[str, Any], *, tenant_id: int | None, enabled: bool, created_by: str
) -> UUID:
    """A new rule, or `BadRequest` with what is wrong with it."""
    rule = complete_rule(settings)
    await refuse_more(conn, SQL["count_rules"], tenant_id, most=MOST_RULES, things="alert rules")
    await _hold_targets(conn, rule, tenant_id)
    about = (tenant_id, rule.name, rule.kind, json.dumps(rule.parameters), enabled, created_by)
    try:
        rule_id: UUID = await conn.fetchval(SQL["create_rule"], *about, rule.settings.model_dump_json())
        return rule_id
    except asyncpg.UniqueViolationError:
        raise _taken(rule.name) from None


async def update_rule(conn: Connection, rule_id: UUID, changes: Mapping[str, Any], *, tenant_id: int | None) -> None:
    """Change some settings; parameters are changed one by one. A rule stays of its kind."""
    await _lock(conn, rule_id, tenant_id)
    before = await get_rule(conn, rule_id, tenant_id=tenant_id)
    said = {**changes, "parameters": {**before.parameters, **changes.get("parameters", {})}}
    rule = complete_rule({"name": before.name, "kind": before.kind, **before.settings, **said})
    await _hold_targets(conn, rule, before.tenant_id)
    try:
        text = rule.settings.model_dump_json()
        await conn.execute(SQL["update_rule"], rule_id, rule.name, json.dumps(rule.parameters), text)
    except asyncpg.UniqueViolationError:
        raise _taken(rule.name) from None


async def set_rule_enabled(conn: Connection, rule_id: UUID, *, tenant_id: int | None, enabled: bool, by: str) -> bool:
    """Turn it on, from now, or off: then its alerts are closed without a notice. False: it was so already."""
    await _lock(conn, rule_id, tenant_id)
    changed: bool | None = await conn.fetchval(SQL["set_enabled"], rule_id, enabled)
    if changed and not enabled:
        await conn.execute(SQL["close_alerts_of"], rule_id, by)
    return bool(changed)


async def delete_rule(conn: Connection, rule_id: UUID, *, tenant_id: int | None) -> None:
    """Remove it, and its alerts with it; what was sent stays in the log of deliveries."""
    await _lock(conn, rule_id, tenant_id)
    await conn.execute(SQL["delete_rule"], rule_id)


async def _lock(conn: Connection, rule_id: UUID, tenant_id: int | None) -> None:
    if await conn.fetchval(SQL["lock_rule"], rule_id, tenant_id) is None:
        raise NotFound(f'unknown alert rule "{rule_id}"')


async def _hold_targets(conn: Connection, rule: CompleteRule, tenant_id: int | None) -> None:
    """Targets are of the rule's own tenant; the server's rules have the server's."""
    targets, second = rule.settings.targets, [rule.settings.escalate_to] if rule.settings.escalate_to else []
    wanted: list[UUID] = [*targets, *second]
    found = {row[0] for row in await conn.fetch(SQL["hold_targets"], wanted, tenant_id)}
    for name, ids in (("targets", targets), ("escalate_to", second)):
        for target_id in ids:
            if target_id not in found:
                raise BadRequest(f'unknown alert target "{target_id}"', field=name)


def _record(row: Any) -> RuleRecord:
    columns = dict(row)
    settings = {name: columns.pop(name) for name in AlertRuleSettings.model_fields}
    settings["recover_after_seconds"] = recover_after(columns["kind"], settings["recover_after_seconds"])
    return RuleRecord(**{**columns, "parameters": read_object(columns["parameters"]), "settings": settings})


def _taken(name: str) -> Conflict:
    return Conflict(f'the alert rule "{name}" exists already', field="name")
