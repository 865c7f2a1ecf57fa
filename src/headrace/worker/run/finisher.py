"""The finisher: outcomes written in batches, at once when idle and in groups when busy."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from headrace.log import get_logger
from headrace.model.job.status import JobStatus
from headrace.model.job.transition import Transition
from headrace.model.text import clean
from headrace.worker.backoff import Backoff
from headrace.worker.transport.interface import Fence, OutcomeRefused, Transport, TransportAway

log = get_logger("headrace.worker")
LARGEST_BATCH = 1000
# After a reply that was lost the same outcome is written again, and finds itself there.
NOT_HELD = "the outcome was recorded before, or another worker owns the job now"


class Finisher:
    """Holds outcomes until the control plane has them; an outage costs time, never an outcome."""

    def __init__(self, transport: Transport, *, on_rescheduled: Callable[[], None] = lambda: None) -> None:
        self._transport = transport
        self._on_rescheduled = on_rescheduled
        self._queue: deque[Transition] = deque()
        self._in_flight: Sequence[Transition] = ()
        self._something = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def put(self, transition: Transition) -> None:
        """Take over an outcome."""
        self._queue.append(transition)
        self._something.set()
        self._idle.clear()

    def fences(self) -> list[Fence]:
        """Runs that ended and are not written yet: still held."""
        return [(t.job_id, t.run) for t in (*self._in_flight, *self._queue)]

    def discard(self) -> None:
        """Forget what belongs to a worker that was called lost: others have these jobs now."""
        self._queue.clear()

    async def drained(self) -> None:
        """Wait until everything is written."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write for ever."""
        while True:
            await self._something.wait()
            # One turn of the loop, so that runs that end together are written together.
            await asyncio.sleep(0)
            batch = [self._queue.popleft() for _ in range(min(len(self._queue), LARGEST_BATCH))]
            if batch:
                self._in_flight = batch
                await self._write_through_outages(batch)
                self._in_flight = ()
            if not self._queue:
                self._something.clear()
                self._idle.set()

    async def _write_through_outages(self, batch: Sequence[Transition]) -> None:
        backoff = Backoff()
        while True:
            try:
                await self._write(batch)
                return
            except TransportAway as error:
                log.warning("outcomes delayed", outcomes=len(batch) + len(self._queue), error=str(error))
                await backoff.pause()
            except Exception:
                log.exception("write of outcomes failed", outcomes=len(batch))
                await backoff.pause()

    async def _write(self, batch: Sequence[Transition]) -> None:
        """Write a batch; if the server refuses it, in halves, until what it refuses stands alone."""
        try:
            refused = await self._transport.finish(batch)
        except OutcomeRefused:
            if len(batch) == 1:
                await self._write_alone(batch[0])
                return
            middle = len(batch) // 2
            await self._write(batch[:middle])
            await self._write(batch[middle:])
            return
        self._wrote(batch, refused)

    async def _write_alone(self, transition: Transition) -> None:
        """Once more, for what refused it may have passed meanwhile."""
        try:
            self._wrote([transition], await self._transport.finish([transition]))
        except OutcomeRefused as error:
            await self._write_refused(transition, error)

    def _wrote(self, batch: Sequence[Transition], refused: set[Fence]) -> None:
        for job_id, run in refused:
            log.warning("outcome ignored", job_id=str(job_id), run=run, note=NOT_HELD)
        if any(transition.final is None for transition in batch):
            self._on_rescheduled()

    async def _write_refused(self, transition: Transition, error: OutcomeRefused) -> None:
        """An outcome the server will not store becomes a failure that says so: the job must end."""
        log.error("outcome refused by the database", job_id=str(transition.job_id), error=str(error))
        plain = Transition(
            transition.job_id,
            transition.run,
            "failed",
            JobStatus.FAILED,
            True,
            error=clean(f"the outcome could not be stored: {error}", 1000),
        )
        await self._transport.finish([plain])
