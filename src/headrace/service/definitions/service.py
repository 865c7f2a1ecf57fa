"""Definitions: what may be run, and how it is set up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple, Unpack

from headrace.define.change import (
    change_definition,
    define_sql_job,
    pause_definition,
    resume_definition,
)
from headrace.define.read import DefinitionRecord, read_definition, read_definitions
from headrace.model.histogram import Histogram
from headrace.model.settings.definition import DefinitionSettings
from headrace.model.settings.options import DefinitionChanges, DefinitionColumns
from headrace.model.settings.setting import Setting, settings_of
from headrace.rollups.read import Step, series, usual_durations
from headrace.service.base import ServerService
from headrace.service.paging import check_limit, read_cursor, write_cursor
from headrace.service.principal import Principal
from headrace.service.session import Ahead, Runtime

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class DefinitionPage(NamedTuple):
    """Definitions by key."""

    items: Sequence[DefinitionRecord]
    next_cursor: str | None


class DefinitionStatistics(NamedTuple):
    """What became of it in the last day, hour by hour, and how long its runs took in the last seven days."""

    hours: Sequence[Step]
    durations: Histogram | None


class Definitions(ServerService):
    """Look, define, change. They are nobody's: tenants see what they may run."""

    def __init__(self, runtime: Runtime, principal: Principal) -> None:
        super().__init__(runtime, principal)
        # Also the one that a super-admin works for.
        self._tenant = principal.tenant

    async def get(self, key: str) -> DefinitionRecord:
        """One that can be run, or `NotFound`."""
        async with self._begin("definitions.read") as scope:
            system = scope.principal.role == "super_admin"
            found = await read_definition(scope.conn, key, runnable=True, system=system, tenant=self._tenant)
            return _without_others(found, scope.tenant)

    async def list(self, *, limit: int = 100, cursor: str | None = None) -> DefinitionPage:
        """Those that can be run."""
        return await self._page("definitions.read", runnable=True, limit=limit, cursor=cursor)

    async def inspect(self, key: str) -> DefinitionRecord:
        """Any, whatever its state, with the workers that know it."""
        async with self._begin("definitions.inspect") as scope:
            return await read_definition(scope.conn, key, runnable=False, workers=True)

    async def statistics(self, key: str) -> DefinitionStatistics:
        """How it has been doing, for all tenants together."""
        async with self._begin("definitions.inspect") as scope:
            definition = await read_definition(scope.conn, key, runnable=False)
            now = await scope.now()
            hours = await series(scope.conn, definition_id=definition.id, since=now - DAY, until=now, step=HOUR)
            return DefinitionStatistics(hours, (await usual_durations(scope.conn, [definition.id])).get(definition.id))

    async def inspect_all(
        self, *, limit: int = 100, cursor: str | None = None, include_system: bool = False
    ) -> DefinitionPage:
        """All there are; with those of Headrace's own jobs if that is said."""
        return await self._page(
            "definitions.inspect", runnable=False, limit=limit, cursor=cursor, system=include_system
        )

    async def settings(self) -> Sequence[Setting]:
        """What may be set of a definition, with labels and ranges."""
        async with self._begin("definitions.read"):
            return list(settings_of(DefinitionSettings).values())

    async def define_sql(
        self, key: str, function: str, *, description: str = "", **settings: Unpack[DefinitionColumns]
    ) -> DefinitionRecord:
        """A job that calls a function of the database, made or changed."""
        said = {"max_attempts": self._runtime.settings.jobs.default_attempts} | settings
        async with self._begin("definitions.define") as scope:
            await define_sql_job(scope.conn, key, function, description=description, settings=said)
            await scope.audit(key, function=function, **said)
            return await read_definition(scope.conn, key, runnable=False, workers=True)

    async def update(self, key: str, **changes: Unpack[DefinitionChanges]) -> DefinitionRecord:
        """Set some of its settings, from now on and in every worker. A later sync from code leaves them alone."""
        async with self._begin("definitions.update") as scope:
            await change_definition(scope.conn, key, changes)
            await scope.audit(key, **changes)
            return await read_definition(scope.conn, key, runnable=False, workers=True)

    async def enable(self, key: str) -> DefinitionRecord:
        """Accept and run its jobs again."""
        return await self.update(key, enabled=True)

    async def disable(self, key: str) -> DefinitionRecord:
        """Reject new jobs and hold queued ones. To keep accepting jobs, pause it."""
        return await self.update(key, enabled=False)

    async def pause(self, key: str, *, note: str = "", resume_at: Ahead | None = None) -> DefinitionRecord:
        """No more of its jobs are claimed, until somebody resumes it or until the time given; what runs, runs on."""
        async with self._begin("definitions.pause") as scope:
            end = await scope.from_now(resume_at, "resume_at")
            await pause_definition(scope.conn, key, note=note, by=scope.principal.name, resume_at=end)
            await scope.audit(key, paused=True, note=note, resume_at=end)
            return await read_definition(scope.conn, key, runnable=False, workers=True)

    async def resume(self, key: str) -> DefinitionRecord:
        """Its jobs are claimed again."""
        async with self._begin("definitions.pause") as scope:
            if await resume_definition(scope.conn, key):
                await scope.audit(key, paused=False)
            return await read_definition(scope.conn, key, runnable=False, workers=True)

    async def _page(
        self, verb: str, *, runnable: bool, limit: int, cursor: str | None, system: bool = False
    ) -> DefinitionPage:
        check_limit(limit)
        after = None if cursor is None else read_cursor(cursor, str)[0]
        async with self._begin(verb) as scope:
            definitions = await read_definitions(
                scope.conn,
                runnable=runnable,
                workers=not runnable,
                after=after,
                limit=limit + 1,
                system=system,
                tenant=self._tenant if runnable else None,
            )
        last = definitions[limit - 1] if len(definitions) > limit else None
        items = [_without_others(one, scope.tenant) for one in definitions[:limit]]
        return DefinitionPage(items, None if last is None else write_cursor(last.key))


def _without_others(definition: DefinitionRecord, tenant: str | None) -> DefinitionRecord:
    """A tenant that may run it sees itself alone among the tenants that may."""
    if tenant is None or definition.settings["tenants"] is None:
        return definition
    return replace(definition, settings={**definition.settings, "tenants": [tenant]})
