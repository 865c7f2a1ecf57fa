"""A real server for the API, and a client that reads server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import uvicorn
from tests.waiting import PATIENCE, until


@asynccontextmanager
async def served(asgi: Any, **options: Any) -> AsyncIterator[str]:
    """Serve it on a free port; gives back the address."""
    options = {
        "port": 0,
        "log_config": None,
        "ws": "none",
        "lifespan": "off",
        "timeout_graceful_shutdown": 1,
        **options,
    }
    config = uvicorn.Config(asgi, **options)
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined] # the test's own stay
    serving = asyncio.create_task(server.serve())
    try:
        await until("the server listens", lambda: server.started)
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        yield f"http://{host}:{port}"
    finally:
        server.should_exit = True
        await serving


@dataclass
class Heard:
    """What came over a stream so far."""

    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    last_id: str | None = None
    ended: bool = False

    def jobs(self) -> list[tuple[str, str]]:
        """(id, status) of each job event."""
        return [(data["id"], data["status"]) for name, data in self.events if name == "job"]

    def summaries(self) -> list[dict[str, Any]]:
        """The data of each summary event."""
        return [data for name, data in self.events if name == "summary"]


@asynccontextmanager
async def listening(url: str, token: str, last_id: str | None = None, **headers: str) -> AsyncIterator[Heard]:
    """Listen to the stream for the length of the block."""
    headers["Authorization"] = f"Bearer {token}"
    if last_id is not None:
        headers["Last-Event-ID"] = last_id
    heard = Heard()
    async with (
        httpx.AsyncClient(timeout=PATIENCE) as client,
        client.stream("GET", f"{url}/api/v1/stream", headers=headers) as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        reading = asyncio.create_task(_read(answer, heard))
        try:
            await until("the stream has begun", lambda: bool(heard.events) or reading.done())
            yield heard
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def _read(answer: httpx.Response, heard: Heard) -> None:
    name, data = "", ""
    async for line in answer.aiter_lines():
        key, _, value = line.partition(": ")
        if not line:
            if data:
                heard.events.append((name, json.loads(data)))
            name, data = "", ""
        elif line.startswith(":"):
            heard.comments.append(line)
        elif key == "event":
            name = value
        elif key == "data":
            data += value
        elif key == "id":
            heard.last_id = value
    heard.ended = True
