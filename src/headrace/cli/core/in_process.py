"""The API without a server: the ASGI application in this very process, over the configured database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import unquote

from headrace.cli.core.api import Api, Reply

HOST = ("in-process", 80)


class InProcessClient:
    """Calls an application; what it sends is read as it comes, and may be a stream without an end."""

    place = "the database"

    def __init__(self, app: Any, tenant: str | None = None) -> None:
        self._app = app
        self._headers = [(b"host", HOST[0].encode())]
        if tenant is not None:
            self._headers.append((b"x-headrace-tenant", tenant.encode()))

    @asynccontextmanager
    async def send(
        self, method: str, target: str, body: bytes | None = None, *, endless: bool = False
    ) -> AsyncIterator[Reply]:
        """The answer to a request, open until the block ends."""
        exchange = Exchange(body or b"")
        exchange.task = asyncio.create_task(exchange.serve(self._app, self._scope(method, target, body)))
        try:
            head = await exchange.next()
            headers = dict(head["headers"])
            yield Reply(head["status"], headers.get(b"content-type", b"").decode(), exchange.parts())
        finally:
            await exchange.leave()

    def _scope(self, method: str, target: str, body: bytes | None) -> dict[str, Any]:
        path, _, query = target.partition("?")
        about_body = [(b"content-type", b"application/json"), (b"content-length", str(len(body or b"")).encode())]
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": self._headers if body is None else [*self._headers, *about_body],
            "server": HOST,
            "client": ("127.0.0.1", 0),
        }


class Exchange:
    """A request under way."""

    def __init__(self, body: bytes) -> None:
        self._request: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]
        self._sent: asyncio.Queue[Any] = asyncio.Queue(maxsize=100)
        self._gone = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def serve(self, app: Any, scope: dict[str, Any]) -> None:
        """Run the application; an error of its own is handed on."""
        try:
            await app(scope, self._receive, self._sent.put)
        except Exception as error:
            await self._sent.put(error)
        await self._sent.put(None)

    async def next(self) -> Any:
        """The next thing that it sends; none at the end."""
        message = await self._sent.get()
        if isinstance(message, Exception):
            raise message
        return message

    async def parts(self) -> AsyncIterator[bytes]:
        """The body, as it comes."""
        while (message := await self.next()) is not None:
            yield message.get("body", b"")
            if not message.get("more_body", False):
                return

    async def leave(self) -> None:
        """Nobody reads any more."""
        self._gone.set()
        if self.task is not None and not self.task.done():
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)

    async def _receive(self) -> dict[str, Any]:
        if self._request:
            return self._request.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}


@asynccontextmanager
async def local_api(*, tenant: str | None = None, config: str | None = None) -> AsyncIterator[Api]:
    """The API over the configured database, as the system."""
    from headrace.cli.core.runtime import local_runtime
    from headrace.cli.startup.fastapi_import import create_app
    from headrace.service.principal import SYSTEM

    async with local_runtime(config) as runtime:
        app = create_app(runtime, identify=lambda _request: SYSTEM, lazy=True)
        try:
            yield Api(InProcessClient(app, tenant))
        finally:
            await app.stop()
