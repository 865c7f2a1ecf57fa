"""Server-sent events that show they are alive when there is nothing to say."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

from fastapi.sse import format_sse_event

from headrace.errors import HeadraceError, TooMany

HEARTBEAT_SECONDS = 15.0
# For proxies that would gather what is meant to arrive at once.
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def event(data: Any, *, name: str | None = None, place: str | None = None) -> bytes:
    """One event, its data as JSON in one line; a reader resumes from its place."""
    return format_sse_event(data_str=json.dumps(data, default=str), event=name, id=place)


async def with_heartbeats(
    events: AsyncGenerator[bytes, None], still_allowed: Callable[[], Awaitable[object]]
) -> AsyncIterator[bytes]:
    """The same events, with a comment whenever none came for a while.

    Ends them when its reader goes, and, with an event `refused`, when that one may no longer read.
    """
    coming = _await_next(events)
    checked_at = time.monotonic()
    try:
        while True:
            done, _ = await asyncio.wait({coming}, timeout=HEARTBEAT_SECONDS)
            if time.monotonic() - checked_at >= HEARTBEAT_SECONDS:
                with suppress(TooMany):  # it asks for nothing new
                    await still_allowed()
                checked_at = time.monotonic()
            message = coming.result() if done else format_sse_event(comment="alive")
            if message is None:
                return
            yield message
            coming = _await_next(events) if done else coming
    except HeadraceError as error:
        yield event({"code": error.code, "detail": str(error)}, name="refused")
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
        await events.aclose()


def _await_next(events: AsyncGenerator[bytes, None]) -> asyncio.Task[bytes | None]:
    async def following() -> bytes | None:
        return await anext(events, None)

    return asyncio.create_task(following(), name="headrace stream")
