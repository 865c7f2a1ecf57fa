"""Running a worker process in the foreground: signals in, an orderly end out."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from headrace.app import Headrace
from headrace.app.serve.serve import upkeep
from headrace.cli.startup.garbage_collector import tame_garbage_collection
from headrace.log import get_logger
from headrace.worker.process.base import Process
from headrace.worker.process.database_worker import WorkerProcess
from headrace.worker.process.http_worker import HttpWorkerProcess
from headrace.worker.process.patience import patiently

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


def log_configuration(hr: Headrace) -> None:
    """Which file the settings come from: another than expected is found in the log of the start."""
    log.info("configuration read", file=str(hr.settings_file or "none"))


async def serve_worker(
    hr: Headrace,
    *,
    announce: bool = False,
    after_start: Callable[[], Awaitable[None]] | None = None,
    beside: Callable[[Headrace], AbstractAsyncContextManager[None]] | None = None,
    waits: bool = False,
) -> None:
    """Open the application and work until a signal; a second signal ends the process at once.

    With `waits` a database that is away is waited for; otherwise it is an error.
    """
    async with opened(hr) if waits else hr, beside(hr) if beside else nullcontext():
        told = await _run(WorkerProcess(hr, announce=announce), after_start)
        if beside is not None and not told.is_set():
            log.info("worker drained; the API and the scheduler continue until a signal")
            async with upkeep(hr):
                await told.wait()
    log.info("process stopped")


@asynccontextmanager
async def opened(hr: Headrace) -> AsyncIterator[None]:
    """The application open for the block; a database that is away is waited for."""
    await patiently("open the database", hr.__aenter__)
    try:
        yield
    finally:
        await hr.__aexit__()


async def serve_http_worker(hr: Headrace, url: str, token: str) -> None:
    """Work for a server until a signal; no database is opened."""
    await _run(HttpWorkerProcess(hr, url, token))
    log.info("process stopped")


async def _run(process: Process, after_start: Callable[[], Awaitable[None]] | None = None) -> asyncio.Event:
    """Until the worker has ended; what is given is set by a signal, and not when an operator drained it."""
    told = _obey_signals(process)
    log.info("worker started", **process.serves())
    tame_garbage_collection()
    running = asyncio.create_task(process.run())
    ready = asyncio.create_task(process.worker.ready.wait())
    await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    if not running.done() and after_start is not None:
        await after_start()
    await running
    return told


def _obey_signals(process: Process) -> asyncio.Event:
    loop = asyncio.get_running_loop()
    told = asyncio.Event()

    def obey(number: int) -> None:
        if told.is_set():
            log.warning("process ended by a second signal")
            os._exit(128 + number)
        told.set()
        log.info("shutdown started; a second signal ends the process at once", signal=signal.Signals(number).name)
        process.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, obey, number)
    if sys.stdin is not None and sys.stdin.isatty():
        loop.add_signal_handler(signal.SIGHUP, obey, signal.SIGHUP)  # the terminal is gone
    else:
        loop.add_signal_handler(signal.SIGHUP, process.reload_commands)
    return told
