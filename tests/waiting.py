"""Waiting for a described condition: the only place in the tests that sleeps."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

PAUSE = 0.01


def wait_until(what: str, condition: Callable[[], bool], timeout: float = 20) -> None:
    """Return as soon as the condition holds, and fail with its description when it never does."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout:g} s in vain until {what}")
        time.sleep(PAUSE)


async def until(what: str, condition: Callable[[], bool | Awaitable[bool]], timeout: float = 20) -> None:
    """Do the same without blocking the event loop; the condition may be a coroutine function."""
    deadline = time.monotonic() + timeout
    while True:
        holds = condition()
        if inspect.isawaitable(holds):
            holds = await holds
        if holds:
            return
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout:g} s in vain until {what}")
        await asyncio.sleep(PAUSE)
