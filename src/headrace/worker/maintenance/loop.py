"""One loop for all periodic work: tick, sleep, and carry on whatever happens."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from headrace.aio import wait_for_event
from headrace.db.link import DatabaseAway, Link
from headrace.log import get_logger
from headrace.worker.backoff import Backoff

log = get_logger("headrace.worker")


class Loop:
    """Calls `tick` every `interval` seconds, give or take `jitter`, and at once when woken."""

    interval: float = 10.0
    jitter: float = 0.0

    def __init__(self) -> None:
        self._woken = asyncio.Event()

    async def tick(self) -> float | None:
        """Do the work once; may say how many seconds to sleep instead of the interval."""
        raise AssertionError(f"{type(self).__name__} has no tick")

    def wake(self) -> None:
        """Tick now."""
        self._woken.set()

    async def run(self) -> None:
        """Tick for ever; trouble is logged and waited out."""
        backoff = Backoff()
        while True:
            self._woken.clear()
            try:
                sleep = await self.tick()
                backoff.reset()
            except DatabaseAway as error:
                log.warning(f"{type(self).__name__.lower()} delayed", error=str(error))
                await backoff.pause()
                continue
            except Exception:
                log.exception(f"{type(self).__name__.lower()} failed")
                await backoff.pause()
                continue
            pause = self.interval if sleep is None else sleep
            chance = random.uniform(1 - self.jitter, 1 + self.jitter)  # noqa: S311 - no secret
            await wait_for_event(self._woken, pause * chance)


class Watched(Loop):
    """Ticks when the watch says that something may be due; afterwards `then` has the watch look again."""

    interval = 60.0

    def __init__(self, link: Link, *, then: Callable[[], None]) -> None:
        super().__init__()
        self._link = link
        self._then = then


@asynccontextmanager
async def running(loops: Iterable[Loop]) -> AsyncIterator[None]:
    """The loops beside the block; none is left after it."""
    tasks = [asyncio.create_task(loop.run()) for loop in loops]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
