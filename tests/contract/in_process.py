"""Handlers with `isolation="process"`, in a child of the worker."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from tests.contract.way import Way
from tests.worker.running import set_up

from headrace import Context, Headrace
from headrace.db.connect import Connection

hr = Headrace(app="contract")


class InProcess(Way):
    """Can do all that a contract asks for."""

    name = "process"
    crashed = "the handler's process was killed by signal 9"

    async def prepare(self, url: str, connection: Connection) -> Headrace:
        return set_up(hr, url, shutdown_timeout_s=0.1)

    async def clean_up(self, connection: Connection) -> None:
        hr._settings = None

    async def is_gone(self, mark: str, connection: Connection) -> bool:
        return not Path(f"/proc/{mark}").exists()


@hr.job(isolation="process")
def succeed(n: int) -> dict[str, int]:
    return {"double": 2 * n}


@hr.job(isolation="process", max_attempts=1)
def fail() -> None:
    raise ValueError("it broke")


@hr.job(isolation="process")
def recover(ctx: Context) -> str:
    if ctx.attempt == 1:
        raise ValueError("it broke")
    return "recovered"


@hr.job(isolation="process", max_attempts=1, timeout=0.5)
def slow() -> None:
    time.sleep(3600)


@hr.job(isolation="process")
def hang() -> None:
    print("started", os.getpid())
    time.sleep(3600)


@hr.job(isolation="process", max_attempts=1)
def crash() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@hr.job(isolation="process", max_attempts=1)
def large(size: int) -> str:
    return "x" * size


@hr.job(isolation="process")
def talk(count: int) -> None:
    for number in range(1, count + 1):
        print("line", number)


@hr.job(isolation="process")
def leak(password: str) -> dict[str, Any]:
    print("the password is", password)
    return {"password_was": password}


@hr.job(isolation="process", max_attempts=1)
def leak_and_fail(password: str) -> None:
    print("the password is", password)
    raise ValueError(f"it broke with {password}")
