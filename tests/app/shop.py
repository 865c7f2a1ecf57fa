"""A small application, and a worker for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from tests.waiting import PATIENCE

from headrace import Headrace
from headrace.worker.process.database_worker import WorkerProcess


def make_shop(url: str) -> Headrace:
    """Declares `add`, which adds, and `refuse`, which fails."""
    hr = Headrace(url, app="shop")
    hr.configure({"jobs.poll_interval_ms": 100})

    @hr.job
    async def add(x: int, y: int = 0) -> int:
        return x + y

    @hr.job(max_attempts=1)
    def refuse() -> None:
        raise RuntimeError("never")

    return hr


@asynccontextmanager
async def working(hr: Headrace) -> AsyncIterator[None]:
    """A worker beside the block, on an application that is open."""
    process = WorkerProcess(hr)
    running = asyncio.create_task(process.run())
    ready = asyncio.create_task(process.worker.ready.wait())
    await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    try:
        yield
    finally:
        process.stop()
        await running


@contextmanager
def working_in_a_thread(url: str) -> Iterator[None]:
    """The same for a block without an event loop."""
    ready, done = threading.Event(), threading.Event()

    async def work() -> None:
        async with make_shop(url) as hr, working(hr):
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=asyncio.run, args=[work()])
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield
    finally:
        done.set()
        thread.join()
