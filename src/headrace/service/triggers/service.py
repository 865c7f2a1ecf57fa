"""The verbs of triggers. One is known by its id, or by its name within its tenant, which is `default` unless said."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Unpack
from uuid import UUID

from headrace.errors import NotFound
from headrace.model.settings.options import TriggerColumns
from headrace.model.settings.setting import Setting, settings_of
from headrace.model.settings.trigger import TriggerSettings
from headrace.model.trigger.record import Delivered, Fire, Forecast, Trigger
from headrace.service.paging import check_limit, moment, read_cursor, write_cursor
from headrace.service.session import Scope
from headrace.service.triggers.forecast import due_between, forecast_settings, forecast_trigger
from headrace.service.triggers.overview import TriggerOverview
from headrace.service.triggers.records import EventDeliveryPage, FirePage, TriggerPage
from headrace.service.triggers.render import Rendered, SampleEvent, render
from headrace.service.triggers.shown import without_secrets
from headrace.tracing.produce import producing
from headrace.triggers.change import (
    create_trigger,
    delete_trigger,
    reset_trigger,
    schema_of,
    set_enabled,
    update_trigger,
)
from headrace.triggers.read import (
    ALL,
    Named,
    TriggerFilter,
    find_trigger,
    get_trigger,
    list_deliveries,
    list_fires,
    list_triggers,
    name_trigger,
    page_triggers,
)
from headrace.triggers.run_now import (
    CAP,
    MOST_BACKFILLED,
    Backfilled,
    OneOrMore,
    Ran,
    backfill,
    check_range,
    run_now,
    skip_next,
)


class Triggers(TriggerOverview):
    """Make, change, fire, look."""

    async def get(self, trigger: str | UUID, *, tenant: str | None = None) -> Trigger:
        """The trigger as it stands, or `NotFound`."""
        async with self._begin("triggers.read") as scope:
            return await _get(scope, await _named(scope, trigger, tenant))

    async def create(
        self,
        name: str,
        definition: str,
        *,
        tenant: str | None = None,
        enabled: bool = True,
        created_by: str | None = None,
        **settings: Unpack[TriggerColumns],
    ) -> UUID:
        """A new trigger; a bad rule, zone, template or payload is refused with the reason."""
        async with self._begin("triggers.change") as scope:
            owner, by = tenant or scope.owner, created_by or scope.principal.name
            trigger_id = await create_trigger(
                scope.conn, name, definition, settings, tenant=owner, enabled=enabled, created_by=by
            )
            await scope.audit(
                trigger_id, did="create", name=name, tenant=owner, definition=definition, **_short(settings)
            )
            return trigger_id

    async def update(
        self,
        trigger: str | UUID,
        *,
        tenant: str | None = None,
        enabled: bool | None = None,
        **changes: Unpack[TriggerColumns],
    ) -> None:
        """Change some settings. A new rule holds from now; what the old one left undone is among the fires."""
        async with self._begin("triggers.change") as scope:
            named = await _named(scope, trigger, tenant)
            await update_trigger(scope.conn, named.name, changes, tenant=named.tenant)
            changed = {} if enabled is None else {"enabled": enabled}
            if enabled is not None:
                await set_enabled(scope.conn, named.name, tenant=named.tenant, enabled=enabled)
            await _audit(scope, named, "update", **_short(changes), **changed)

    async def reset(self, trigger: str | UUID, *, tenant: str | None = None) -> None:
        """Undo what was changed by hand of a trigger that code declares."""
        async with self._begin("triggers.change") as scope:
            named = await _named(scope, trigger, tenant)
            await reset_trigger(scope.conn, named.name, tenant=named.tenant)
            await _audit(scope, named, "reset")

    async def enable(self, trigger: str | UUID, *, tenant: str | None = None) -> None:
        """Turn it on, from now: what was due meanwhile does not fire."""
        async with self._begin("triggers.change") as scope:
            named = await _named(scope, trigger, tenant)
            await set_enabled(scope.conn, named.name, tenant=named.tenant, enabled=True)
            await _audit(scope, named, "enable")

    async def disable(self, trigger: str | UUID, *, tenant: str | None = None, note: str | None = None) -> None:
        """Turn it off. When this returns it fires no more; jobs already enqueued are left alone."""
        async with self._begin("triggers.change") as scope:
            named = await _named(scope, trigger, tenant)
            await set_enabled(scope.conn, named.name, tenant=named.tenant, enabled=False, note=note)
            await _audit(scope, named, "disable", note=note)

    async def delete(self, trigger: str | UUID, *, tenant: str | None = None) -> None:
        """Remove it; history stays."""
        async with self._begin("triggers.change") as scope:
            named = await _named(scope, trigger, tenant)
            await _audit(scope, named, "delete")
            await delete_trigger(scope.conn, named.name, tenant=named.tenant)

    async def fire(
        self,
        trigger: str | UUID,
        *,
        tenant: str | None = None,
        overlap: OneOrMore | None = None,
        created_by: str | None = None,
    ) -> Ran:
        """Run it now, also when it is disabled. `overlap="skip"` does not while a job of it is live."""
        async with self._begin("triggers.fire") as scope:
            named, by = await _named(scope, trigger, tenant), created_by or scope.principal.name
            with producing(f"fire {named.name}", "fire", trigger=named.name, tenant=named.tenant) as trace:
                await scope.carry(trace)
                ran = await run_now(scope.conn, named.name, tenant=named.tenant, overlap=overlap, created_by=by)
            await _audit(scope, named, "fire", **ran._asdict())
            return ran

    async def skip_next(self, trigger: str | UUID, *, tenant: str | None = None) -> datetime:
        """Let the next due time pass; gives back which."""
        async with self._begin("triggers.fire") as scope:
            named = await _named(scope, trigger, tenant)
            due_at = await skip_next(scope.conn, named.name, tenant=named.tenant)
            await _audit(scope, named, "skip_next", due_at=due_at)
            return due_at

    async def backfill(
        self,
        trigger: str | UUID,
        first: datetime,
        until: datetime,
        *,
        tenant: str | None = None,
        overlap: OneOrMore = "allow",
        cap: int = CAP,
    ) -> Backfilled:
        """Jobs for the due times from first to until, oldest first, also for those that have fired already."""
        async with self._begin("triggers.fire") as scope:
            named = await _named(scope, trigger, tenant)
            made = await backfill(scope.conn, named.name, first, until, tenant=named.tenant, overlap=overlap, cap=cap)
            await _audit(
                scope, named, "backfill", first=first, until=until, occasion=made.occasion, jobs=len(made.job_ids)
            )
            return made

    async def count_backfill(
        self, trigger: str | UUID, first: datetime, until: datetime, *, tenant: str | None = None
    ) -> list[datetime]:
        """The due times that a backfill would have, up to as many as it may have at most and one."""
        check_range(first, until)
        found = await self.get(trigger, tenant=tenant)
        return await asyncio.to_thread(due_between, found, first, until, MOST_BACKFILLED + 1)

    async def fires(self, trigger: str | UUID, *, tenant: str | None = None, limit: int = 100) -> Sequence[Fire]:
        """What became of its due times, newest first; also of one that was deleted."""
        async with self._begin("triggers.read") as scope:
            return await list_fires(scope.conn, await _id(scope, trigger, tenant), limit=limit)

    async def fires_page(self, trigger: str | UUID, *, limit: int = 100, cursor: str | None = None) -> FirePage:
        """The same, page by page."""
        check_limit(limit)
        begin = None if cursor is None else read_cursor(cursor, moment, moment, str)
        async with self._begin("triggers.read") as scope:
            trigger_id = await _id(scope, trigger, None)
            before = None if begin is None else (begin[0], begin[1], begin[2])
            lines = await list_fires(scope.conn, trigger_id, limit=limit + 1, before=before)
        last = lines[limit - 1] if len(lines) > limit else None
        return FirePage(lines[:limit], None if last is None else write_cursor(last.due_at, last.at, last.occasion))

    async def deliveries(
        self, trigger: str | UUID, *, tenant: str | None = None, limit: int = 100
    ) -> Sequence[Delivered]:
        """What it made of events, newest first."""
        async with self._begin("triggers.read") as scope:
            return await list_deliveries(scope.conn, await _id(scope, trigger, tenant), limit=limit)

    async def deliveries_page(
        self, trigger: str | UUID, *, limit: int = 100, cursor: str | None = None
    ) -> EventDeliveryPage:
        """The same, page by page."""
        check_limit(limit)
        before = None if cursor is None else read_cursor(cursor, UUID)[0]
        async with self._begin("triggers.read") as scope:
            trigger_id = await _id(scope, trigger, None)
            lines = await list_deliveries(scope.conn, trigger_id, limit=limit, before=before)
        # Within a page they are in order of time, of which an id knows milliseconds only.
        oldest = min(line.event_id for line in lines) if len(lines) == limit else None
        return EventDeliveryPage(lines, None if oldest is None else write_cursor(oldest))

    async def preview(self, trigger: str | UUID, n: int = 10, *, tenant: str | None = None) -> Forecast:
        """When it is due next, from its next due time on, with a note where clocks change; and its rule in words."""
        found = await self.get(trigger, tenant=tenant)
        return await asyncio.to_thread(forecast_trigger, found, n, await self._now())

    async def settings(self) -> Sequence[Setting]:
        """What may be set of a trigger, with labels and ranges."""
        async with self._begin("triggers.read"):
            return list(settings_of(TriggerSettings).values())

    async def preview_settings(self, n: int = 10, **settings: Unpack[TriggerColumns]) -> Forecast:
        """The same for a trigger that does not exist yet."""
        return await asyncio.to_thread(forecast_settings, settings, n, await self._now())

    async def _now(self) -> datetime:
        async with self._begin("triggers.read") as scope:
            return await scope.now()

    async def render(
        self, sample: SampleEvent, *, definition: str | None = None, tenant: str | None = None
    ) -> Rendered:
        """What a template makes of an event, or the error; held against the definition where one is named."""
        async with self._begin("triggers.read") as scope:
            owner, now = tenant or scope.owner, await scope.now()
            schema = None if definition is None else await schema_of(scope.conn, definition, tenant=owner)
        return await asyncio.to_thread(render, sample, tenant=owner, schema=schema, now=now)

    async def page(
        self, wanted: TriggerFilter = ALL, *, limit: int = 50, cursor: str | None = None, tenant: str | None = None
    ) -> TriggerPage:
        """Those that fit, by name: a tenant's, or everybody's."""
        check_limit(limit)
        begin = None if cursor is None else read_cursor(cursor, str, UUID)
        async with self._begin("triggers.read", tenant) as scope:
            after = None if begin is None else (begin[0], begin[1])
            read = await page_triggers(scope.conn, wanted, tenant_id=scope.tenant_id, after=after, limit=limit)
            triggers = await without_secrets(scope, read.items)
        return TriggerPage(triggers, write_cursor(triggers[-1].name, triggers[-1].id) if read.more else None)

    async def list(self, *, tenant: str | None = None) -> Sequence[Trigger]:
        """All of a tenant's, by name."""
        async with self._begin("triggers.read") as scope:
            return await without_secrets(scope, await list_triggers(scope.conn, tenant=tenant or scope.owner))


