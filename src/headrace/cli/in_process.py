"""An ASGI application as a transport of httpx, whose answers may be streams without an end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx


class InProcess(httpx.AsyncBaseTransport):
    """Calls an application in this very process; what it sends is read as it comes."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = b"".join([part async for part in request.stream])  # type: ignore[union-attr]
        exchange = Exchange(body)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "server": (request.url.host, request.url.port),
            "client": ("127.0.0.1", 0),
        }
        exchange.task = asyncio.create_task(exchange.serve(self._app, scope))
        head = await exchange.next()
        return httpx.Response(head["status"], headers=head["headers"], stream=Parts(exchange))


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


class Parts(httpx.AsyncByteStream):
    """The body, as it comes."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self._exchange.next()) is not None:
            yield message.get("body", b"")
            if not message.get("more_body", False):
                return

    async def aclose(self) -> None:
        await self._exchange.leave()
