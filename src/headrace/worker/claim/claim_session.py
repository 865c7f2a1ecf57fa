"""Claiming for one worker: the lanes it serves, the sleep it can be woken from, and what it holds unawares."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from uuid import UUID

from headrace.aio import wait_for_event
from headrace.db.connect import Connection
from headrace.log import get_logger
from headrace.model.job.outcome import Failed
from headrace.model.job.record import ClaimedJob, Terms
from headrace.model.job.transition import Transition, decide
from headrace.queue.claim import (
    Held,
    Lanes,
    fetch_claimed,
    list_held,
    list_lanes,
    list_released_before,
    list_tenants,
    measure_payloads,
    remove_orphans,
)
from headrace.queue.finish import finish_attempts
from headrace.queue.lease import set_armed
from headrace.worker.claim.gates import Gates
from headrace.worker.claim.response_budget import ResponseBudget
from headrace.worker.transport.interface import Fence

log = get_logger("headrace.worker")
LARGEST_CLAIM = 1000
LANES_GOOD_FOR = 5.0
# After arming, look again at once and soon: an enqueue that saw us unarmed may not have committed yet.
LOOKS = (0.0, 0.05, 0.25)
LOST_REPLY = "the reply to its claim was lost"
UNKNOWN_AGAIN = "claimed twice in a row by a worker that did not know the claim: a reply or an outcome was lost"


class ClaimSession:
    """Holds a connection only while it asks. All that it remembers is to save questions, and may be forgotten."""

    def __init__(
        self,
        use: Callable[[], AbstractAsyncContextManager[Connection]],
        *,
        worker_id: int = 0,
        poll_interval: float = 1.0,
        arms: bool = True,
        alone: bool = True,
        largest_answer: int | None = None,
    ) -> None:
        self.worker_id = worker_id
        self._use = use
        self._poll_interval = poll_interval
        self._arms = arms
        # Whether this is the worker's own process: nobody else arms it, and who wakes it has something to tell it.
        self._alone = alone
        # Where an answer is one message, its size is bounded.
        self._budget = None if largest_answer is None else ResponseBudget(largest_answer, most=LARGEST_CLAIM)
        self._armed = False
        self._found_work = False
        self._lanes = Lanes({}, [])
        self._gates = Gates()
        self._tenants: dict[int, str] = {}
        self._waiting: set[asyncio.Event] = set()
        self.lanes_read_at = float("-inf")

    def registered(self, worker_id: int) -> None:
        """From now on under this id."""
        self.worker_id = worker_id
        self._gates = Gates()
        self.forget()
        self.wake()

    def forget(self) -> None:
        """Whether the worker is armed is not known any more."""
        self._armed = False

    def wake(self) -> None:
        """Whoever waits for work looks at once; a worker that is alone here also stops waiting."""
        self._gates.may_be_open()
        for woken in self._waiting:
            woken.set()

    def ended(self, jobs: Iterable[UUID]) -> None:
        """Jobs of this worker ended, which may have opened a gate."""
        if self._gates.passed.have_ended(jobs):
            self.wake()

    def lanes_changed(self) -> None:
        """Read the lanes again before the next look, which is now."""
        self.lanes_read_at = float("-inf")
        self.wake()

    async def claim(self, *, limit: int, suspects: int, wait: float) -> list[ClaimedJob]:
        """Up to `limit` jobs, of which at most `suspects` are suspect; waits for work up to `wait` seconds."""
        limit = min(limit, LARGEST_CLAIM)
        woken = asyncio.Event()  # before the first look: what comes from now on counts
        self._waiting.add(woken)
        try:
            async with self._use() as conn:
                jobs = await self._look(conn, limit, suspects)
                # The second claim in a row that finds work: busy, so enqueues need not wake us. A lone job costs
                # no write for arming.
                if jobs and self._found_work:
                    await self._arm(conn, armed=False)
            if not jobs and wait > 0:
                jobs = await self._wait_for_work(woken, limit, suspects, wait)
        finally:
            self._waiting.discard(woken)
        self._found_work = bool(jobs)
        return jobs

    async def release_unknown(self, known: Collection[Fence]) -> None:
        """Give back what the database says we hold and we do not know: a claim whose reply was lost.

        A second time in a row is no accident any more: it counts as an attempt, lest the job runs for ever.
        """
        async with self._use() as conn:
            unknown = [fence for fence in await list_held(conn, worker_id=self.worker_id) if fence not in known]
            if not unknown:
                return
            again = await list_released_before(conn, unknown, worker_id=self.worker_id, why=LOST_REPLY)
            for held in again:
                await self._count(conn, held)
            counted = {(held.job_id, held.run) for held in again}
            await self._give_back(conn, [fence for fence in unknown if fence not in counted], LOST_REPLY)

    async def release_all(self) -> None:
        """Give back whatever is still held, because this worker leaves: nothing of it runs any more."""
        async with self._use() as conn:
            held = await list_held(conn, worker_id=self.worker_id)
            await self._give_back(conn, held, "the worker left before the attempt had an outcome")

    async def _count(self, conn: Connection, held: Held) -> None:
        job = ClaimedJob(*held[:4], self._lanes.terms.get(held.lane_id, Terms("")), "", "{}", None, None, "")
        log.error("attempt counted: the job was unknown to its worker twice in a row", **job.about())
        counted = decide(job, Failed(UNKNOWN_AGAIN), random.random())  # noqa: S311 - jitter is no secret
        await finish_attempts(conn, worker_id=self.worker_id, transitions=[counted])

    async def _wait_for_work(self, woken: asyncio.Event, limit: int, suspects: int, wait: float) -> list[ClaimedJob]:
        was_armed = self._armed
        async with self._use() as conn:
            await self._arm(conn, armed=True)
        until = time.monotonic() + wait
        looks = iter(() if was_armed else LOOKS)
        while True:
            pause = min(next(looks, self._poll_interval), until - time.monotonic(), self._gate_opens_in())
            if pause < 0:
                return []
            was_woken = await wait_for_event(woken, pause)
            woken.clear()  # before the look: who wakes us during it has us look again
            async with self._use() as conn:
                jobs = await self._look(conn, limit, suspects)
            if jobs or (was_woken and self._alone):
                return jobs

    async def _look(self, conn: Connection, limit: int, suspects: int) -> list[ClaimedJob]:
        await self._read_lanes(conn)
        lanes = self._lanes  # this one throughout: others may read them again meanwhile
        budget = self._budget
        limit = limit if budget is None else min(limit, budget.jobs)
        held = await self._gates.claim(conn, worker_id=self.worker_id, lanes=lanes, limit=limit, suspects=suspects)
        if budget is not None and held:
            held = await self._cut(conn, budget, held)
        if not held:
            return []
        if any(h.tenant_id not in self._tenants for h in held):
            self._tenants = await list_tenants(conn)
        jobs = await fetch_claimed(conn, held, terms=lanes.terms, tenants=self._tenants)
        if len(jobs) < len(held):
            await self._remove_orphans(conn, held)
            return jobs or await self._look(conn, limit, suspects)
        return jobs

    def _gate_opens_in(self) -> float:
        opens_at = self._gates.opens_at
        return float("inf") if opens_at is None else max(0.001, opens_at - time.monotonic())

    async def _cut(self, conn: Connection, budget: ResponseBudget, held: list[Held]) -> list[Held]:
        """As many as fit into an answer, in order; the others go back, unspent."""
        fitting = budget.cut(await measure_payloads(conn, held))
        rest = [(h.job_id, h.run) for h in held[fitting:]]
        if rest:
            await self._give_back(conn, rest, "the payload did not fit into the response to a claim")
        return held[:fitting]

    async def _give_back(self, conn: Connection, fences: Collection[Fence], why: str) -> None:
        transitions = [Transition(job_id, run, "released", None, False, error=why) for job_id, run in fences]
        await finish_attempts(conn, worker_id=self.worker_id, transitions=transitions)

    async def _remove_orphans(self, conn: Connection, held: Sequence[Held]) -> None:
        for job_id in await remove_orphans(conn, held, worker_id=self.worker_id):
            log.error("job removed from the queue: the job has no record", job_id=str(job_id))

    async def _read_lanes(self, conn: Connection) -> None:
        now = time.monotonic()
        if now - self.lanes_read_at < LANES_GOOD_FOR:
            return
        # Before reading: a change that is told while we read makes us read again.
        self.lanes_read_at = now
        try:
            self._lanes = await list_lanes(conn, worker_id=self.worker_id)
        except BaseException:
            self.lanes_read_at = float("-inf")
            raise

    async def _arm(self, conn: Connection, *, armed: bool) -> None:
        if self._arms and (self._armed != armed or (armed and not self._alone)):
            await set_armed(conn, worker_id=self.worker_id, armed=armed)
            self._armed = armed
