"""One HTTP server for a test process, on a loop in a thread of its own; it serves each test's database in turn."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any, NamedTuple, TypeVar

import uvicorn
from tests.worker.settings import settings_for

from headrace import Headrace
from headrace.api.app import create_app
from headrace.app.serve.serve import upkeep
from headrace.config import Settings
from headrace.db.database import Database
from headrace.model.secret.encryption import SecretBox
from headrace.service import Service

T = TypeVar("T")


class Access(NamedTuple):
    """Where a worker finds its server, and what opens the door."""

    url: str
    token: str


class Switched:
    """The runtime that the API stands on: whichever application is open now."""

    def __init__(self) -> None:
        self.hr: Headrace | None = None

    @property
    def database(self) -> Database:
        assert self.hr is not None, "no test's database is served now"
        return self.hr.database

    @property
    def settings(self) -> Settings:
        assert self.hr is not None
        return self.hr.settings

    def secret_box(self) -> SecretBox:
        assert self.hr is not None
        return self.hr.secret_box()


class SharedServer:
    """Started by the first test that wants it, and there until the process ends."""

    def __init__(self) -> None:
        self.runtime = Switched()
        self._app = create_app(self.runtime)
        self._loop = asyncio.new_event_loop()
        self._sock = socket.create_server(("127.0.0.1", 0))
        self._open: AsyncExitStack | None = None
        self._of: str | None = None
        self._access: Access | None = None
        threading.Thread(target=self._serve, name="test server", daemon=True).start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        config = uvicorn.Config(self._app, lifespan="off", log_config=None, access_log=False)
        server = uvicorn.Server(config)
        server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
        self._loop.run_until_complete(server.serve(sockets=[self._sock]))

    def on(self, database_url: str) -> Access:
        """Serve that database from now on, with schedules and rescues."""
        if self._of != database_url:
            self.leave()
            self._access = self.call(self._begin(database_url))
            self._of = database_url
        assert self._access is not None
        return self._access

    def leave(self) -> None:
        """Let go of whatever database is served."""
        if self._of is not None:
            self._of = None
            self.call(self._leave())

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on the server's loop, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def _begin(self, database_url: str) -> Access:
        self._open = AsyncExitStack()
        hr = Headrace(app="server")
        hr._settings = settings_for(database_url)
        await self._open.enter_async_context(hr)
        await self._open.enter_async_context(upkeep(hr))
        self.runtime.hr = hr
        made = await Service(hr).tokens.create("tests", "worker")
        host, port = self._sock.getsockname()
        return Access(f"http://{host}:{port}", made.token)

    async def _leave(self) -> None:
        assert self._open is not None
        await self._app.stop()
        self.runtime.hr = None
        await self._open.aclose()


_SHARED: list[SharedServer] = []
_WANTED: list[bool] = [False]


def server() -> SharedServer:
    """That of this process."""
    if not _SHARED:
        _SHARED.append(SharedServer())
    return _SHARED[0]


def is_wanted() -> bool:
    """Whether the test that runs now is about workers over HTTP."""
    return _WANTED[0]


@contextmanager
def workers_over_http() -> Iterator[None]:
    """Within the block `worker_of` makes workers over HTTP."""
    _WANTED[0] = True
    try:
        yield
    finally:
        _WANTED[0] = False
        if _SHARED:
            _SHARED[0].leave()
