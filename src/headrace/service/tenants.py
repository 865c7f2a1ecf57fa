"""Tenants and what each may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from headrace.db.statements import statements
from headrace.errors import Conflict, NotFound
from headrace.service.verbs import ServerVerbs

SQL = statements(__file__)


class Limits(NamedTuple):
    """What a tenant may have; none: as much as it likes."""

    max_queued: int | None = None
    max_payload_bytes: int | None = None
    requests_per_minute: int | None = None


class Tenant(NamedTuple):
    """An owner of jobs: addressed by its slug, read by its name."""

    slug: str
    name: str
    limits: Limits
    created_at: datetime


NO_LIMITS = Limits()


class Tenants(ServerVerbs):
    """Make, list and change."""

    async def get(self, slug: str) -> Tenant:
        """The tenant, or `NotFound`."""
        async with self._enter("tenants.read") as act:
            return _tenant(await act.conn.fetchrow(SQL["get_tenant"], slug), slug)

    async def create(self, slug: str, name: str = "", limits: Limits = NO_LIMITS) -> Tenant:
        """A tenant that was not there before."""
        async with self._enter("tenants.change") as act:
            row = await act.conn.fetchrow(SQL["create_tenant"], slug, name, *limits)
            if row is None:
                raise Conflict(f'tenant "{slug}" is there already', field="slug")
            await act.audit(slug, name=name, limits=limits._asdict())
            return _tenant(row, slug)

    async def change(
        self, slug: str, *, name: str | None = None, limits: Mapping[str, int | None] | None = None
    ) -> Tenant:
        """What is named changes, and nothing else; a limit of none lifts it."""
        async with self._enter("tenants.change") as act:
            before = _tenant(await act.conn.fetchrow(SQL["lock_tenant"], slug), slug)
            wanted = before.limits._replace(**(limits or {}))
            row = await act.conn.fetchrow(SQL["change_tenant"], slug, before.name if name is None else name, *wanted)
            after = _tenant(row, slug)
            await act.audit(slug, before=_about(before), after=_about(after))
            return after

    # Last, for below it `list` is no type any more.
    async def list(self, *, limit: int = 50, after: str | None = None) -> Sequence[Tenant]:
        """By slug; those that come after one, up to the limit."""
        async with self._enter("tenants.read") as act:
            rows = await act.conn.fetch(SQL["list_tenants"], after, limit)
            return [_tenant(row, row["name"]) for row in rows]


def _tenant(row: Any, slug: str) -> Tenant:
    if row is None:
        raise NotFound(f'unknown tenant "{slug}"')
    slug, name, max_queued, max_payload_bytes, requests_per_minute, created_at = row
    return Tenant(slug, name, Limits(max_queued, max_payload_bytes, requests_per_minute), created_at)


def _about(tenant: Tenant) -> dict[str, Any]:
    return {"name": tenant.name, **tenant.limits._asdict()}
