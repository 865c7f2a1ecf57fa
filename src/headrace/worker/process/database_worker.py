"""A worker process: the worker, the maintenance beside it and the listener that wakes both."""

from __future__ import annotations

import asyncio
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

from headrace.builtin.register import register_builtins
from headrace.builtin.registry import default_schedules, handlers
from headrace.builtin.workplace import Workplace
from headrace.config import Settings
from headrace.db.database import Database
from headrace.db.listen import Listener
from headrace.define.handler import Handler
from headrace.define.sync import SyncReport, is_alone, list_servers, sync_definitions
from headrace.executors.sql.executor import SqlExecutor
from headrace.log import get_logger
from headrace.model.system import SYSTEM_QUEUE
from headrace.queue.claim import SQL_JOBS
from headrace.queue.lease import WorkerIdentity
from headrace.worker.maintenance.loop import running
from headrace.worker.maintenance.maintenance import Maintenance, RetentionAges
from headrace.worker.process.base import Process
from headrace.worker.process.patience import patiently, unless_stopped
from headrace.worker.process.retire import Retirer
from headrace.worker.run.dispatch import AnyHandler
from headrace.worker.transport.postgres import PostgresTransport

log = get_logger("headrace.worker")
OTHERWISE = (
    "declaration of commands.{key} replaced while live workers serve the command. The key of a command belongs to the "
    "database: those workers and this one run each other's jobs, each with its own program. If those belong to another "
    "service, give the key a prefix"
)


class WorkerApp(Protocol):
    """An open application."""

    @property
    def app(self) -> str: ...
    @property
    def settings(self) -> Settings: ...
    def read_settings(self) -> Settings: ...
    @property
    def database(self) -> Database: ...
    @property
    def handlers(self) -> Mapping[str, Handler]: ...

    @property
    def workers(self) -> set[WorkerProcess]: ...

    async def sync_definitions(self, *, force: bool = False, complete: bool = True) -> SyncReport: ...


