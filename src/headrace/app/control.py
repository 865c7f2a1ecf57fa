"""`hr.control`: what an operator may do, from Python."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Unpack
from uuid import UUID

from headrace.app.log_control import App, LogControl
from headrace.db.connect import Pool
from headrace.errors import BadRequest, Conflict
from headrace.model.preview import describe, describe_interval, preview
from headrace.model.schedule import Cron
from headrace.model.trigger import Rule
from headrace.model.trigger_record import Delivered, Fire, Forecast, Trigger
from headrace.model.trigger_settings import TriggerSettings, complete_settings, read_settings
from headrace.triggers.change import create_trigger, delete_trigger, reset_trigger, set_enabled, update_trigger
from headrace.triggers.read import find_trigger, get_trigger, list_deliveries, list_fires, list_triggers
from headrace.triggers.run_now import CAP, Backfilled, OneOrMore, Ran, backfill, run_now, skip_next

MOST_PREVIEWED = 1000


class Control:
    """The control plane of an application's database, while that is open."""

    def __init__(self, app: App) -> None:
        self.triggers = TriggerControl(app)
        self.logs = LogControl(app)


class TriggerControl:
    """Triggers of any kind, by tenant and name."""

    def __init__(self, app: App) -> None:
        self._app = app

    @property
    def _pool(self) -> Pool:
        return self._app.database.pool

    async def get(self, name: str, *, tenant: str = "default") -> Trigger:
        """The trigger as it stands, or `NotFound`."""
        async with self._pool.acquire() as conn:
            return await get_trigger(conn, name, tenant=tenant)

    async def create(
        self,
        name: str,
        definition: str,
        *,
        tenant: str = "default",
        enabled: bool = True,
        created_by: str | None = None,
        **settings: Unpack[TriggerSettings],
    ) -> UUID:
        """A new trigger; a bad rule, zone, template or payload is refused with the reason."""
        async with self._pool.acquire() as conn:
            return await create_trigger(
                conn, name, definition, settings, tenant=tenant, enabled=enabled, created_by=created_by
            )

    async def update(self, name: str, *, tenant: str = "default", **changes: Unpack[TriggerSettings]) -> None:
        """Change some settings. A new rule holds from now; what the old one left undone is in the ledger."""
        async with self._pool.acquire() as conn:
            await update_trigger(conn, name, changes, tenant=tenant)

    async def reset(self, name: str, *, tenant: str = "default") -> None:
        """Undo what was changed by hand of a trigger that code declares."""
        async with self._pool.acquire() as conn:
            await reset_trigger(conn, name, tenant=tenant)

    async def enable(self, name: str, *, tenant: str = "default") -> None:
        """Turn it on, from now: what was due meanwhile does not fire."""
        async with self._pool.acquire() as conn:
            await set_enabled(conn, name, tenant=tenant, enabled=True)

    async def disable(self, name: str, *, tenant: str = "default", note: str | None = None) -> None:
        """Turn it off. When this returns it fires no more; jobs already enqueued are left alone."""
        async with self._pool.acquire() as conn:
            await set_enabled(conn, name, tenant=tenant, enabled=False, note=note)

    async def delete(self, name: str, *, tenant: str = "default") -> None:
        """Remove it; history stays."""
        async with self._pool.acquire() as conn:
            await delete_trigger(conn, name, tenant=tenant)

    async def fire(
        self, name: str, *, tenant: str = "default", overlap: OneOrMore | None = None, created_by: str | None = None
    ) -> Ran:
        """Run it now, also when it is disabled. `overlap="skip"` does not while a job of it is live."""
        async with self._pool.acquire() as conn:
            return await run_now(conn, name, tenant=tenant, overlap=overlap, created_by=created_by)

    async def skip_next(self, name: str, *, tenant: str = "default") -> datetime:
        """Let the next due time pass; gives back which."""
        async with self._pool.acquire() as conn:
            return await skip_next(conn, name, tenant=tenant)

    async def backfill(
        self,
        name: str,
        first: datetime,
        until: datetime,
        *,
        tenant: str = "default",
        overlap: OneOrMore = "allow",
        cap: int = CAP,
    ) -> Backfilled:
        """Jobs for the due times from first to until, oldest first, also for those that have fired already."""
        async with self._pool.acquire() as conn:
            return await backfill(conn, name, first, until, tenant=tenant, overlap=overlap, cap=cap)

    async def ledger(self, name: str, *, tenant: str = "default", limit: int = 100) -> list[Fire]:
        """What became of its due times, newest first; also of one that was deleted."""
        async with self._pool.acquire() as conn:
            return await list_fires(conn, await find_trigger(conn, name, tenant=tenant), limit=limit)

    async def deliveries(self, name: str, *, tenant: str = "default", limit: int = 100) -> list[Delivered]:
        """What it made of events, newest first."""
        async with self._pool.acquire() as conn:
            return await list_deliveries(conn, await find_trigger(conn, name, tenant=tenant), limit=limit)

    async def preview(self, name: str, n: int = 10, *, tenant: str = "default") -> Forecast:
        """When it is due next, from its next due time on, with a note where clocks change; and its rule in words."""
        trigger = await self.get(name, tenant=tenant)
        rule = read_settings(name, trigger.settings)
        # Enabling counts from then on, so the time that a disabled one once waited for says nothing.
        first = trigger.next_run_at if trigger.enabled else None
        ahead = forecast(rule, first or datetime.now(UTC), n)
        left = n if rule.max_fires is None else max(0, rule.max_fires - trigger.fires)
        return ahead._replace(times=ahead.times[:left])

    # Last, for below it `list` is no type any more.
    async def list(self, *, tenant: str = "default") -> list[Trigger]:
        """A tenant's triggers, by name."""
        async with self._pool.acquire() as conn:
            return await list_triggers(conn, tenant=tenant)

    def preview_settings(self, n: int = 10, **settings: Unpack[TriggerSettings]) -> Forecast:
        """The same for a trigger that does not exist yet."""
        now = datetime.now(UTC)
        return forecast(read_settings("preview", complete_settings(settings), now=now), now, n)


def forecast(rule: Rule, first: datetime, n: int) -> Forecast:
    """The next n due times from an instant on."""
    if not 1 <= n <= MOST_PREVIEWED:
        raise BadRequest(f"A preview shows 1 to {MOST_PREVIEWED} times, not {n}.")
    if rule.schedule is None:
        raise Conflict(f'trigger "{rule.name}" is not a schedule: it has no times to preview')
    beat = rule.schedule.beat
    words = describe(beat.rule) if isinstance(beat, Cron) else describe_interval(beat.interval)
    return Forecast(words, preview(rule.schedule, first - datetime.resolution, n))
