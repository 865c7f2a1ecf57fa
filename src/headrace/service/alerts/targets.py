"""The verbs of alert targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from headrace.alerts.delivery_job import enqueue_notice, refuse_frequent_tests
from headrace.alerts.targets import (
    Signing,
    TargetRecord,
    create_target,
    delete_target,
    get_target,
    list_targets,
    update_target,
)
from headrace.errors import NotFound
from headrace.model.alert.notice import TEST_BODY
from headrace.model.alert.target import TargetKind
from headrace.model.alert.web_address import Allowed
from headrace.service.base import TenantService
from headrace.service.paging import check_limit, read_cursor, write_cursor


class TargetPage(NamedTuple):
    """Targets by name."""

    items: Sequence[TargetRecord]
    next_cursor: str | None


class TargetWithKey(NamedTuple):
    """A target and, where one was just made, the key of its signature: the only time that it is seen."""

    target: TargetRecord
    key: str | None


class AlertTargets(TenantService):
    """Make, change, try out."""

    async def get(self, target_id: UUID) -> TargetRecord:
        """The target, or `NotFound`."""
        async with self._begin("alert_targets.read") as scope:
            return await get_target(scope.conn, target_id, tenant_id=scope.tenant_id)

    async def create(self, name: str, kind: TargetKind, address: str, *, sign: bool = True) -> TargetWithKey:
        """A new target; an address that leads inside is refused where that can be seen."""
        async with self._begin("alert_targets.change") as scope:
            target_id, key = await create_target(
                scope.conn,
                name,
                kind,
                address,
                tenant_id=scope.tenant_id,
                created_by=scope.principal.name,
                sign=sign,
                box=self._runtime.secret_box(),
                allowed=self._allowed(),
            )
            made = await get_target(scope.conn, target_id, tenant_id=scope.tenant_id)
            await scope.audit(target_id, did="create", name=name, kind=kind, address=made.address, signed=made.signed)
            return TargetWithKey(made, key)

    async def update(
        self, target_id: UUID, *, name: str | None = None, address: str | None = None, signing: Signing = "keep"
    ) -> TargetWithKey:
        """Change its name, its address, or its key."""
        async with self._begin("alert_targets.change") as scope:
            key = await update_target(
                scope.conn,
                target_id,
                tenant_id=scope.tenant_id,
                name=name,
                address=address,
                signing=signing,
                box=self._runtime.secret_box(),
                allowed=self._allowed(),
            )
            made = await get_target(scope.conn, target_id, tenant_id=scope.tenant_id)
            await scope.audit(target_id, did="update", name=made.name, address=made.address, signing=signing)
            return TargetWithKey(made, key)

    async def delete(self, target_id: UUID) -> None:
        """Remove it; refused while a rule tells it."""
        async with self._begin("alert_targets.change") as scope:
            await delete_target(scope.conn, target_id, tenant_id=scope.tenant_id)
            await scope.audit(target_id, did="delete")

    async def test(self, target_id: UUID) -> UUID:
        """Send a test notice, as all are sent; gives back its id, by which its deliveries are found."""
        async with self._begin("alert_targets.test") as scope:
            target = await get_target(scope.conn, target_id, tenant_id=scope.tenant_id)
            await refuse_frequent_tests(scope.conn, target.tenant_id)
            notice_id = await enqueue_notice(
                scope.conn, tenant_id=target.tenant_id, target_id=target_id, event="test", body=TEST_BODY
            )
            if notice_id is None:
                raise NotFound(f'unknown alert target "{target_id}"')
            await scope.audit(target_id, notice=notice_id)
            return notice_id

    def _allowed(self) -> Allowed:
        alerts = self._runtime.settings.alerts
        return Allowed(alerts.allow_private, alerts.allow_hosts)

    # Last, for below it `list` is no type any more.
    async def list(self, *, limit: int = 50, cursor: str | None = None) -> TargetPage:
        """By name: a tenant's, or everybody's and the server's own."""
        check_limit(limit)
        begin = None if cursor is None else read_cursor(cursor, str, UUID)
        async with self._begin("alert_targets.read") as scope:
            after = None if begin is None else (begin[0], begin[1])
            targets = await list_targets(scope.conn, tenant_id=scope.tenant_id, limit=limit + 1, after=after)
        last = targets[limit - 1] if len(targets) > limit else None
        return TargetPage(targets[:limit], None if last is None else write_cursor(last.name, last.id))
