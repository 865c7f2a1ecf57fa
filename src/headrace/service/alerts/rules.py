"""The verbs of alert rules. A super-admin who is at work for no tenant makes rules for the whole server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Unpack
from uuid import UUID

from headrace.alerts.rules import (
    RuleRecord,
    create_rule,
    delete_rule,
    get_rule,
    list_rules,
    set_rule_enabled,
    update_rule,
)
from headrace.model.alert.kind import AlertKind
from headrace.model.settings.alert_rule import AlertRuleSettings
from headrace.model.settings.options import AlertRuleColumns
from headrace.model.settings.setting import Setting, settings_of
from headrace.service.base import TenantService
from headrace.service.paging import check_limit, read_cursor, write_cursor
from headrace.service.session import Scope


class RulePage(NamedTuple):
    """Rules by name."""

    items: Sequence[RuleRecord]
    next_cursor: str | None


class RuleSettings(AlertRuleColumns, total=False):
    """What a rule looks for, whom it tells, and how often."""

    name: str
    kind: AlertKind
    parameters: Mapping[str, object]


class AlertRules(TenantService):
    """Make, change, turn on and off."""

    async def get(self, rule_id: UUID) -> RuleRecord:
        """The rule, or `NotFound`."""
        async with self._begin("alert_rules.read") as scope:
            return await _get(scope, rule_id)

    async def create(self, *, enabled: bool = True, **settings: Unpack[RuleSettings]) -> RuleRecord:
        """A new rule, from now: what happened before does not count."""
        async with self._begin("alert_rules.change") as scope:
            by = scope.principal.name
            rule_id = await create_rule(scope.conn, settings, tenant_id=scope.tenant_id, enabled=enabled, created_by=by)
            await scope.audit(rule_id, did="create", enabled=enabled, **settings)
            return await _get(scope, rule_id)

    async def update(self, rule_id: UUID, changes: Mapping[str, object]) -> RuleRecord:
        """Change some settings; refused as a whole where the result would not do."""
        async with self._begin("alert_rules.change") as scope:
            await update_rule(scope.conn, rule_id, changes, tenant_id=scope.tenant_id)
            await scope.audit(rule_id, did="update", **changes)
            return await _get(scope, rule_id)

    async def enable(self, rule_id: UUID) -> RuleRecord:
        """Turn it on, from now."""
        return await self._set_enabled(rule_id, enabled=True)

    async def disable(self, rule_id: UUID) -> RuleRecord:
        """Turn it off; its open alerts are closed without a notice."""
        return await self._set_enabled(rule_id, enabled=False)

    async def delete(self, rule_id: UUID) -> None:
        """Remove it, and its alerts with it."""
        async with self._begin("alert_rules.change") as scope:
            await delete_rule(scope.conn, rule_id, tenant_id=scope.tenant_id)
            await scope.audit(rule_id, did="delete")

    async def _set_enabled(self, rule_id: UUID, *, enabled: bool) -> RuleRecord:
        async with self._begin("alert_rules.change") as scope:
            by = scope.principal.name
            if await set_rule_enabled(scope.conn, rule_id, tenant_id=scope.tenant_id, enabled=enabled, by=by):
                await scope.audit(rule_id, did="enable" if enabled else "disable")
            return await _get(scope, rule_id)

    async def settings(self) -> Sequence[Setting]:
        """What may be set of a rule of any kind, with labels and ranges."""
        async with self._begin("alert_rules.read"):
            return tuple(settings_of(AlertRuleSettings).values())

    # Last, for below it `list` is no type any more.
    async def list(self, *, limit: int = 50, cursor: str | None = None) -> RulePage:
        """By name: a tenant's, or everybody's and the server's own."""
        check_limit(limit)
        begin = None if cursor is None else read_cursor(cursor, str, UUID)
        async with self._begin("alert_rules.read") as scope:
            after = None if begin is None else (begin[0], begin[1])
            rules = await list_rules(scope.conn, tenant_id=scope.tenant_id, limit=limit + 1, after=after)
        last = rules[limit - 1] if len(rules) > limit else None
        return RulePage(rules[:limit], None if last is None else write_cursor(last.name, last.id))


async def _get(scope: Scope, rule_id: UUID) -> RuleRecord:
    return await get_rule(scope.conn, rule_id, tenant_id=scope.tenant_id)
