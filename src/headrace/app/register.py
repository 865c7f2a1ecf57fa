"""Repeating jobs that a running process adds and removes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol, cast
from uuid import UUID

from headrace.app.declare import JobOptions, check_payload, make_handler
from headrace.app.job_function import JobFunction
from headrace.app.registry import Registry
from headrace.db.database import Database
from headrace.define.handler import Handler
from headrace.define.sync import AT_RUN_TIME, sync_definitions
from headrace.errors import BadRequest, Conflict
from headrace.model.settings.options import DefinitionOptions
from headrace.triggers.register import register_trigger, unregister_trigger
from headrace.worker.process.database_worker import WorkerProcess


class RegisteringApp(Protocol):
    """What registration needs of an open application."""

    registry: Registry
    workers: set[WorkerProcess]

    @property
    def database(self) -> Database: ...
    def app_of(self, function: Callable[..., Any] | None) -> str: ...


class RuntimeJobs:
    """What this process registered, by key: one function each, for any number of tenants."""

    def __init__(self, app: RegisteringApp) -> None:
        self._app = app
        self._tenants: dict[str, set[str]] = {}

    async def register(
        self,
        function: Callable[..., Any],
        *,
        key: str,
        tenant: str,
        every: float | timedelta,
        starts_at: datetime | None,
        settings: Mapping[str, Any],
        options: DefinitionOptions,
    ) -> UUID:
        """Make the function known here, its definition and its trigger known to the database, and wake everyone."""
        if tenant in self._tenants.get(key, ()):
            raise Conflict(f"{key!r} is already registered for tenant {tenant!r}; unregister the key first")
        handler = self._handler(function, key, options)
        check_payload(handler, dict(settings["payload"]), f"registered job {key!r}")
        seconds = every.total_seconds() if isinstance(every, timedelta) else float(every)
        rule = {**settings, "every_seconds": seconds, "starts_at": starts_at}
        # An app of their own: what one process registered has not left the code of one that has not (yet).
        app = f"{self._app.app_of(function)}{AT_RUN_TIME}"
        self._app.database.standing.require_declaring()
        async with self._app.database.pool.acquire() as conn, conn.transaction():
            if not isinstance(function, JobFunction):
                definition = handler.definition.with_attempts(self._app.registry.default_attempts())
                await sync_definitions(conn, [definition], app=app, complete=False)
            trigger_id = await register_trigger(conn, key, handler.key, rule, tenant=tenant, app=app)
        self._app.registry.add_at_run_time(handler)
        self._tenants.setdefault(key, set()).add(tenant)
        for worker in self._app.workers:
            worker.definitions_changed()
        return trigger_id

    async def unregister(self, key: str, *, tenant: str) -> None:
        """Remove the trigger, whoever registered it. What is enqueued can still run here."""
        # In any case: what another process has removed may be registered here again.
        self._tenants.get(key, set()).discard(tenant)
        async with self._app.database.pool.acquire() as conn:
            await unregister_trigger(conn, key, tenant=tenant)

    def _handler(self, function: Callable[..., Any], key: str, options: DefinitionOptions) -> Handler:
        if isinstance(function, JobFunction):
            if options:
                raise BadRequest(f"{function.key!r} is already declared as a job: give the options in the declaration")
            return function.handler
        known = self._app.registry.handlers.get(key)
        # Equal and not the same: a bound method is another object each time it is looked up.
        if known is not None and known.function != function and (key not in self._tenants or self._tenants[key]):
            raise Conflict(
                f"{key!r} is already another function. One function serves all tenants of a key and reads its "
                "tenant in ctx.tenant."
            )
        if known is not None and known.function == function:
            return known
        return make_handler(function, key, cast("JobOptions", options))
