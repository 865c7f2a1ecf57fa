"""Which processes of a tree stand still: stopped by a signal, and not continued between two looks."""

from __future__ import annotations

import time
from typing import NamedTuple

from . import kernel, tree
from .orders import FOR_EVER

LOOK_EVERY = 2.0
LEISURE = 50  # of a large tree: looking takes no more than a fiftieth of the time
MOST_NAMED = 5
MOST_SAID = 100


class Look(NamedTuple):
    """What a look has found: whether the command itself stands still, and what is to be said of what it started."""

    command_stands: bool = False
    note: str | None = None


class Stills:
    """Looks at a tree from time to time, where the kernel can be asked."""

    def __init__(self) -> None:
        self.next_look = time.monotonic() + LOOK_EVERY if kernel.LINUX else FOR_EVER
        self._stopped: dict[int, int] = {}
        self._told: set[int] = set()
        self._left_to_say = MOST_SAID

    def look(self, command: int, pids: list[int], now: float) -> Look:
        """The second look in a row at a process that was stopped, and has not run since the first, tells."""
        stopped = tree.stopped(pids)
        still = {pid for pid, switches in stopped.items() if self._stopped.get(pid) == switches}
        self._stopped = stopped
        self.next_look = time.monotonic() + max(LOOK_EVERY, LEISURE * (time.monotonic() - now))
        return Look(command in still, self._note(still - {command}))

    def _note(self, still: set[int]) -> str | None:
        """Each is told of once; a note without a process says that all go on, or have ended."""
        fresh, told = sorted(still - self._told), self._told
        self._told = still
        if fresh and self._left_to_say:
            self._left_to_say -= 1
            named = ", ".join(f"{pid} ({tree.name(pid)})" for pid in fresh[:MOST_NAMED])
            return named + (f" and {len(fresh) - MOST_NAMED} others" if len(fresh) > MOST_NAMED else "")
        return "" if told and not still and self._left_to_say else None
