"""Handlers that must live in a module (a child process imports it) or that block on purpose."""

from __future__ import annotations

import os
import time
from typing import Any

from headrace import Cancel, Context, Fail, Headrace, Retry, Snooze

hr = Headrace(app="tests.worker.handlers")


@hr.job(isolation="process")
def add_apart(a: int, b: int) -> dict[str, int]:
    """In a process of its own, which it names."""
    return {"sum": a + b, "pid": os.getpid()}


@hr.job(isolation="process")
async def add_apart_async(a: int, b: int) -> dict[str, int]:
    """The same, async."""
    return {"sum": a + b, "pid": os.getpid()}


@hr.job(isolation="process", max_attempts=1)
def die_apart() -> None:
    """Ends its process, and nobody else's."""
    os._exit(7)


@hr.job(isolation="process", timeout=0.5, max_attempts=1)
def spin_apart() -> None:
    """Never returns: only an end from outside helps."""
    while True:
        time.sleep(0.01)


@hr.job(isolation="process", max_attempts=1)
def refuse_apart(number: int) -> None:
    """Takes a number, whatever was enqueued."""


def block_loop(seconds: float) -> None:
    """What no async handler should do: nothing else runs in this process's loop meanwhile."""
    time.sleep(seconds)


def wait_for_cancel(ctx: Context) -> None:
    """What a sync handler should do: look whether it was asked to stop."""
    while not ctx.canceled:
        time.sleep(0.005)


def asked(what: str) -> Exception:
    """One of the four things that a handler may ask for."""
    answers: dict[str, Any] = {
        "retry": Retry(after=0.05, reason="come back"),
        "snooze": Snooze(0.05, reason="not now"),
        "cancel": Cancel("not wanted"),
        "fail": Fail("never"),
    }
    answer: Exception = answers[what]
    return answer
