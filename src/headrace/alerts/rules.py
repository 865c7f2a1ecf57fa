"""Rules: make, change, turn on and off, list. A rule without a tenant is the server's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest, Conflict, NotFound
from headrace.model.alert.kinds import AlertKind
from headrace.model.alert.rule import DEFAULTS, complete_rule
from headrace.model.payload.stored_json import read_object

SQL = statements(__file__)


class RuleRecord(NamedTuple):
    """A rule as it stands."""

    id: UUID
    tenant: str | None
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
    await _hold_targets(conn, rule, tenant_id)
    values = (tenant_id, rule["name"], rule["kind"], *_columns(rule), enabled, created_by)
    try:
        rule_id: UUID = await conn.fetchval(SQL["create_rule"], *values)
        return rule_id
    except asyncpg.UniqueViolationError:
        raise _taken(rule["name"]) from None


async def update_rule(conn: Connection, rule_id: UUID, changes: Mapping[str, Any], *, tenant_id: int | None) -> None:
    """Change some settings; parameters are changed one by one. A rule stays of its kind."""
    await _lock(conn, rule_id, tenant_id)
    before = await get_rule(conn, rule_id, tenant_id=tenant_id)
    said = {**changes, "parameters": {**before.parameters, **changes.get("parameters", {})}}
    rule = complete_rule({**{name: getattr(before, name) for name in ("name", "kind", *DEFAULTS)}, **said})
    await _hold_targets(conn, rule, before.tenant_id)
    try:
        await conn.execute(SQL["update_rule"], rule_id, rule["name"], *_columns(rule))
    except asyncpg.UniqueViolationError:
        raise _taken(rule["name"]) from None


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


async def _hold_targets(conn: Connection, rule: Mapping[str, Any], tenant_id: int | None) -> None:
    """Targets are of the rule's own tenant; the server's rules have the server's."""
    second = [rule["escalate_to"]] if rule["escalate_to"] else []
    wanted: list[UUID] = [*rule["targets"], *second]
    found = {row[0] for row in await conn.fetch(SQL["hold_targets"], wanted, tenant_id)}
    for name, ids in (("targets", rule["targets"]), ("escalate_to", second)):
        for target_id in ids:
            if target_id not in found:
                raise BadRequest(f'unknown alert target "{target_id}"', field=name)


def _columns(rule: Mapping[str, Any]) -> Sequence[Any]:
    first = (json.dumps(rule["parameters"]), list(dict.fromkeys(rule["targets"])), rule["recover_after_seconds"])
    names = (
        "group_seconds",
        "repeat_seconds",
        "escalate_after",
        "escalate_to",
        "quiet_from",
        "quiet_until",
        "timezone",
    )
    return (*first, *(rule[name] for name in names))


def _record(row: Any) -> RuleRecord:
    return RuleRecord(**{**dict(row), "parameters": read_object(row["parameters"])})


def _taken(name: str) -> Conflict:
    return Conflict(f'there is an alert rule "{name}" already', field="name")
