"""A loop that looks for news while a request of this process waits for them. Without one it asks for nothing."""

from __future__ import annotations

import asyncio
import time

from headrace.log import get_logger
from headrace.service.session import Runtime

log = get_logger("headrace.service")


class Looker:
    """One task serves all that wait, so the cost of a look does not grow with their number."""

    # Seconds between looks, and how long a pause may become.
    every = 1.0
    longest_pause = 10.0
    # A look that takes long is followed by a pause of this many times its length.
    rest = 9.0

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._looking: asyncio.Task[None] | None = None
        self._database: object = None

    def wanted(self) -> bool:
        """Whether a request waits."""
        raise NotImplementedError

    async def look(self) -> None:
        """Find what is new, and hand it out."""
        raise NotImplementedError

    def forget(self) -> None:
        """The looks begin anew, after a time without any."""

    def leave_all(self) -> None:
        """End all that wait: the database is about to be closed."""

    async def stop(self) -> None:
        """No more looks."""
        self.leave_all()
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    def _start(self) -> None:
        """Look from now on, if that is not so already."""
        if self._looking is not None and not self._looking.done():
            return
        database = self._runtime.database
        if self._database is not database:
            self._database = database
            database.closers.append(self.stop)
        self._looking = asyncio.create_task(self._look_while_wanted(), name="headrace look")

    async def _look_while_wanted(self) -> None:
        pause = self.every
        self.forget()
        while self.wanted():
            began = time.monotonic()
            try:
                await self.look()
                pause = min(self.longest_pause, max(self.every, self.rest * (time.monotonic() - began)))
            except Exception as error:
                # Nothing is lost: the next look finds it.
                log.warning("stream delayed", error=f"{type(error).__name__}: {error}")
                pause = min(self.longest_pause, pause * 2)
            await asyncio.sleep(pause)
