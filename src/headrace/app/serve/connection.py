"""A connection to our server: a deadline for the head of a request, a place among a bounded number, a clean end."""

from __future__ import annotations

import asyncio
import math
import resource
import weakref
from http import HTTPStatus
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from headrace.api.access_log import CALLER, Caller
from headrace.api.problems import problem_response
from headrace.app.serve.places import Places
from headrace.log import get_logger

HEAD_SECONDS = 10.0
# A client that is answered before it has sent everything needs a moment to see the answer: after a reset it might not.
LINGER_SECONDS = 2.0
LINGER_BYTES = 2 * 1024 * 1024
# Files that are no connections of clients: the database, logs, children.
OTHER_FILES = 100
TELL_FULL_EVERY = 60.0

log = get_logger("headrace.serve")


class Connection(H11Protocol):
    """HTTP as uvicorn speaks it. A connection is a stranger's until a request on it is recognised."""

    told_full_at: ClassVar[float] = -math.inf

    def __init__(self, *args: Any, places: Places, head_seconds: float = HEAD_SECONDS, **options: Any) -> None:
        super().__init__(*args, **options)
        self._places, self._head_seconds = places, head_seconds
        self._app, self.app = self.app, self._serve
        self.since = self.loop.time()
        self._head_timer: asyncio.TimerHandle | None = None
        self._heard = False
        self.caller = Caller()

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app({**scope, CALLER: self.caller}, receive, send)

    # -- what comes

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(_Lingering(transport, self))  # type: ignore[arg-type] # all that it uses of one
        self._watch_head()
        if not self._begin():
            detail = "The server has no room for another connection; try again later."
            self._refuse(503, "busy", detail, {"Retry-After": "2"})

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            self.transport.drop(len(data))  # type: ignore[attr-defined] # of ours
            return
        self._heard = True
        super().data_received(data)
        self._watch_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and self.conn.trailing_data[0]:
            self._watch_head()  # a part of the next request has come already

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        self._places.leave(self)
        super().connection_lost(exc)
        self.app = self._app  # without a circle it goes now, and not when garbage is next collected

    def shutdown(self) -> None:
        if self.transport.is_closing():
            self.transport.abort()  # the server goes: no client is waited for
        else:
            super().shutdown()

    # -- the head of a request

    def _watch_head(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._forget_head()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self._head_seconds, self.head_is_late)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    @property
    def waits_for_head(self) -> bool:
        """Whether the head of a request is due."""
        return self._head_timer is not None

    def head_is_late(self) -> None:
        """End the connection, with an answer to what was begun."""
        self._forget_head()
        if self._heard:
            detail = f"The head of the request did not arrive within {self._head_seconds:g} seconds."
            self._refuse(408, "head_too_slow", detail)
        else:
            self.transport.close()  # browsers open connections in advance, and ask for nothing

    def _refuse(self, status: int, code: str, detail: str, headers: dict[str, str] | None = None) -> None:
        """Answer without the application, and close."""
        if self.transport.is_closing():
            return
        answer = problem_response(status, code, detail, headers={"Connection": "close", **(headers or {})})
        head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
        head += [b"%b: %b" % header for header in answer.raw_headers]
        self.transport.write(b"\r\n".join([*head, b"", bytes(answer.body)]))
        self.transport.close()

    # -- a place among many

    @property
    def is_unfinished(self) -> bool:
        """Whether the client is still sending a body."""
        return self.conn.their_state is h11.SEND_BODY

    @property
    def is_idle(self) -> bool:
        """Whether no request waits for its answer."""
        return self.cycle is None or self.cycle.response_complete

    def end(self) -> None:
        """Another needs its place."""
        self.transport.abort()

    def _begin(self) -> bool:
        if self._places.full and self.since - Connection.told_full_at > TELL_FULL_EVERY:
            Connection.told_full_at = self.since
            log.warning("connection limit reached", limit=self._places.most, setting="server.max_connections")
        return self._places.enter(self, self.since)


class _Lingering:
    """A transport whose connection, when it closes in the middle of a request, is read for a moment longer."""

    def __init__(self, transport: asyncio.Transport, connection: Connection) -> None:
        self._transport = transport
        self._connection: Connection = weakref.proxy(connection)  # which holds this
        self._closing = False
        self._dropped = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._closing or self._transport.is_closing()

    def close(self) -> None:
        if self.is_closing():
            return
        self._closing = True
        if not self._connection.is_unfinished:
            self._transport.close()
            return
        self._connection.cycle.body = bytearray()  # what came is dropped, and what comes
        self._connection.flow.resume_reading()
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._connection.loop.call_later(LINGER_SECONDS, self._transport.abort)

    def drop(self, size: int) -> None:
        """So much came after the end. A client that sends on and on is not read for long."""
        self._dropped += size
        if self._dropped > LINGER_BYTES and not self._transport.is_closing():
            self._transport.pause_reading()


def most_connections(wanted: int) -> int:
    """As many as are wanted, where the process may open as many files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - OTHER_FILES))
