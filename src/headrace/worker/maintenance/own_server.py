"""What each process that shares an embedded server does: start it again, and free what is held by who is gone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from headrace.db.connect import Connection
from headrace.db.link import Link
from headrace.errors import EmbeddedServerError
from headrace.log import get_logger
from headrace.queue.rescue import mark_gone_workers, rescue_jobs
from headrace.worker.maintenance.loop import Loop

if TYPE_CHECKING:
    from headrace.db.embedded import EmbeddedServer  # loaded by who has no server of their own

log = get_logger("headrace.worker")
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0


async def rescue_gone(use: Callable[[], AbstractAsyncContextManager[Connection]], embedded: EmbeddedServer) -> None:
    """Free what workers held whose process is gone; asks the database nothing while all are there."""
    with embedded.gone() as processes:
        if not processes:
            return
        async with use() as conn:
            for lost in await mark_gone_workers(conn, processes):
                log.warning("worker lost: its process is gone", worker=lost.name, worker_id=lost.id)
            while rescued := await rescue_jobs(conn):
                log.warning("jobs rescued from lost workers", jobs=len(rescued))


class Undertaker(Loop):
    """Notices within a second that a worker's process is gone, long before its lease is over."""

    interval = 1.0

    def __init__(self, link: Link, embedded: EmbeddedServer) -> None:
        super().__init__()
        self._link = link
        self._embedded = embedded

    async def tick(self) -> float | None:
        await rescue_gone(self._link.use, self._embedded)
        return None


class Reviver(Loop):
    """Starts the server again when all its processes are gone; ever more seldom while it does not stay up."""

    interval = 1.0

    def __init__(self, embedded: EmbeddedServer) -> None:
        super().__init__()
        self._embedded = embedded
        self._pause = FIRST_PAUSE
        self._revived_at = 0.0

    async def tick(self) -> float | None:
        if not self._embedded.is_down():
            if time.monotonic() - self._revived_at > LONGEST_PAUSE:
                self._pause = FIRST_PAUSE
            return None
        try:
            if await asyncio.to_thread(self._embedded.revive):
                log.error("embedded PostgreSQL restarted", see=str(self._embedded.log))
        except EmbeddedServerError as error:
            log.error("restart of the embedded PostgreSQL failed", error=str(error))
        self._revived_at = time.monotonic()
        pause, self._pause = self._pause, min(LONGEST_PAUSE, self._pause * 2)
        return pause
