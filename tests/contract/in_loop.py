"""Async handlers, in the worker's own loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.contract.way import Way
from tests.worker.running import app_on

from headrace import Context, Headrace
from headrace.db.connect import Connection


class InLoop(Way):
    """There is no process to kill: the worst a handler can do is to raise what ends programs."""

    name = "async"
    crashed = "SystemExit"

    def __init__(self) -> None:
        self.running: set[str] = set()

    async def prepare(self, url: str, connection: Connection) -> Headrace:
        hr = app_on(url, "contract", shutdown_timeout_s=0.1)
        often: list[Callable[..., Any]] = [succeed, recover, self.hang, talk, leak]
        once: list[Callable[..., Any]] = [fail, crash, large, leak_and_fail]
        for handler in often:
            hr.job()(handler)
        for handler in once:
            hr.job(max_attempts=1)(handler)
        hr.job(max_attempts=1, timeout=0.5)(slow)
        return hr

    async def hang(self, ctx: Context) -> None:
        mark = str(ctx.job_id)
        self.running.add(mark)
        try:
            print("started", mark)
            await asyncio.Event().wait()
        finally:
            self.running.discard(mark)

    async def is_gone(self, mark: str, connection: Connection) -> bool:
        return mark not in self.running


async def succeed(n: int) -> dict[str, int]:
    return {"double": 2 * n}


async def fail() -> None:
    raise ValueError("it broke")


async def recover(ctx: Context) -> str:
    if ctx.attempt == 1:
        raise ValueError("it broke")
    return "recovered"


async def slow() -> None:
    await asyncio.Event().wait()


async def crash() -> None:
    raise SystemExit(7)


async def large(size: int) -> str:
    return "x" * size


async def talk(count: int) -> None:
    for number in range(1, count + 1):
        print("line", number)


async def leak(password: str) -> dict[str, Any]:
    print("the password is", password)
    return {"password_was": password}


async def leak_and_fail(password: str) -> None:
    print("the password is", password)
    raise ValueError(f"it broke with {password}")