class WorkerProcess(Process):
    """All that `headrace worker` runs in one process."""

    _transport: PostgresTransport

    def __init__(
        self,
        app: WorkerApp,
        *,
        concurrency: int | None = None,
        queues: tuple[str, ...] | None = None,
        announce: bool = False,
    ) -> None:
        super().__init__(app, concurrency=concurrency, queues=queues)
        self._app = app
        self._sql_url = app.settings.sql.database_url or app.database.sql_jobs_url
        self._sql = _sql_executor(app.settings, self._sql_url)
        if self._sql_url is None:
            log.info("SQL jobs disabled: set sql.database_url to a login of their own")
        self._builtin = handlers(Workplace(app.database, app.settings)) if app.settings.builtin.enabled else {}
        jobs, endpoint = app.settings.jobs, app.database.endpoint
        self._transport = PostgresTransport(
            endpoint,
            self._identity(),
            poll_interval=jobs.poll_interval_ms / 1000,
            unreadable_after=jobs.unreadable_after_s,
        )
        self._listener = Listener(endpoint, {"headrace": self._notified})
        self._maintenance = Maintenance(
            endpoint,
            listening=self._listener.listening.is_set,
            scheduler=jobs.scheduler_enabled,
            longest_sleep=jobs.scheduler_tick_s,
            retention=retention_of(app.settings),
            embedded=app.database.embedded,
        )
        self.worker = self._make_worker(announce=announce, on_rescheduled=self._maintenance.watch.wake, sql=self._sql)

    async def run(self) -> None:
        """Work until `stop` is called."""
        async with running(self._maintenance.reviving):
            synced = await unless_stopped(self.worker.stop_asked, self._prepare())
            if synced is not None:
                await self._work(synced)

    async def _work(self, synced: SyncReport) -> None:
        self._listener.start()
        self._app.workers.add(self)
        self.definitions_changed()  # somebody may have registered one while we got ready
        kept = synced.kept if is_alone(self._app.database, self._app.app) else ()
        retirer = Retirer(self._app.database, self._app.app, kept)
        try:
            async with running([*self._maintenance.loops, retirer]):
                try:
                    await self.worker.run()
                finally:
                    self._app.workers.discard(self)
        finally:
            await self._listener.stop()
            await self._maintenance.close()

    async def _prepare(self) -> SyncReport:
        """What the database has to know before a worker of this process claims; waits while it is away."""
        if self._sql is not None:
            await patiently("check the login of SQL jobs", self._sql.check_role)
        synced = await patiently("sync definitions", self._app.sync_definitions)
        await patiently("sync commands", self._sync_commands)
        await patiently("register built-in jobs", self._register_builtins)
        return synced

    def serves(self) -> dict[str, object]:
        return {**super().serves(), "sql_jobs": "off" if self._sql_url is None else "on"}

    def _identity(self) -> WorkerIdentity:
        embedded = self._app.database.embedded
        return replace(super()._identity(), process=None if embedded is None else embedded.process)

    def _definitions(self) -> tuple[str, ...]:
        return (*super()._definitions(), *self._builtin, *([SQL_JOBS] if self._sql_url is not None else []))

    def _served_queues(self) -> tuple[str, ...]:
        extra = (SYSTEM_QUEUE,) if self._builtin and not {"*", SYSTEM_QUEUE} & set(self._queues) else ()
        return (*self._queues, *extra)

    def _runs(self) -> Mapping[str, AnyHandler]:
        return ChainMap(super()._runs(), self._builtin)  # type: ignore[arg-type]

    async def _register_builtins(self) -> None:
        if self._builtin:
            async with self._app.database.pool.acquire() as conn:
                made = await register_builtins(conn, self._builtin.values(), default_schedules(self._app.settings))
            if made:
                log.info("built-in schedules created", schedules=made)

    async def _sync_commands(self) -> None:
        """Other machines may have other commands, so none is ever called deleted."""
        if not self._commands:
            return
        async with self._app.database.pool.acquire() as conn:
            definitions = [handler.definition for handler in self._commands.values()]
            synced = await sync_definitions(conn, definitions, app="commands", complete=False)
            # Of commands that were read again, all processes of a machine hear one after the other.
            served = {} if self.worker.ready.is_set() else await list_servers(conn, synced.changed)
        for key, workers in served.items():
            log.warning(OTHERWISE.format(key=key), workers=workers)

    def _notified(self, payload: str) -> None:
        match payload.split(" "):
            case ["work"]:
                self._transport.wake()
            case ["lanes"]:
                self._transport.lanes_changed()
            case ["due" | "triggers" | "events" as what]:
                self._maintenance.notified(what)
            case ["cancel" | "drain", worker_id]:
                if worker_id == str(self._transport.worker_id):
                    self.worker.nudge()
            case _:  # the listener has just come (back): look at everything
                self._transport.lanes_changed()
                self._maintenance.notified("anything")
                self.worker.nudge()


def _sql_executor(settings: Settings, url: str | None) -> SqlExecutor | None:
    if url is None:
        return None
    return SqlExecutor(url, size=settings.sql.pool_size, allowed_schemas=settings.sql.allowed_schemas)


def retention_of(settings: Settings) -> RetentionAges | None:
    """How long the settings say that history is kept; none where the built-in jobs see to that."""
    if settings.builtin.enabled:
        return None
    kept = settings.retention
    return RetentionAges(
        fires=timedelta(days=kept.fires_days),
        events=timedelta(days=kept.events_days),
        logs=timedelta(days=kept.logs_days),
        rollups=timedelta(days=kept.rollups_days),
    )


async def run_worker(app: WorkerApp, *, concurrency: int | None = None, queues: tuple[str, ...] | None = None) -> None:
    """Run until cancelled, and then leave in order before the cancellation goes on."""
    process = WorkerProcess(app, concurrency=concurrency, queues=queues)
    running = asyncio.create_task(process.run())
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        process.stop()
        await running
        raise
