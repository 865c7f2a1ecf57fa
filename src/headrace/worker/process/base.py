"""What every worker process has, whatever its worker speaks to: commands, handlers, and words for people."""

from __future__ import annotations

import asyncio
import os
import socket
from abc import ABC, abstractmethod
from collections import ChainMap
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Protocol

from headrace.config import Settings
from headrace.define.handler import Handler
from headrace.errors import ConfigError, HeadraceError
from headrace.executors.sql.executor import SqlExecutor
from headrace.log import get_logger
from headrace.model.log.line import LOG, STREAMS, LogLine
from headrace.model.log.run_log import LogLimits
from headrace.model.secret.encryption import SecretBox
from headrace.queue.lease import WorkerIdentity
from headrace.version import __version__
from headrace.worker.run.command_handler import CommandHandler
from headrace.worker.run.dispatch import AnyHandler
from headrace.worker.transport.interface import Transport
from headrace.worker.worker import Worker

log = get_logger("headrace.worker")


class Declares(Protocol):
    """An application, open or not."""

    @property
    def settings(self) -> Settings: ...
    def read_settings(self) -> Settings: ...
    @property
    def handlers(self) -> Mapping[str, Handler]: ...


class Serves(Transport, Protocol):
    """A transport that can be told what else its worker runs now."""

    def serve(self, definitions: tuple[str, ...], schemas: Mapping[str, str]) -> None: ...


class Process(ABC):
    """A worker of an application in this process; whoever builds on it makes `worker` and `_transport`."""

    worker: Worker
    _transport: Serves

    def __init__(self, app: Declares, *, concurrency: int | None, queues: tuple[str, ...] | None) -> None:
        self._app_settings = app.settings
        self._read_settings = app.read_settings
        self._handlers = app.handlers
        self._commands = read_commands(app.settings, app.handlers)
        self._concurrency = concurrency or app.settings.jobs.worker_concurrency
        self._queues = queues or app.settings.jobs.queues

    @abstractmethod
    async def run(self) -> None:
        """Work until `stop` is called."""

    def stop(self) -> None:
        """Ask for an orderly end."""
        self.worker.stop()

    def serves(self) -> dict[str, object]:
        """What it runs, for people."""
        return {
            "queues": "all" if "*" in self._queues else sorted(self._queues),
            "jobs_of_the_app": len(self._handlers),
            "commands": sorted(self._commands),
        }

    def _identity(self) -> WorkerIdentity:
        return WorkerIdentity(
            name=f"{socket.gethostname()}:{os.getpid()}",
            hostname=socket.gethostname(),
            pid=os.getpid(),
            version=__version__,
            queues=self._served_queues(),
            definitions=self._definitions(),
            concurrency=self._concurrency,
            lease=timedelta(seconds=self._app_settings.jobs.lease_duration_s),
            schemas=self._schemas(),
        )

    def _make_worker(
        self,
        *,
        announce: bool,
        on_rescheduled: Callable[[], None] = lambda: None,
        sql: SqlExecutor | None = None,
    ) -> Worker:
        settings = self._app_settings
        return Worker(
            self._transport,
            self._runs(),
            concurrency=self._concurrency,
            lease=settings.jobs.lease_duration_s,
            shutdown_timeout=settings.jobs.shutdown_timeout_s,
            kill_grace=settings.jobs.kill_grace_s,
            on_rescheduled=on_rescheduled,
            loud=announce,
            echo=echo_line if announce else None,
            log_limits=LogLimits(lines=settings.logs.max_lines, size=int(settings.logs.max_mb * 1024 * 1024)),
            sql=sql,
            box=SecretBox.read(settings.secret_key),
        )

    # -- what it serves

    def _served_queues(self) -> tuple[str, ...]:
        return self._queues

    def _runs(self) -> Mapping[str, AnyHandler]:
        """What each definition is run by; what changes in any of these is seen."""
        return ChainMap(self._commands, self._handlers)  # type: ignore[arg-type]

    def _definitions(self) -> tuple[str, ...]:
        return (*self._handlers, *self._commands)

    def _schemas(self) -> dict[str, str]:
        """Which version of each definition's schema this code has."""
        definitions = [handler.definition for handler in self._handlers.values()]
        definitions += [handler.definition for handler in self._commands.values()]
        return {definition.key: definition.schema_version for definition in definitions}

    def definitions_changed(self) -> None:
        """Serve what the application has declared meanwhile."""
        self.worker.handlers_changed()
        self._transport.serve(self._definitions(), self._schemas())

    def reload_commands(self) -> None:
        """Read the commands of the configuration again; a file that is not valid changes nothing."""
        try:
            commands = read_commands(self._read_settings(), self._handlers)
        except HeadraceError as error:
            log.error("reload of commands failed", error=str(error))
            return
        self._commands.clear()
        self._commands.update(commands)
        self._reloading = asyncio.create_task(self._serve_commands())

    async def _serve_commands(self) -> None:
        try:
            await self._sync_commands()
        except Exception:
            log.exception("sync of reloaded commands failed")
        self.definitions_changed()
        log.info("commands reloaded", commands=sorted(self._commands))

    @abstractmethod
    async def _sync_commands(self) -> None:
        """Make the commands known."""


def read_commands(settings: Settings, handlers: Mapping[str, Handler]) -> dict[str, CommandHandler]:
    """The commands of this machine's configuration, or `ConfigError` with what is wrong with one."""
    attempts = settings.jobs.default_attempts
    commands = {
        key: CommandHandler(key, command, default_attempts=attempts) for key, command in settings.commands.items()
    }
    server_uid = _server_uid(settings)
    for key, command in commands.items():
        if key in handlers:
            raise ConfigError(f"commands.{key}: a job in code already has this key")
        if problems := command.problems(server_uid=server_uid):
            raise ConfigError(f"commands.{key} cannot run here: {'; '.join(problems)}")
        for warning in command.warnings():
            log.warning(f"commands.{key}: {warning}")
    return commands


def _server_uid(settings: Settings) -> int | None:
    if not any(command.user for command in settings.commands.values()):
        return None
    from headrace.db.embedded.account import server_uid  # loaded where a command has a user of its own

    return server_uid(settings.data_dir)


def echo_line(line: LogLine) -> None:
    """What a job printed, for people; what it logged goes through `logging` anyway."""
    if line.stream != LOG:
        log.info(line.message, job_id=str(line.job_id), stream=STREAMS[line.stream])
