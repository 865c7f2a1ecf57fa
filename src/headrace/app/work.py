"""A worker process: the worker, the maintenance beside it and the listener that wakes both."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import ChainMap
from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from headrace.config import Settings
from headrace.db.database import Database
from headrace.db.listen import Listener
from headrace.define.handler import Handler
from headrace.define.sync import SyncReport, sync_definitions
from headrace.errors import ConfigError, HeadraceError
from headrace.executors.sql.executor import SqlExecutor
from headrace.log import get_logger
from headrace.model.encryption import SecretBox
from headrace.model.job import ClaimedJob
from headrace.model.log_line import LOG, STREAMS, LogLine
from headrace.model.run_log import LogLimits
from headrace.model.status import JobStatus
from headrace.model.transition import Transition
from headrace.queue.lease import WorkerIdentity
from headrace.queue.rescue import mark_all_lost
from headrace.version import __version__
from headrace.worker.command_handler import CommandHandler
from headrace.worker.maintenance import Maintenance, Retention
from headrace.worker.postgres import SQL_JOBS, PostgresTransport
from headrace.worker.worker import Worker

log = get_logger("headrace.worker")


class App(Protocol):
    """An open application."""

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


class WorkerProcess:
    """All that `headrace worker` runs in one process."""

    def __init__(
        self,
        app: App,
        *,
        concurrency: int | None = None,
        queues: tuple[str, ...] | None = None,
        announce: bool = False,
    ) -> None:
        self._app = app
        self._commands = read_commands(app.settings, app.handlers)
        self._sql_url = app.settings.sql.database_url or app.database.sql_jobs_url
        if self._sql_url is None:
            log.info("SQL jobs are off: give sql.database_url a login of their own")
        jobs, endpoint = app.settings.jobs, app.database.endpoint
        who = self._identity(concurrency or jobs.worker_concurrency, queues or jobs.queues)
        self._transport = PostgresTransport(endpoint, who, poll_interval=jobs.poll_interval_ms / 1000)
        self._listener = Listener(endpoint, {"headrace": self._notified})
        self._maintenance = Maintenance(
            endpoint,
            listening=self._listener.listening.is_set,
            scheduler=jobs.scheduler_enabled,
            retention=_retention(app.settings),
        )
        self.worker = self._worker(who.concurrency, announce=announce)

    def _identity(self, concurrency: int, queues: tuple[str, ...]) -> WorkerIdentity:
        return WorkerIdentity(
            name=f"{socket.gethostname()}:{os.getpid()}",
            hostname=socket.gethostname(),
            pid=os.getpid(),
            version=__version__,
            queues=queues,
            definitions=self._definitions(),
            concurrency=concurrency,
            lease=timedelta(seconds=self._app.settings.jobs.lease_duration_s),
        )

    def _worker(self, concurrency: int, *, announce: bool) -> Worker:
        settings = self._app.settings
        return Worker(
            self._transport,
            ChainMap(self._commands, self._app.handlers),  # type: ignore[arg-type]
            concurrency=concurrency,
            lease=settings.jobs.lease_duration_s,
            shutdown_timeout=settings.jobs.shutdown_timeout_s,
            kill_grace=settings.jobs.kill_grace_s,
            on_rescheduled=self._maintenance.watch.wake,
            announce=announce_end if announce else None,
            echo=echo_line if announce else None,
            log_limits=LogLimits(lines=settings.logs.max_lines, size=int(settings.logs.max_mb * 1024 * 1024)),
            sql=_sql_executor(settings, self._sql_url),
            box=SecretBox.read(settings.secret_key),
        )

    async def run(self) -> None:
        """Work until `stop` is called."""
        await self._app.sync_definitions()
        await self._sync_commands()
        await self._rescue_after_a_clean_slate()
        self._listener.start()
        self._app.workers.add(self)
        maintaining = [asyncio.create_task(loop.run()) for loop in self._maintenance.loops]
        try:
            await self.worker.run()
        finally:
            self._app.workers.discard(self)
            for task in maintaining:
                task.cancel()
            await asyncio.gather(*maintaining, return_exceptions=True)
            await self._listener.stop()
            await self._maintenance.close()

    def stop(self) -> None:
        """Ask for an orderly end."""
        self.worker.stop()

    async def _rescue_after_a_clean_slate(self) -> None:
        """Alone with an embedded server at its start, we know that its former workers are gone."""
        embedded = self._app.database.embedded
        if embedded is not None and embedded.sole_owner:
            async with self._app.database.pool.acquire() as conn:
                await mark_all_lost(conn)

    def definitions_changed(self) -> None:
        """Serve what the application has declared meanwhile."""
        self.worker.handlers_changed()
        self._transport.serve(self._definitions())

    def _definitions(self) -> tuple[str, ...]:
        return (*self._app.handlers, *self._commands, *([SQL_JOBS] if self._sql_url is not None else []))

    def reload_commands(self) -> None:
        """Read the commands of the configuration again; a file that is not valid changes nothing."""
        try:
            commands = read_commands(self._app.read_settings(), self._app.handlers)
        except HeadraceError as error:
            log.error("the commands were not read again", error=str(error))
            return
        self._commands.clear()
        self._commands.update(commands)
        self._reloading = asyncio.create_task(self._serve_commands())

    async def _serve_commands(self) -> None:
        try:
            await self._sync_commands()
        except Exception:
            log.exception("the database was not told of the commands, which were read again")
        self.definitions_changed()
        log.info("the commands were read again", commands=sorted(self._commands))

    async def _sync_commands(self) -> None:
        """Other machines may have other commands, so none is ever called deleted."""
        if self._commands:
            async with self._app.database.pool.acquire() as conn:
                definitions = [handler.definition for handler in self._commands.values()]
                await sync_definitions(conn, definitions, app="commands", complete=False)

    def _notified(self, payload: str) -> None:
        match payload.split(" "):
            case ["work"]:
                self._transport.wake()
            case ["lanes"]:
                self._transport.lanes_changed()
            case ["due" | "triggers" | "events" as what]:
                self._maintenance.notified(what)
            case ["cancel", worker_id]:
                if worker_id == str(self._transport.worker_id):
                    self.worker.nudge()
            case _:  # the listener has just come (back): look at everything
                self._transport.lanes_changed()
                self._maintenance.notified("anything")
                self.worker.nudge()


def read_commands(settings: Settings, handlers: Mapping[str, Handler]) -> dict[str, CommandHandler]:
    """The commands of this machine's configuration, or `ConfigError` with what is wrong with one."""
    commands = {key: CommandHandler(key, command) for key, command in settings.commands.items()}
    for key, command in commands.items():
        if key in handlers:
            raise ConfigError(f"commands.{key}: a job in code has this key already")
        if problems := command.problems():
            raise ConfigError(f"commands.{key} cannot run here: {'; '.join(problems)}")
        for warning in command.warnings():
            log.warning(f"commands.{key}: {warning}")
    return commands