async def _named(scope: Scope, trigger: str | UUID, tenant: str | None, *, deleted: bool = False) -> Named:
    """Its name and tenant. Whoever has a tenant finds only what is theirs: the database knows no other."""
    if isinstance(trigger, str):
        return Named(trigger, tenant or scope.owner)
    named = await name_trigger(scope.conn, trigger, tenant_id=scope.tenant_id, deleted=deleted)
    if tenant is not None and tenant != named.tenant:
        raise NotFound(f'unknown trigger "{trigger}"')
    return named


async def _id(scope: Scope, trigger: str | UUID, tenant: str | None) -> UUID:
    """Its id, also of one that was deleted."""
    named = await _named(scope, trigger, tenant, deleted=True)
    return trigger if isinstance(trigger, UUID) else await find_trigger(scope.conn, named.name, tenant=named.tenant)


async def _get(scope: Scope, named: Named) -> Trigger:
    [trigger] = await without_secrets(scope, [await get_trigger(scope.conn, named.name, tenant=named.tenant)])
    return trigger


def _short(settings: Mapping[str, object]) -> dict[str, object]:
    """What the audit says of settings: of a payload, which may be large, only that it was given."""
    return {name: "given" if name == "payload" else value for name, value in settings.items()}


async def _audit(scope: Scope, named: Named, did: str, **detail: object) -> None:
    trigger_id = await find_trigger(scope.conn, named.name, tenant=named.tenant)
    await scope.audit(trigger_id, did=did, name=named.name, tenant=named.tenant, **detail)
