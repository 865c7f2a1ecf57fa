"""Sync handlers, in threads of the worker."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tests.contract.way import Way
from tests.worker.handlers import wait_for_cancel
from tests.worker.running import app_on

from headrace import Context, Headrace
from headrace.db.connect import Connection


class InThread(Way):
    """Nothing ends a thread from outside, so these handlers look at their context; a timeout's error says so."""

    name = "thread"
    crashed = "KeyboardInterrupt"
    timed_out = "timed out after 0.5 s; its thread cannot be ended"

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

    def hang(self, ctx: Context) -> None:
        mark = str(threading.get_ident())
        self.running.add(mark)
        print("started", mark)
        wait_for_cancel(ctx)
        self.running.discard(mark)

    async def is_gone(self, mark: str, connection: Connection) -> bool:
        return mark not in self.running


def succeed(n: int) -> dict[str, int]:
    return {"double": 2 * n}


def fail() -> None:
    raise ValueError("it broke")


def recover(ctx: Context) -> str:
    if ctx.attempt == 1:
        raise ValueError("it broke")
    return "recovered"


def slow(ctx: Context) -> None:
    wait_for_cancel(ctx)


def crash() -> None:
    raise KeyboardInterrupt


def large(size: int) -> str:
    return "x" * size


def talk(count: int) -> None:
    for number in range(1, count + 1):
        print("line", number)


def leak(password: str) -> dict[str, Any]:
    print("the password is", password)
    return {"password_was": password}


def leak_and_fail(password: str) -> None:
    print("the password is", password)
    raise ValueError(f"it broke with {password}")
