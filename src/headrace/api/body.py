"""Bodies are bounded before anything parses them: size, depth and the length of numbers."""

from __future__ import annotations

import json
import re
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.api.problem import problem_response

DEEPEST = 64
LONGEST_NUMBER = 400

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % (LONGEST_NUMBER + 1))
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


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
                return body, refuse_json(body)

    def _too_large(self) -> tuple[int, str, str]:
        return 413, "body_too_large", f"a request has at most {self._largest:,} bytes"


def refuse_json(body: bytes) -> tuple[int, str, str] | None:
    """Why a body must not be parsed, or nothing. In a few passes over its bytes, without building anything."""
    if _SURROGATE.search(body) and not _is_unicode(body):
        return 422, "not_unicode", "the body has half of a surrogate pair, which is no text"
    if body.count(b"[") + body.count(b"{") <= DEEPEST and len(body) <= LONGEST_NUMBER:
        return None
    bare = _STRINGS.sub(b"", body)
    if _LONG_NUMBER.search(bare):
        return 422, "number_too_long", f"numbers have at most {LONGEST_NUMBER} digits"
    brackets = bare.translate(None, _ALL_BUT_BRACKETS)
    for _ in range(DEEPEST):
        if not brackets:
            return None
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    # What is left is deeper, or not balanced, which the parser would find too.
    return (422, "too_deep", f"JSON may be nested {DEEPEST} deep") if brackets else None


def _is_unicode(body: bytes) -> bool:
    """Whether what is escaped comes in pairs; a body that is no JSON is the parser's affair."""
    try:
        json.dumps(json.loads(body), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    except (ValueError, RecursionError):
        return True
    return True


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
