"""What any worker process does for all: promote due jobs, rescue lost ones, keep the tables in shape."""

from __future__ import annotations

import time
from datetime import timedelta

from headrace.db.connect import Endpoint
from headrace.db.link import Link
from headrace.db.upkeep import create_partitions, forget_ended
from headrace.log import get_logger
from headrace.queue.promote import promote_due, seconds_until_due
from headrace.queue.rescue import mark_lost_workers, rescue_jobs
from headrace.worker.loop import Loop

log = get_logger("headrace.worker")
LOCKED_BY_ANOTHER = 0.1


class Promoter(Loop):
    """Queues scheduled jobs when their time comes. Enqueue notifies of what is due sooner than it looks again."""

    def __init__(self, link: Link, *, interval: float) -> None:
        super().__init__()
        self.interval = interval
        self._link = link

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            # One question while nothing is due: an idle worker asks at most twice a second in all.
            due_in = await seconds_until_due(conn)
            if due_in is not None and due_in <= 0:
                # Due and yet not promoted: another session holds it, so look again a little later.
                return 0.0 if await promote_due(conn) else LOCKED_BY_ANOTHER
        return None if due_in is None else min(self.interval, due_in)


class Rescuer(Loop):
    """Takes jobs from workers whose lease ran out; patient after trouble of its own."""

    interval = 7.0
    jitter = 0.25

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self._well_since: float | None = None

    async def tick(self) -> float | None:
        started = time.monotonic()
        if self._well_since is None:
            self._well_since = started
        async with self._link.use() as conn:
            healthy_for = timedelta(seconds=started - self._well_since)
            for lost in await mark_lost_workers(conn, healthy_for=healthy_for):
                log.warning("worker lost", worker=lost.name, worker_id=lost.id)
            while rescued := await rescue_jobs(conn):
                log.warning("jobs rescued from lost workers", jobs=len(rescued))
        return None

    def failed(self) -> None:
        self._well_since = None


class Upkeep(Loop):
    """Makes partitions ahead of time and removes what nobody needs any more."""

    interval = 3600.0
    jitter = 0.1

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            made = await create_partitions(conn)
            if made:
                log.info("partitions made ahead", partitions=made)
            await forget_ended(conn)
        return None


def maintenance_loops(endpoint: Endpoint) -> tuple[list[Loop], Promoter, list[Link]]:
    """The loops of one process, the one among them to wake, and the connections to close."""
    quick, slow = Link(endpoint, "promote"), Link(endpoint, "maintenance")
    promoter = Promoter(quick, interval=2.0 if endpoint.pooled else 5.0)
    return [promoter, Rescuer(slow), Upkeep(slow)], promoter, [quick, slow]
