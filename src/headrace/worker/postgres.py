"""The default transport: straight to PostgreSQL."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

import asyncpg

from headrace.db.connect import Connection, Endpoint
from headrace.db.link import DatabaseAway, Link
from headrace.logs.write import write_lines
from headrace.model.job import ClaimedJob, Terms
from headrace.model.log_line import LogLine
from headrace.model.outcome import Released
from headrace.model.transition import Transition
from headrace.pause import pause_for
from headrace.queue.claim import claim_jobs, fetch_claimed, list_held, list_lanes, list_tenants
from headrace.queue.finish import finish_attempts
from headrace.queue.lease import (
    WorkerIdentity,
    list_cancel_requests,
    register_worker,
    renew_lease,
    set_armed,
    set_definitions,
    stop_worker,
    write_progress,
)
from headrace.worker.database_clock import DatabaseClock
from headrace.worker.transport import Beat, Fence, OutcomeRefused, Pulse, TransportAway

LARGEST_CLAIM = 1000
LANES_GOOD_FOR = 5.0
RECONCILE_EVERY = 10.0
# After arming, look again at once and soon: an enqueue that saw us unarmed may not have committed yet.
LOOKS = (0.0, 0.05, 0.25)
# Among a worker's definitions: whatever SQL job there is. No definition can have this key.
SQL_JOBS = "*sql"


class PostgresTransport:
    """One worker's connections, and what it remembers of lanes and tenants."""

    def __init__(self, endpoint: Endpoint, who: WorkerIdentity, *, poll_interval: float = 1.0) -> None:
        self._who = who
        self._poll_interval = poll_interval
        self._claim_link = Link(endpoint, "claim")
        self._finish_link = Link(endpoint, "finish")
        self._log_link = Link(endpoint, "logs")
        self._clock = DatabaseClock()
        self._heartbeat_link: Link | None = None
        self._endpoint = endpoint
        self._lanes: dict[int, Terms] = {}
        self._lanes_read_at = float("-inf")
        self._tenants: dict[int, str] = {}
        self._armed = False
        self._who_changed = False
        self._found_work = False
        self._woken = asyncio.Event()
        self._reconcile_at = 0.0
        self.worker_id = 0

    async def register(self) -> None:
        async with self._using(self._claim_link) as conn:
            self.worker_id = await register_worker(conn, self._who)
            self._heard(await renew_lease(conn, worker_id=self.worker_id, running=0))
        self._armed = False

    # -- claim

    async def claim(
        self, *, limit: int, suspects: int, held: Callable[[], Collection[Fence]], wait: float
    ) -> list[ClaimedJob]:
        self._woken.clear()  # before the first wait: what the caller asks for is as of now
        async with self._using(self._claim_link) as conn:
            await self._reconcile(conn, held)
            limit = min(limit, LARGEST_CLAIM)
            jobs = await self._take(conn, limit, suspects)
            if jobs:
                # The second claim in a row that finds work: busy, so enqueues need not wake us. A lone job costs
                # no write for arming.
                if self._found_work:
                    await self._arm(conn, armed=False)
            else:
                jobs = await self._wait_for_work(conn, limit, suspects, wait)
            self._found_work = bool(jobs)
            return jobs

    async def _wait_for_work(self, conn: Connection, limit: int, suspects: int, wait: float) -> list[ClaimedJob]:
        was_armed = self._armed
        await self._arm(conn, armed=True)
        until = time.monotonic() + wait
        looks = iter(() if was_armed else LOOKS)
        while True:
            pause = min(next(looks, self._poll_interval), until - time.monotonic())
            if pause < 0:
                return []
            await pause_for(self._woken, pause)
            woken = self._woken.is_set()
            self._woken.clear()
            jobs = await self._take(conn, limit, suspects)
            if jobs or woken:
                return jobs

    async def _take(self, conn: Connection, limit: int, suspects: int) -> list[ClaimedJob]:
        await self._read_lanes(conn)
        held = await claim_jobs(conn, worker_id=self.worker_id, lanes=list(self._lanes), limit=limit, suspects=suspects)
        if not held:
            return []
        if any(h.tenant_id not in self._tenants for h in held):
            self._tenants = await list_tenants(conn)
        return await fetch_claimed(conn, held, terms=self._lanes, tenants=self._tenants)

    async def _read_lanes(self, conn: Connection) -> None:
        now = time.monotonic()
        if now - self._lanes_read_at < LANES_GOOD_FOR:
            return
        # Before reading: a change that is told while we read makes us read again.
        self._lanes_read_at = now
        try:
            if self._who_changed:
                self._who_changed = False
                await set_definitions(conn, worker_id=self.worker_id, definitions=self._who.definitions)
            self._lanes = await list_lanes(
                conn, queues=self._who.queues, definitions=self._who.definitions, sql=SQL_JOBS in self._who.definitions
            )
        except BaseException:
            self._lanes_read_at = float("-inf")
            raise

    async def _arm(self, conn: Connection, *, armed: bool) -> None:
        if self._armed != armed and not self._endpoint.pooled:
            await set_armed(conn, worker_id=self.worker_id, armed=armed)
            self._armed = armed

    async def _reconcile(self, conn: Connection, held: Callable[[], Collection[Fence]]) -> None:
        """Give back what the database says we hold and we do not know: a claim whose reply was lost."""
        now = time.monotonic()
        if now < self._reconcile_at:
            return
        known = held()
        unknown = [fence for fence in await list_held(conn, worker_id=self.worker_id) if fence not in known]
        if unknown:
            await finish_attempts(conn, worker_id=self.worker_id, transitions=[_release(f) for f in unknown])
        self._reconcile_at = now + RECONCILE_EVERY

    def wake(self) -> None:
        self._woken.set()

    def serve(self, definitions: tuple[str, ...]) -> None:
        """Claim these from now on."""
        self._who = replace(self._who, definitions=definitions)
        self._who_changed = True
        self.lanes_changed()

    def lanes_changed(self) -> None:
        """Read the lanes again before the next claim."""
        self._lanes_read_at = float("-inf")
        self._woken.set()

    # -- the other verbs

    async def heartbeat(self, beat: Beat) -> Pulse:
        if self._heartbeat_link is None:
            # Made here, on the loop of the thread that beats.
            self._heartbeat_link = Link(self._endpoint, "heartbeat")
        if beat.last:
            await self._heartbeat_link.close()
            return Pulse(live=True)
        worker_id = self.worker_id
        async with self._using(self._heartbeat_link) as conn:
            if not self._heard(await renew_lease(conn, worker_id=worker_id, running=beat.running)):
                # Unless the worker has come back under another id meanwhile, whom this does not concern.
                return Pulse(live=worker_id != self.worker_id)
            if beat.progress:
                await write_progress(conn, beat.progress)
            stop = await list_cancel_requests(conn, worker_id=self.worker_id) if beat.running else ()
            return Pulse(live=True, stop=stop)

    async def finish(self, transitions: Sequence[Transition]) -> set[Fence]:
        try:
            async with self._using(self._finish_link) as conn:
                return await finish_attempts(conn, worker_id=self.worker_id, transitions=transitions)
        except (asyncpg.PostgresError, ValueError) as error:
            raise OutcomeRefused(f"{type(error).__name__}: {error}") from error

    async def write_logs(self, lines: Sequence[LogLine]) -> set[Fence]:
        async with self._using(self._log_link) as conn:
            return await write_lines(conn, self.worker_id, lines)

    def now(self) -> datetime:
        return self._clock.now()

    def _heard(self, now: datetime | None) -> bool:
        if now is not None:
            self._clock.set(now)
        return now is not None

    async def close(self) -> None:
        with contextlib.suppress(TransportAway):
            async with self._using(self._claim_link) as conn:
                # What is still ours now is not running: a claim whose reply was lost, an outcome that was not written.
                self._reconcile_at = 0.0
                await self._reconcile(conn, set)
                await stop_worker(conn, worker_id=self.worker_id)
        await self._claim_link.close()
        await self._finish_link.close()
        await self._log_link.close()

    @asynccontextmanager
    async def _using(self, link: Link) -> AsyncIterator[Connection]:
        try:
            async with link.use() as conn:
                yield conn
        except DatabaseAway as error:
            if link is self._claim_link:
                self._reconcile_at = 0.0
                self._armed = False
            raise TransportAway(str(error)) from error


def _release(fence: Fence) -> Transition:
    job_id, run = fence
    return Transition(job_id, run, "released", None, False, error=Released("its claim's reply was lost").reason)
