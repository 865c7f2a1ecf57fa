"""A process that stood still because a handler held the GIL: no thread of it could run, the heartbeat's neither."""

from __future__ import annotations

import asyncio
import resource
import time

STEP = 0.5
# A thread that waits for the GIL wakes up every 5 ms to ask for it. In a process that is stopped nobody does. A fifth
# of these is enough on a busy machine, and far more than a process has while it comes back to itself.
SWITCHES_A_SECOND = 40.0


class Standstill:
    """Runs on the loop of a thread that should always be able to run, and notices when it could not."""

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._seconds = 0.0
        self._ended_at = -lease

    async def watch(self) -> None:
        """Look for ever whether a short sleep is long."""
        while True:
            began, switches = time.monotonic(), _switches()
            await asyncio.sleep(STEP)
            late = time.monotonic() - began - STEP
            if late >= self._lease / 2 and _switches() - switches >= late * SWITCHES_A_SECOND:
                self._seconds, self._ended_at = late, time.monotonic()

    def lately(self) -> float | None:
        """For how many seconds nobody could run, if that ended less than a lease ago."""
        return self._seconds if time.monotonic() - self._ended_at < self._lease and self._seconds else None


def _switches() -> int:
    """How often this thread has waited, or where that is not known, all threads of the process."""
    return resource.getrusage(getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)).ru_nvcsw
