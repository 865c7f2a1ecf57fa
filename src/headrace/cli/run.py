"""Running a worker process in the foreground: signals in, an orderly end out."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext

from headrace.app import Headrace
from headrace.app.process import Process
from headrace.app.work import WorkerProcess
from headrace.app.work_http import HttpWorkerProcess
from headrace.cli.garbage import tame_garbage_collection
from headrace.log import get_logger

log = get_logger("headrace")


def run_loop(work: Awaitable[None]) -> None:
    """Run on uvloop where there is one."""

    async def main() -> None:
        await work

    try:
        import uvloop
    except ImportError:
        asyncio.run(main())
    else:
        uvloop.run(main())


async def serve_worker(
    hr: Headrace,
    *,
    announce: bool = False,
    after_start: Callable[[], Awaitable[None]] | None = None,
    beside: Callable[[Headrace], AbstractAsyncContextManager[None]] | None = None,
) -> None:
    """Open the application and work until a signal; a second signal ends the process at once."""
    async with hr, beside(hr) if beside else nullcontext():
        await _run(WorkerProcess(hr, announce=announce), after_start)
    log.info("stopped")


async def serve_http_worker(hr: Headrace, url: str, token: str) -> None:
    """Work for a server until a signal; no database is opened."""
    await _run(HttpWorkerProcess(hr, url, token))
    log.info("stopped")


async def _run(process: Process, after_start: Callable[[], Awaitable[None]] | None = None) -> None:
    _obey_signals(process)
    log.info("this worker serves", **process.serves())
    tame_garbage_collection()
    running = asyncio.create_task(process.run())
    ready = asyncio.create_task(process.worker.ready.wait())
    await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    if not running.done() and after_start is not None:
        await after_start()
    await running


def _obey_signals(process: Process) -> None:
    loop = asyncio.get_running_loop()
    asked = False

    def obey(number: int) -> None:
        nonlocal asked
        if asked:
            log.warning("a second signal: ending at once")
            os._exit(128 + number)
        asked = True
        log.info("stopping; signal again to end at once", signal=signal.Signals(number).name)
        process.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, obey, number)
    if sys.stdin is not None and sys.stdin.isatty():
        loop.add_signal_handler(signal.SIGHUP, obey, signal.SIGHUP)  # the terminal is gone
    else:
        loop.add_signal_handler(signal.SIGHUP, process.reload_commands)
