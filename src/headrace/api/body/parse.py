"""JSON parsed beside the event loop when there is much of it."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from json import scanner
from typing import Any

from headrace.api.body.read import Body

# Parsed on the loop up to here, in about a millisecond.
LARGE = 64 * 1024
# `json.loads` holds the interpreter's lock for its whole call: up to 40 ms for as many values, on a busy machine.
MANY_VALUES = 50_000


async def parse(body: Body, turn: asyncio.Semaphore) -> Any:
    """Its value, or what `json.loads` raises. A body of many values takes its time, and lets others run meanwhile.

    `turn` is the caller's, so that each caller has one body in the line before the parser.
    """
    if len(body.content) <= LARGE:
        return _parse(body)
    async with turn:
        return await asyncio.get_running_loop().run_in_executor(_beside(), _parse, body)


def _parse(body: Body) -> Any:
    # Only UTF-8, for the bounds were looked for in its bytes.
    text = body.content.decode("utf-8-sig")
    return json.loads(text, cls=_YieldingDecoder if body.values > MANY_VALUES else None)


class _YieldingDecoder(json.JSONDecoder):
    """The decoder of the standard library in Python instead of C: it passes on the lock every few milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined] # it is not in the stubs


@cache
def _beside() -> ThreadPoolExecutor:
    # One at a time: two would wait for each other's lock, and hold twice the memory.
    return ThreadPoolExecutor(1, "headrace-json")
