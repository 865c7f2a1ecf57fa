"""The body of a request, read within bounds: its size, its time, what all bodies hold together, and its JSON."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from starlette.datastructures import Headers
from starlette.types import Message, Receive

from headrace.api.body.memory import Holding
from headrace.errors import BadRequest, HeadraceError
from headrace.model.payload.json_bounds import PIECE, JsonBounds

# A body has this long, and longer as long as it comes at least this fast.
SECONDS = 30.0
STRANGERS_SECONDS = 10.0
SLOWEST_BYTES_A_SECOND = 32 * 1024


class BodyTooLarge(HeadraceError):
    """The body is too large."""

    code, status = "body_too_large", 413


class BodyTooSlow(HeadraceError):
    """The body did not arrive in time: send the body faster, or send a smaller one."""

    code, status = "body_too_slow", 408


class Compressed(HeadraceError):
    """The body is compressed, which is not supported: send the body uncompressed."""

    code, status = "unsupported_encoding", 415


class NotJson(HeadraceError):
    """The body has no JSON content type: send `Content-Type: application/json` with the body."""

    code, status = "unsupported_media_type", 415


class Body:
    """A body that is complete, and whose JSON is safe to parse."""

    def __init__(self, content: bytes = b"", values: int = 0) -> None:
        self.content, self.values = content, values


async def read_body(
    receive: Receive, headers: Headers, *, largest: int, holding: Holding, seconds: float = SECONDS
) -> Body:
    """All of it, or what is wrong with it as soon as that is known: the rest is then left unread."""
    _refuse_headers(headers, largest)
    bounds = JsonBounds()
    parts: list[bytes] = []
    size, began = 0, time.monotonic()
    while True:
        message = await _receive(receive, seconds_left(seconds, size, time.monotonic() - began))
        if message["type"] == "http.disconnect":
            raise BadRequest("the request ended before its body was complete")
        part = message.get("body", b"")
        size += len(part)
        if size > largest:
            raise _too_large(largest)
        holding.take(len(part))
        await _check(bounds, part)
        parts.append(part)
        if not message.get("more_body", False):
            bounds.finish()
            return Body(b"".join(parts), bounds.values)


def refuse_other_media(headers: Headers) -> None:
    """`NotJson` for a body that is said to be something else, or nothing."""
    if not announces_body(headers):
        return
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise NotJson(f"the body's content type is {kind!r}: send Content-Type: application/json" if kind else None)


def announces_body(headers: Headers) -> bool:
    """Whether one comes."""
    return headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in headers


def _refuse_headers(headers: Headers, largest: int) -> None:
    if headers.get("Content-Encoding", "identity") != "identity":
        raise Compressed
    length = headers.get("Content-Length", "0")
    if length.isdigit() and int(length) > largest:
        raise _too_large(largest)


def seconds_left(seconds: float, size: int, passed: float) -> float:
    """For the next part of a body, of which so much has come in the time that has passed."""
    return seconds + size / SLOWEST_BYTES_A_SECOND - passed


async def _receive(receive: Receive, seconds: float) -> Message:
    try:
        async with asyncio.timeout(seconds):
            return await receive()
    except TimeoutError:
        raise BodyTooSlow from None


async def _check(bounds: JsonBounds, part: bytes) -> None:
    """Piece by piece, with everybody else in between."""
    for n, piece in enumerate(_pieces(part)):
        if n:
            await asyncio.sleep(0)
        bounds.feed(piece)


def _pieces(part: bytes) -> Iterator[bytes]:
    return (part[at : at + PIECE] for at in range(0, len(part), PIECE))


def _too_large(largest: int) -> BodyTooLarge:
    return BodyTooLarge(f"the body of this request has at most {largest:,} bytes")
