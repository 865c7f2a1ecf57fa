"""A worker process without a database: all that it knows of jobs it hears from a Headrace server."""

from __future__ import annotations

from typing import Any, Protocol

from headrace.log import get_logger
from headrace.model.definition import Definition
from headrace.worker.process.base import Declares, Process
from headrace.worker.transport.http import HttpTransport
from headrace.worker.transport.wire import declaration

log = get_logger("headrace.worker")


class DeclaresDefinitions(Protocol):
    """The definitions that an application has declared."""

    def declared(self) -> list[Definition]: ...


class HttpWorkerApp(Declares, Protocol):
    """An application, which need not be open."""

    @property
    def app(self) -> str: ...

    @property
    def registry(self) -> DeclaresDefinitions: ...


class HttpWorkerProcess(Process):
    """What `headrace worker --url` runs. Schedules, rescues and SQL jobs are the server's affair."""

    _transport: HttpTransport

    def __init__(
        self,
        app: HttpWorkerApp,
        url: str,
        token: str,
        *,
        concurrency: int | None = None,
        queues: tuple[str, ...] | None = None,
        announce: bool = False,
    ) -> None:
        super().__init__(app, concurrency=concurrency, queues=queues)
        self._app = app
        app.registry.declared()  # a key that is missing is said before anything starts
        self._transport = HttpTransport(url, token, self._identity(), declared=self._declared)
        self.worker = self._make_worker(announce=announce)

    async def _sync_commands(self) -> None:
        """The server hears of them when the worker says what it serves."""

    async def run(self) -> None:
        await self.worker.run()

    def serves(self) -> dict[str, object]:
        return {**super().serves(), "sql_jobs": "not over HTTP: workers with a database login run them"}

    def _declared(self) -> list[dict[str, Any]]:
        """The app's own definitions, and this machine's commands: others may have other ones, so none is gone."""
        ours = self._app.registry.declared()
        declarations = [declaration(self._app.app, ours, complete=bool(ours))]
        if self._commands:
            commands = [handler.definition for handler in self._commands.values()]
            declarations.append(declaration("commands", commands, complete=False))
        return declarations
