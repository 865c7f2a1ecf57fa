"""Waiting with a bound."""

from __future__ import annotations

import time

SHORTEST_PAUSE = 0.002
LONGEST_PAUSE = 0.05
GROWTH = 1.2


class Patience:
    """A bound on waiting for something that can only be looked at again and again."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._pause = SHORTEST_PAUSE
        self.renew()

    def renew(self) -> None:
        """Begin the bound anew, since there was progress."""
        self._deadline = time.monotonic() + self.seconds

    def lasts(self) -> bool:
        """Pause, each time a little longer, and tell whether it is worth looking again."""
        if time.monotonic() > self._deadline:
            return False
        time.sleep(self._pause)
        self._pause = min(self._pause * GROWTH, LONGEST_PAUSE)
        return True