def _sql_executor(settings: Settings, url: str | None) -> SqlExecutor | None:
    if url is None:
        return None
    return SqlExecutor(url, size=settings.sql.pool_size, allowed_schemas=settings.sql.allowed_schemas)


def _retention(settings: Settings) -> Retention:
    kept = settings.retention
    return Retention(
        ledger=timedelta(days=kept.ledger_days),
        events=timedelta(days=kept.events_days),
        logs=timedelta(days=kept.logs_days),
    )


def announce_end(job: ClaimedJob, transition: Transition) -> None:
    """A line for people, for each run that ended."""
    said = {"definition": job.definition, "job_id": str(job.id), "attempt": f"{job.attempt}/{job.max_attempts}"}
    if transition.final == JobStatus.SUCCEEDED:
        log.info("job succeeded", **said, result=transition.result)
    elif transition.final is None:
        log.warning(f"job {transition.outcome}", **said, error=transition.error, again_in=f"{transition.delay:.1f} s")
    else:
        log.error(f"job {transition.final}", **said, error=transition.error)


def echo_line(line: LogLine) -> None:
    """What a job printed, for people; what it logged goes through `logging` anyway."""
    if line.stream != LOG:
        log.info(line.message, job_id=str(line.job_id), stream=STREAMS[line.stream])


async def run_worker(app: App, *, concurrency: int | None = None, queues: tuple[str, ...] | None = None) -> None:
    """Run until cancelled, and then leave in order before the cancellation goes on."""
    process = WorkerProcess(app, concurrency=concurrency, queues=queues)
    running = asyncio.create_task(process.run())
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        process.stop()
        await running
        raise
