"""The default transport: straight to PostgreSQL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

import asyncpg

from headrace.db.connect import PASSING, Connection, Endpoint
from headrace.db.link import COMMAND_TIMEOUT, DatabaseAway, Link
from headrace.db.sqlstate import data_can_cause
from headrace.log import get_logger
from headrace.logs.write import write_lines
from headrace.model.job.record import ClaimedJob
from headrace.model.job.transition import Transition
from headrace.model.log.line import LogLine
from headrace.queue.finish import UNREADABLE_AFTER, finish_attempts
from headrace.queue.lease import (
    Renewed,
    WorkerIdentity,
    list_cancel_requests,
    note_standstill,
    register_worker,
    renew_lease,
    set_definitions,
    stop_worker,
    write_progress,
)
from headrace.worker.claim.claim_session import ClaimSession
from headrace.worker.process.patience import missing
from headrace.worker.transport.database_clock import DatabaseClock
from headrace.worker.transport.interface import Beat, Fence, OutcomeRefused, Pulse, TransportAway

log = get_logger("headrace.worker")
RECONCILE_EVERY = 10.0
GOODBYE_SECONDS = 10.0


class PostgresTransport:
    """One worker's connections, and what it remembers of its claims."""

    def __init__(
        self,
        endpoint: Endpoint,
        who: WorkerIdentity,
        *,
        poll_interval: float = 1.0,
        unreadable_after: float = UNREADABLE_AFTER,
    ) -> None:
        self._who = who
        self._unreadable_after = unreadable_after
        self._who_changed = False
        self._claim_link = Link(endpoint, "claim")
        self._finish_link = Link(endpoint, "finish")
        self._log_link = Link(endpoint, "logs")
        self._clock = DatabaseClock()
        self._heartbeat_link: Link | None = None
        self._endpoint = endpoint
        self._reconcile_at = 0.0
        self.claims = ClaimSession(
            lambda: self._using(self._claim_link), poll_interval=poll_interval, arms=not endpoint.pooled
        )

    @property
    def worker_id(self) -> int:
        """Under which id it is registered now."""
        return self.claims.worker_id

    async def register(self) -> None:
        try:
            async with self._using(self._claim_link) as conn:
                worker_id = await register_worker(conn, self._who)
                self._heard(await renew_lease(conn, worker_id=worker_id, running=0))
        except PASSING as error:
            raise TransportAway(f"{type(error).__name__}: {error}") from error
        except asyncpg.SyntaxOrAccessError as error:
            raise missing("register", error) from error
        self.claims.registered(worker_id)

    # -- claim

    async def claim(
        self, *, limit: int, suspects: int, held: Callable[[], Collection[Fence]], wait: float
    ) -> list[ClaimedJob]:
        await self._reconcile(held)
        if self._who_changed:
            await self._tell_definitions()
        return await self.claims.claim(limit=limit, suspects=suspects, wait=wait)

    async def _reconcile(self, held: Callable[[], Collection[Fence]]) -> None:
        now = time.monotonic()
        if now < self._reconcile_at:
            return
        await self.claims.release_unknown(held())
        self._reconcile_at = now + RECONCILE_EVERY

    async def _tell_definitions(self) -> None:
        self._who_changed = False
        try:
            async with self._using(self._claim_link) as conn:
                await set_definitions(
                    conn, worker_id=self.worker_id, definitions=self._who.definitions, schemas=self._who.schemas
                )
        except BaseException:
            self._who_changed = True
            raise
        self.claims.lanes_changed()

    def wake(self) -> None:
        self.claims.wake()

    def serve(self, definitions: tuple[str, ...], schemas: Mapping[str, str]) -> None:
        """Claim these from now on."""
        self._who = replace(self._who, definitions=definitions, schemas=schemas)
        self._who_changed = True
        self.claims.wake()

    def lanes_changed(self) -> None:
        """Read the lanes again before the next claim."""
        self.claims.lanes_changed()

    # -- the other verbs

    async def heartbeat(self, beat: Beat) -> Pulse:
        if self._heartbeat_link is None:
            # Made here, on the loop of the thread that beats.
            # A connection cut without a word is given up while there is time for another.
            within = min(self._who.lease.total_seconds() / 3, COMMAND_TIMEOUT)
            self._heartbeat_link = Link(self._endpoint, "heartbeat", within=within)
        if beat.last:
            await self._heartbeat_link.close()
            return Pulse(live=True)
        worker_id = self.worker_id
        async with self._using(self._heartbeat_link) as conn:
            renewed = await renew_lease(conn, worker_id=worker_id, running=beat.running, memory_bytes=beat.memory_bytes)
            if renewed is None and beat.stood_still is not None:
                await note_standstill(conn, worker_id=worker_id, seconds=beat.stood_still)
            if renewed is None or not self._heard(renewed):
                # Unless the worker has come back under another id meanwhile, whom this does not concern.
                return Pulse(live=worker_id != self.worker_id)
            if beat.progress:
                await write_progress(conn, beat.progress)
            stop = await list_cancel_requests(conn, worker_id=self.worker_id) if beat.running else ()
            return Pulse(live=True, stop=stop, drain=renewed.drain)

    async def finish(self, transitions: Sequence[Transition]) -> set[Fence]:
        try:
            async with self._using(self._finish_link) as conn:
                refused = await finish_attempts(
                    conn, worker_id=self.worker_id, transitions=transitions, unreadable_after=self._unreadable_after
                )
        except (asyncpg.PostgresError, ValueError) as error:
            problem = f"{type(error).__name__}: {error}"
            raise (OutcomeRefused if data_can_cause(error) else TransportAway)(problem) from error
        self.claims.ended(ended.job_id for ended in transitions)
        if any(ended.final is None and not ended.delay for ended in transitions):
            self.claims.wake()  # also where no notification comes, as behind a pooler
        return refused

    async def write_logs(self, lines: Sequence[LogLine]) -> set[Fence]:
        async with self._using(self._log_link) as conn:
            return await write_lines(conn, self.worker_id, lines)

    def now(self) -> datetime:
        return self._clock.now()

    def _heard(self, renewed: Renewed | None) -> bool:
        if renewed is not None:
            self._clock.set(renewed.now)
        return renewed is not None

    async def close(self) -> None:
        try:
            async with asyncio.timeout(GOODBYE_SECONDS):  # a database that stands still must not keep us
                # What is still ours now is not running: a claim whose reply was lost, an outcome that was not written.
                await self.claims.release_all()
                async with self._using(self._claim_link) as conn:
                    await stop_worker(conn, worker_id=self.worker_id)
        except Exception as error:  # the lease runs out by itself, and a rescue frees what is left
            log.warning("sign-off of the worker failed", error=f"{type(error).__name__}: {error}")
        await asyncio.gather(self._claim_link.close(), self._finish_link.close(), self._log_link.close())

    @asynccontextmanager
    async def _using(self, link: Link) -> AsyncIterator[Connection]:
        try:
            async with link.use() as conn:
                yield conn
        except DatabaseAway as error:
            if link is self._claim_link:
                self._reconcile_at = 0.0
                self.claims.forget()
            raise TransportAway(str(error)) from error
