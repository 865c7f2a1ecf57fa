"""One request straight to the application, which ends once its answer is known; a stream is left at its head."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

from tests.waiting import PATIENCE


class Answer(NamedTuple):
    """What came back; of a stream only its head."""

    status: int
    body: str


async def ask(
    app: Any, method: str, path: str, *, token: str | None = None, body: Any = None, query: str = ""
) -> Answer:
    """Send a request as ASGI has it."""
    headers = [(b"host", b"headrace.test"), (b"content-type", b"application/json")]
    if token is not None:
        headers.append((b"authorization", f"Bearer {token}".encode()))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method.upper(),
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": headers,
        "server": ("headrace.test", 80),
        "client": ("127.0.0.1", 1),
    }
    sent = {"type": "http.request", "body": b"" if body is None else json.dumps(body).encode(), "more_body": False}
    messages: list[Any] = [sent]
    known = asyncio.Event()
    status, parts = 0, []

    async def receive() -> Any:
        if messages:
            return messages.pop()
        await known.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            if any(value.startswith(b"text/event-stream") for _, value in message["headers"]):
                known.set()
        else:
            parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                known.set()

    task = asyncio.create_task(app(scope, receive, send))
    await asyncio.wait({task, asyncio.create_task(known.wait())}, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return Answer(status, b"".join(parts).decode())
