"""The claimer: one fetch for all free places at once, with a little ahead when jobs are short."""

from __future__ import annotations

import asyncio
import time

from headrace.log import get_logger
from headrace.model.outcome import Released
from headrace.model.transition import decide
from headrace.pause import pause_for
from headrace.worker.backoff import Backoff
from headrace.worker.finisher import Finisher
from headrace.worker.pace import Pace
from headrace.worker.runner import Runner
from headrace.worker.slots import Slots
from headrace.worker.transport import Fence, Transport, TransportAway
from headrace.worker.turns import take_turns

log = get_logger("headrace.worker")
LONGEST_WAIT = 10.0
STALE_AFTER = 1.0


class Claimer:
    """Keeps the slots full."""

    def __init__(self, transport: Transport, slots: Slots, runner: Runner, finisher: Finisher) -> None:
        self._transport = transport
        self._slots = slots
        self._runner = runner
        self._finisher = finisher
        self._pace = Pace()
        self._room = asyncio.Event()
        self._stopping = False
        self._last_started = 0.0

    async def run(self) -> None:
        """Claim until told to stop."""
        backoff = Backoff()
        while not self._stopping:
            free = self._slots.free
            if free <= 0 or (room := free - len(self._slots.waiting) + self._ahead()) <= 0:
                await self._wait_for_room()
                continue
            try:
                await self._claim(room)
                backoff.reset()
            except TransportAway as error:
                log.warning("cannot claim now", error=str(error))
                await backoff.pause()
            except Exception:
                log.exception("claiming failed, and will be tried again")
                await backoff.pause()

    def stop(self) -> None:
        """Claim no more; a claim under way returns."""
        self._stopping = True
        self._transport.wake()
        self._room.set()

    def run_ended(self) -> None:
        """A place is free: start what waits, or claim."""
        self._pace.ended(1, time.monotonic())
        self.fill()
        self._room.set()

    def fill(self) -> None:
        """Start waiting jobs in free places."""
        waiting = self._slots.waiting
        while waiting and self._slots.free > 0 and not self._stopping:
            self._last_started = time.monotonic()
            self._runner.start(waiting.popleft())

    def give_back_waiting(self) -> None:
        """Jobs fetched ahead that will not start here go back, unspent."""
        while self._slots.waiting:
            job = self._slots.waiting.popleft()
            self._finisher.put(decide(job, Released("fetched ahead and not started"), 0.0))

    async def _claim(self, room: int) -> None:
        jobs = await self._transport.claim(
            limit=room, suspects=0 if self._slots.has_suspect() else 1, held=self._held, wait=LONGEST_WAIT
        )
        self._slots.waiting.extend(jobs)
        if any(job.terms.fair for job in jobs):
            self._slots.waiting = take_turns(self._slots.waiting)
        self.fill()

    async def _wait_for_room(self) -> None:
        self._room.clear()
        if await pause_for(self._room, STALE_AFTER):
            return
        # Nothing ended for a while: what was fetched ahead could run elsewhere meanwhile.
        if self._slots.waiting and time.monotonic() - self._last_started >= STALE_AFTER:
            self.give_back_waiting()

    def _ahead(self) -> int:
        return self._pace.fetch_ahead(time.monotonic())

    def _held(self) -> set[Fence]:
        return {*self._slots.fences(), *self._finisher.fences()}
