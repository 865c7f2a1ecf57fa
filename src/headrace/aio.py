"""Waiting for an event for so long and no longer, without ever losing a cancellation."""

from __future__ import annotations

import asyncio


async def wait_for_event(event: asyncio.Event, seconds: float) -> bool:
    """Whether the event came in time.

    Not `asyncio.wait_for`: in Python 3.11 it swallows a cancellation that comes together with the event, and whoever
    cancelled waits for ever.
    """
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
