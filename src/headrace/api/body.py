"""Bodies are bounded before anything parses them: size, depth and the length of numbers."""

from __future__ import annotations

import json
import re
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.api.problem import problem_response

DEEPEST = 64
LONGEST_NUMBER = 400
MOST_VALUES = 1_000_000

# Quantifiers that never go back (`++`, `*+`): in one pass, and without a memory of it. No list of all strings is ever
# made: of a body with millions of short ones it would be thirty times as large.
_STRING = rb'"(?:[^"\\]|\\.)*+"'
_STRINGS = re.compile(_STRING, re.DOTALL)
_PIECES = re.compile(rb'(?:[^"]++|%b){1,4096}+' % _STRING, re.DOTALL)
_SHORT_NUMBERS = re.compile(rb'(?:[^"0-9]++|%b|[0-9]{1,%d}+(?![0-9]))*+' % (_STRING, LONGEST_NUMBER), re.DOTALL)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_NO_STRUCTURE = bytes(set(range(256)) - set(b"[]{},"))


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
                return body, refuse_json(body)

    def _too_large(self) -> tuple[int, str, str]:
        return 413, "body_too_large", f"a request has at most {self._largest:,} bytes"


def refuse_json(body: bytes) -> tuple[int, str, str] | None:
    """Why a body must not be parsed, or nothing. In a few passes over its bytes, without building anything."""
    if _has_long_number(body):
        return 422, "number_too_long", f"numbers have at most {LONGEST_NUMBER} digits"
    if body.count(b"[") + body.count(b"{") > DEEPEST or body.count(b",") > MOST_VALUES:
        structure = _structure(body)
        if structure.count(b",") > MOST_VALUES:
            return 422, "too_many_values", f"a body has at most {MOST_VALUES:,} values"
        if _is_too_deep(structure.replace(b",", b"")):
            return 422, "too_deep", f"JSON may be nested {DEEPEST} deep"
    if _SURROGATE.search(body) and not _is_unicode(body):
        return 422, "not_unicode", "the body has half of a surrogate pair, which is no text"
    return None


def _has_long_number(body: bytes) -> bool:
    short = _SHORT_NUMBERS.match(body)
    return short is not None and body[short.end() : short.end() + 1].isdigit()


def _structure(body: bytes) -> bytearray:
    """Its brackets and commas, without those in strings."""
    found = bytearray()
    for piece in _PIECES.finditer(body):
        found += _STRINGS.sub(b"", piece[0]).translate(None, _NO_STRUCTURE)
    return found


def _is_too_deep(brackets: bytearray) -> bool:
    """Deeper, or not balanced, which the parser would find too."""
    for _ in range(DEEPEST):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return bool(brackets)


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
