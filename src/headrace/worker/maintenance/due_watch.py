"""One question for all that waits for its time, so that an idle process asks little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from headrace.db.connect import Connection
from headrace.db.link import Link
from headrace.db.statements import statements
from headrace.worker.maintenance.loop import Loop

SQL = statements(__file__)
FIRST_PAUSE = 0.02
LONGEST_PAUSE = 1.0


class NextDue(NamedTuple):
    """Seconds until there is something to do, by the database's clock; none when nothing is known of."""

    promote: float | None
    fire: float | None
    dispatch: float | None
    tally: float | None
    regate: float | None
    alert: float | None


async def read_next_due(conn: Connection) -> NextDue:
    """What comes next for each of the loops that wait for a time."""
    row = await conn.fetchrow(SQL["look_ahead"])
    return NextDue(*row) if row else NextDue(*[None] * len(NextDue._fields))


class DueWatch(Loop):
    """Wakes the loops whose time has come, and sleeps until the next."""

    def __init__(self, link: Link, *, longest: Callable[[], float]) -> None:
        super().__init__()
        self._link = link
        self._longest = longest
        self._pause = FIRST_PAUSE
        self.promoter: Loop | None = None
        self.scheduler: Loop | None = None
        self.dispatcher: Loop | None = None
        self.counter: Loop | None = None
        self.sweeper: Loop | None = None
        self.alarm: Loop | None = None

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            ahead = await read_next_due(conn)
        waits = [
            (loop, seconds)
            for loop, seconds in zip(self._loops(), ahead, strict=True)
            if loop is not None and seconds is not None
        ]
        return self._wake_or_wait(waits)

    def _loops(self) -> tuple[Loop | None, ...]:
        return self.promoter, self.scheduler, self.dispatcher, self.counter, self.sweeper, self.alarm

    def _wake_or_wait(self, waits: Sequence[tuple[Loop, float]]) -> float:
        due = [loop for loop, seconds in waits if seconds <= 0]
        for loop in due:
            loop.wake()
        # A loop that gets something done wakes us. If none does, another session has it locked: ask less and less.
        self._pause = min(LONGEST_PAUSE, self._pause * 2) if due else FIRST_PAUSE
        pauses = [seconds for _, seconds in waits if seconds > 0]
        return min([self._longest(), *pauses, *([self._pause] if due else [])])
