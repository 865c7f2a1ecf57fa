"""Bodies are bounded before anything parses them: size, depth and the length of numbers."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.api.problem import problem_response
from headrace.model.json_bounds import find_excess

LARGE = 1_000_000


class BodyLimits:
    """Middleware: reads a request's body whole, refuses what no handler should see, and hands it on."""

    def __init__(self, app: ASGIApp, *, largest: int) -> None:
        self._app = app
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = self._refuse_headers(dict(scope["headers"]))
        body = b""
        if problem is None:
            body, problem = await self._read(receive)
        if problem is not None:
            # The rest of what the client sends is not read: the connection ends with the answer.
            await problem_response(*problem, headers={"Connection": "close"})(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    def _refuse_headers(self, headers: dict[bytes, bytes]) -> tuple[int, str, str] | None:
        if headers.get(b"content-encoding", b"identity") != b"identity":
            return 415, "unsupported_encoding", "send the body as it is, not compressed"
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._largest:
            return self._too_large()
        return None

    async def _read(self, receive: Receive) -> tuple[bytes, tuple[int, str, str] | None]:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b"", (400, "bad_request", "the request ended early")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._largest:
                return b"", self._too_large()
            if not message.get("more_body", False):
                body = b"".join(parts)
                parts.clear()  # what is looked for next takes as much again
                # In a thread where it takes a while, for others would wait.
                problem = refuse_json(body) if size < LARGE else await asyncio.to_thread(refuse_json, body)
                return body, problem

    def _too_large(self) -> tuple[int, str, str]:
        return 413, "body_too_large", f"a request has at most {self._largest:,} bytes"


def refuse_json(body: bytes) -> tuple[int, str, str] | None:
    """Why a body must not be parsed, or nothing."""
    excess = find_excess(body)
    return None if excess is None else (422, *excess)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give the body once, and then what else comes: a disconnect."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        message: dict[str, Any] = {"type": "http.request", "body": body, "more_body": False}
        return message

    return replay
