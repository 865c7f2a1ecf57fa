"""Tenants and what each may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from headrace.db.statements import statements
from headrace.errors import BadRequest, Conflict, NotFound
from headrace.model.pause import Pause
from headrace.model.settings.setting import NOT_THE_SYSTEM_QUEUE
from headrace.model.system import SYSTEM_QUEUE
from headrace.service.base import ServerService
from headrace.service.session import Ahead

SQL = statements(__file__)


class TenantLimits(NamedTuple):
    """What a tenant may have; none: as much as it likes.

    And what it may choose for its jobs beside the own queue and priority of their definition: queues, and priorities
    down to a number; none: no priority that is more urgent.
    """

    max_queued: int | None = None
    max_payload_bytes: int | None = None
    requests_per_minute: int | None = None
    max_running: int | None = None
    queues: Sequence[str] = ()
    most_urgent_priority: int | None = None


class Tenant(NamedTuple):
    """An owner of jobs: addressed by its name, read by its title. Where tenants share a queue fairly it counts by its
    weight."""

    name: str
    title: str
    limits: TenantLimits
    weight: int
    pause: Pause | None
    created_at: datetime


NO_LIMITS = TenantLimits()


class Tenants(ServerService):
    """Make, list, change, pause, resume."""

    async def get(self, name: str) -> Tenant:
        """The tenant, or `NotFound`."""
        async with self._begin("tenants.read") as scope:
            return _tenant(await scope.conn.fetchrow(SQL["get_tenant"], name), name)

    async def create(self, name: str, title: str = "", limits: TenantLimits = NO_LIMITS, weight: int = 1) -> Tenant:
        """A tenant that was not there before."""
        _check(limits)
        async with self._begin("tenants.change") as scope:
            if not await scope.conn.fetchval(SQL["create_tenant"], name, title, weight, *limits):
                raise Conflict(f'the tenant "{name}" exists already', field="name")
            await scope.audit(name, title=title, weight=weight, limits=limits._asdict())
            return _tenant(await scope.conn.fetchrow(SQL["get_tenant"], name), name)

    async def change(
        self,
        name: str,
        *,
        title: str | None = None,
        limits: Mapping[str, Any] | None = None,
        weight: int | None = None,
    ) -> Tenant:
        """What is named changes, and nothing else; a limit of none lifts it."""
        async with self._begin("tenants.change") as scope:
            await scope.conn.execute(SQL["lock_tenant"], name)
            before = _tenant(await scope.conn.fetchrow(SQL["get_tenant"], name), name)
            wanted = before.limits._replace(**(limits or {}))
            _check(wanted)
            title, weight = before.title if title is None else title, before.weight if weight is None else weight
            await scope.conn.execute(SQL["change_tenant"], name, title, weight, *wanted)
            after = _tenant(await scope.conn.fetchrow(SQL["get_tenant"], name), name)
            await scope.audit(name, before=_about(before), after=_about(after))
            return after

    async def pause(self, name: str, *, note: str = "", resume_at: Ahead | None = None) -> Tenant:
        """None of its jobs are claimed, until somebody resumes it or until the time given; what runs, runs on."""
        async with self._begin("tenants.pause") as scope:
            end = await scope.from_now(resume_at, "resume_at")
            await scope.conn.execute(SQL["pause_tenant"], name, note, scope.principal.name, end)
            paused = _tenant(await scope.conn.fetchrow(SQL["get_tenant"], name), name)
            await scope.audit(name, paused=True, note=note, resume_at=end)
            return paused

    async def resume(self, name: str) -> Tenant:
        """Its jobs are claimed again."""
        async with self._begin("tenants.pause") as scope:
            if await scope.conn.fetchval(SQL["resume_tenant"], name):
                await scope.audit(name, paused=False)
            return _tenant(await scope.conn.fetchrow(SQL["get_tenant"], name), name)

    # Last, for below it `list` is no type any more.
    async def list(self, *, limit: int = 50, after: str | None = None) -> Sequence[Tenant]:
        """By name; those that come after one, up to the limit."""
        async with self._begin("tenants.read") as scope:
            rows = await scope.conn.fetch(SQL["list_tenants"], after, limit)
            return [_tenant(row, row["name"]) for row in rows]


def _check(limits: TenantLimits) -> None:
    if SYSTEM_QUEUE in limits.queues:
        raise BadRequest(NOT_THE_SYSTEM_QUEUE.sentence, field="limits.queues")


def _tenant(row: Any, name: str) -> Tenant:
    if row is None:
        raise NotFound(f'unknown tenant "{name}"')
    name, title, weight, created_at, *rest = row
    limits, pause = rest[: len(TenantLimits._fields)], rest[len(TenantLimits._fields) :]
    return Tenant(name, title, TenantLimits(*limits), weight, None if pause[0] is None else Pause(*pause), created_at)


def _about(tenant: Tenant) -> dict[str, Any]:
    return {"title": tenant.title, "weight": tenant.weight, **tenant.limits._asdict()}
