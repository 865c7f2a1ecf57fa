"""The application that the worker processes of these tests run: its handlers block on files and kill."""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path

from tests.waiting import PATIENCE, until

from headrace import Context, Headrace
from headrace.worker.maintenance.maintenance import Rescuer

# A rescuer looks every 7 seconds or so; the tests would wait longer for it than for all else.
Rescuer.interval = 0.5

hr = Headrace(app="tests.chaos.world.jobs")


@hr.job(max_attempts=5)
async def noop(n: int = 0) -> None:
    """Nothing, as fast as possible."""


@hr.job(max_attempts=5)
async def hold(ctx: Context, folder: str, patience: float = PATIENCE) -> int:
    """Says that it runs, and returns its run's number when it may."""
    here = Path(folder)
    (here / f"started-{ctx.fencing_token}").write_text(str(os.getpid()))
    await until("the handler may return", (here / f"release-{ctx.fencing_token}").exists, patience=patience)
    (here / f"returned-{ctx.fencing_token}").write_text(str(os.getpid()))
    return ctx.fencing_token


@hr.job(max_attempts=1)
def grip(pipe: str) -> None:
    """Holds the GIL until somebody writes into the pipe."""
    reading = os.open(pipe, os.O_RDWR)
    ctypes.PyDLL(None).read(reading, ctypes.create_string_buffer(1), 1)


@hr.job(max_attempts=3)
async def poison() -> None:
    """Takes its worker with it."""
    os.kill(os.getpid(), signal.SIGKILL)
