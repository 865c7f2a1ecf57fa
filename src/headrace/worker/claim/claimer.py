"""The claimer: one fetch for all free places at once, with a little ahead when jobs are short."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque

from headrace.aio import wait_for_event
from headrace.log import get_logger
from headrace.model.job.outcome import Released
from headrace.model.job.record import ClaimedJob
from headrace.model.job.transition import decide
from headrace.worker.backoff import Backoff
from headrace.worker.claim.prefetch import Prefetch
from headrace.worker.claim.quarantine import Quarantine, patience_with
from headrace.worker.claim.round_robin import round_robin
from headrace.worker.claim.slots import Slots
from headrace.worker.run.finisher import Finisher
from headrace.worker.run.runner import Runner
from headrace.worker.transport.interface import Fence, Transport, TransportAway

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
        self._prefetch = Prefetch()
        self._quarantine = Quarantine()
        self._room = asyncio.Event()
        self._stopping = False
        self._last_started = 0.0

    async def run(self) -> None:
        """Claim until told to stop."""
        backoff = Backoff()
        while not self._stopping:
            if self._slots.suspects:
                await self._run_suspect(self._slots.suspects[0])
                continue
            free = self._slots.free
            if free <= 0 or (room := free - len(self._slots.waiting) + self._ahead()) <= 0:
                await self._wait_for_room()
                continue
            try:
                await self._claim(room)
                backoff.reset()
            except TransportAway as error:
                log.warning("claim delayed", error=str(error))
                await backoff.pause()
            except Exception:
                log.exception("claim failed")
                await backoff.pause()

    def stop(self) -> None:
        """Claim no more; a claim under way returns."""
        self._stopping = True
        self._transport.wake()
        self._room.set()

    def run_ended(self) -> None:
        """A place is free: start what waits, or claim."""
        self._prefetch.ended(1, time.monotonic())
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
        self._give_back(self._slots.waiting)
        self._give_back(self._slots.suspects)

    def _give_back(self, waiting: deque[ClaimedJob]) -> None:
        while waiting:
            job = waiting.popleft()
            self._finisher.put(decide(job, Released("fetched ahead and not started"), 0.0))

    async def _claim(self, room: int) -> None:
        rest = self._quarantine.rest(time.monotonic())
        if rest:
            jobs = await self._claim_without_suspects(room, 0.0 if self._slots.empty else min(rest, LONGEST_WAIT))
        elif self._quarantine.fence in self._slots.running:
            jobs = await self._claim_without_suspects(room, LONGEST_WAIT)
        else:
            jobs = await self._transport.claim(limit=room, suspects=1, held=self._held, wait=LONGEST_WAIT)
        self._slots.take(jobs)
        if any(job.terms.fair for job in jobs):
            self._slots.waiting = round_robin(self._slots.waiting)
        self.fill()

    async def _claim_without_suspects(self, room: int, wait: float) -> list[ClaimedJob]:
        jobs = await self._transport.claim(limit=room, suspects=0, held=self._held, wait=wait)
        if not jobs and self._slots.empty:
            self._quarantine.nobody_else()
        return jobs

    # -- suspects

    async def _run_suspect(self, job: ClaimedJob) -> None:
        """Others end first and nothing starts beside it, both for a bounded time: a crash is then its own."""
        await self._until_alone(self._quarantine.take(job, time.monotonic()))
        if self._stopping or not self._slots.suspects:  # it goes back, or this worker was called lost
            return
        if self._slots.free > 0:
            self._runner.start(self._slots.suspects.popleft())
            await self._until_ended(time.monotonic() + patience_with(job))
        else:  # others take every place, and long: it could run elsewhere meanwhile
            self._give_back(self._slots.suspects)
        self._quarantine.end(time.monotonic())

    async def _until_alone(self, until: float) -> None:
        """Nothing runs or waits beside the suspect, and every outcome is written: whoever looks then sees it alone."""
        while (self._slots.running or self._slots.waiting) and not self._stopping and time.monotonic() < until:
            await self._wait_for_room()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, until - time.monotonic())):
                await self._finisher.drained()

    async def _until_ended(self, until: float) -> None:
        while self._quarantine.fence in self._slots.running and not self._stopping:
            self._room.clear()
            if not await wait_for_event(self._room, max(0.0, until - time.monotonic())):
                return

    async def _wait_for_room(self) -> None:
        self._room.clear()
        if await wait_for_event(self._room, STALE_AFTER):
            return
        # Nothing ended for a while: what was fetched ahead could run elsewhere meanwhile.
        if self._slots.waiting and time.monotonic() - self._last_started >= STALE_AFTER:
            self._give_back(self._slots.waiting)

    def _ahead(self) -> int:
        return self._prefetch.fetch_ahead(time.monotonic())

    def _held(self) -> set[Fence]:
        return {*self._slots.fences(), *self._finisher.fences()}
