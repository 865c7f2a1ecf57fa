"""What makes triggers fire: a scheduler for times and a dispatcher for events. Any number of either may run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from headrace.db.connect import Connection
from headrace.db.link import Link
from headrace.triggers.compute import compute_due_times
from headrace.triggers.dispatch import Turns, dispatch_events
from headrace.triggers.fire import BATCH as TRIGGERS
from headrace.triggers.fire import fire_due, fire_pending
from headrace.triggers.rules import Rules
from headrace.triggers.watch_events import set_armed
from headrace.worker.maintenance.loop import Loop, Watched

# After arming, look again at once and soon: an emit that saw us unarmed may not have committed yet.
LOOKS = (0.0, 0.05, 0.25, 1.0)


class Scheduler(Watched):
    """Fires what is due whenever it is woken."""

    def __init__(self, link: Link, *, then: Callable[[], None]) -> None:
        super().__init__(link, then=then)
        self._rules = Rules()

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            done = await self._until_short(compute_due_times, conn)
            done += await self._until_short(fire_pending, conn)
            done += await self._until_short(fire_due, conn)
        if done:
            self._then()
        return None

    async def _until_short(self, step: Callable[[Connection, Rules], Awaitable[int]], conn: Connection) -> int:
        """Batch after batch, until one is not full."""
        done = 0
        while True:
            n = await step(conn, self._rules)
            done += n
            if n < TRIGGERS:
                return done


class Dispatcher(Loop):
    """Hands events to their triggers whenever it is woken."""

    interval = 60.0

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self._rules = Rules()
        self._turns = Turns()
        self._looks: Iterator[float] = iter(())

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            batches = await self._dispatch_all(conn)
            # Also after one batch: whoever said that it was busy may have been killed since.
            if batches > 0:
                await set_armed(conn, armed=True)
            if batches > 1:
                self._looks = iter(LOOKS)
        return next(self._looks, None)

    async def _dispatch_all(self, conn: Connection) -> int:
        """Batch after batch; from the second on we are busy, and emits need not wake anyone."""
        batches = 0
        while await dispatch_events(conn, self._rules, turns=self._turns):
            batches += 1
            if batches >= 2:
                await set_armed(conn, armed=False)
        return batches
