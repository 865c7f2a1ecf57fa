"""Waiting for a described condition: the only place in the tests that sleeps."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

PAUSE = 0.01
# Longer than anything takes on a machine with other work. No test is about time, so no test chooses another number.
PATIENCE = 100.0


def wait_until(what: str, condition: Callable[[], bool], *, patience: float = PATIENCE) -> None:
    """Return as soon as the condition holds, and fail with its description when it never does."""
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {patience:g} s in vain until {what}")
        time.sleep(PAUSE)


async def until(what: str, condition: Callable[[], bool | Awaitable[bool]], *, patience: float = PATIENCE) -> None:
    """Do the same without blocking the event loop; the condition may be a coroutine function."""
    deadline = time.monotonic() + patience
    while True:
        holds = condition()
        if inspect.isawaitable(holds):
            holds = await holds
        if holds:
            return
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {patience:g} s in vain until {what}")
        await asyncio.sleep(PAUSE)
