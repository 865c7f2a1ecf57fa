"""What an API process does on the side: bulk operations that somebody asked for, here or in a process that is gone."""

from __future__ import annotations

import asyncio

from headrace.aio import wait_for_event
from headrace.log import get_logger
from headrace.service import Service
from headrace.service.session import Runtime

log = get_logger("headrace.api")

# Another process that died in the middle leaves its bulk operations to whoever looks first.
LOOK_EVERY = 5.0


class BulkRunner:
    """Goes on with bulk operations, one batch after the other, until there are none."""

    def __init__(self, runtime: Runtime) -> None:
        self._service = Service(runtime)
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look now and then, for as long as the loop runs."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="headrace bulk operations")

    def wake(self) -> None:
        """Somebody asked for one: look now."""
        self.start()
        self._woken.set()

    async def stop(self) -> None:
        """What is not done stays for the next process."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self._service.operations.run_all()
            except Exception as error:
                log.warning("bulk operations delayed", error=f"{type(error).__name__}: {error}")
            await wait_for_event(self._woken, LOOK_EVERY)
