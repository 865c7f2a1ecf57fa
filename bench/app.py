"""The application under measurement: a handler that does nothing."""

from __future__ import annotations

import time

from headrace import Headrace

hr = Headrace(app="bench")
started: dict[int, float] = {}


@hr.job
async def noop(text: str = "", number: int = 0) -> None:
    """Does nothing, and notes when."""
    if number:
        started[number] = time.perf_counter()
