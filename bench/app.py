"""The application under measurement: a handler that does nothing."""

from __future__ import annotations

import asyncio
import time

from headrace import Headrace

hr = Headrace(app="bench")
started: dict[int, asyncio.Future[float]] = {}


@hr.job
async def narrow() -> None:
    """Has a limit, where a scenario sets one."""


@hr.job
async def noop(text: str = "", number: int = 0) -> None:
    """Does nothing, and notes when."""
    if number:
        started[number].set_result(time.perf_counter())
