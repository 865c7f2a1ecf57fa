"""Waiting for a job's end: notified where possible, polling where not."""

from __future__ import annotations

import asyncio
import contextlib
import time
from datetime import timedelta
from uuid import UUID, uuid4

from headrace.aio import wait_for_event
from headrace.db.database import Database
from headrace.db.listen import Listener
from headrace.errors import NotFound
from headrace.model.job.job import Job
from headrace.queue.read import forget_waiter, get_job, job_status, register_waiter
from headrace.worker.maintenance.own_server import rescue_gone

FIRST_LOOK = 0.05
LONGEST_PAUSE = 1.0
REGISTERED_FOR = timedelta(minutes=10)


class Waiting:
    """Those of one process who wait, with one listener between them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listener: Listener | None = None
        self._waiters: dict[UUID, tuple[UUID, asyncio.Event]] = {}

    async def until_ended(self, job_id: UUID, timeout: float | None) -> Job:
        """The job once it has ended, or `TimeoutError`."""
        waiter_id, event = uuid4(), asyncio.Event()
        self._waiters[waiter_id] = (job_id, event)
        try:
            async with asyncio.timeout(timeout):
                await self._register(job_id, waiter_id)
                await self._look_until_ended(job_id, event)
        except TimeoutError:
            if timeout is None:
                raise  # not ours: the database took too long to answer
            raise TimeoutError(f"job {job_id} has not ended within {timeout:g} s") from None
        finally:
            del self._waiters[waiter_id]
            with contextlib.suppress(Exception):
                async with self._database.pool.acquire() as conn:
                    await forget_waiter(conn, job_id, waiter_id)
        async with self._database.pool.acquire() as conn:
            return await get_job(conn, job_id)

    async def close(self) -> None:
        """Nobody waits any more."""
        if self._listener:
            await self._listener.stop()

    async def _register(self, job_id: UUID, waiter_id: UUID) -> None:
        if self._listener is None:
            self._listener = Listener(self._database.endpoint, {"headrace_ended": self._notified})
            self._listener.start()
        async with self._database.pool.acquire() as conn:
            await register_waiter(conn, job_id, waiter_id, good_for=REGISTERED_FOR)

    async def _look_until_ended(self, job_id: UUID, event: asyncio.Event) -> None:
        pause, started = FIRST_LOOK, time.monotonic()
        while True:
            event.clear()
            async with self._database.pool.acquire() as conn:
                status = await job_status(conn, job_id)
            if status is not None and status.is_final:
                return
            if self._database.embedded is not None and pause == LONGEST_PAUSE:
                # Nobody else may be there to see that the worker was killed.
                await rescue_gone(self._database.pool.acquire, self._database.embedded)
            if status is None and time.monotonic() - started > LONGEST_PAUSE:
                raise NotFound(f'unknown job "{job_id}"')
            await wait_for_event(event, pause)
            pause = min(LONGEST_PAUSE, pause * 2)

    def _notified(self, payload: str) -> None:
        # Without a payload the listener has just come (back), and everyone looks.
        for job_id, event in self._waiters.values():
            if not payload or payload == str(job_id):
                event.set()
