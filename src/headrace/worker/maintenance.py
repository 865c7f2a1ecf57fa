"""What any worker process does for all: promote, fire and dispatch what is due, rescue, count, keep tables in shape."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from headrace.db.connect import Endpoint
from headrace.db.link import Link
from headrace.db.upkeep import create_partitions, forget_ended
from headrace.log import get_logger
from headrace.logs.prune import create_log_partitions, prune_logs
from headrace.queue.promote import promote_due
from headrace.queue.rescue import mark_lost_workers, rescue_jobs
from headrace.rollups.fold import fold_deltas
from headrace.rollups.prune import prune_rollups
from headrace.rollups.sample import sample_queue
from headrace.triggers.prune import prune_events, prune_ledger, prune_windows
from headrace.worker.loop import Loop
from headrace.worker.scheduler import Dispatcher, Scheduler
from headrace.worker.watch import Watch

log = get_logger("headrace.worker")
# An enqueue tells nobody of what is due more than six seconds from now (`_enqueue`), so nobody may sleep for longer.
LONGEST_SLEEP = 5.0
# Where nobody can wake it, it looks for itself.
UNHEARD_SLEEP = 1.0


class Retention(NamedTuple):
    """How long history is kept."""

    ledger: timedelta
    events: timedelta
    logs: timedelta
    rollups: timedelta


class Promoter(Loop):
    """Queues scheduled jobs whose time has come, whenever it is woken."""

    interval = 60.0

    def __init__(self, link: Link, *, then: Callable[[], None]) -> None:
        super().__init__()
        self._link = link
        self._then = then

    async def tick(self) -> float | None:
        promoted = 0
        async with self._link.use() as conn:
            while batch := await promote_due(conn):
                promoted += batch
        if promoted:
            self._then()
        return None


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


class Counter(Loop):
    """Folds what was noted into rollups and samples the queue, whenever it is woken."""

    interval = 60.0

    def __init__(self, link: Link, *, then: Callable[[], None]) -> None:
        super().__init__()
        self._link = link
        self._then = then

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            folded = await fold_deltas(conn, when_due=True)
            sampled = await sample_queue(conn, when_due=True)
        if folded or sampled is not None:
            self._then()
        return None


class Upkeep(Loop):
    """Makes partitions ahead of time and removes what nobody needs any more."""

    interval = 3600.0
    jitter = 0.1

    def __init__(self, link: Link, retention: Retention) -> None:
        super().__init__()
        self._link = link
        self._retention = retention

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            made = await create_partitions(conn)
            if made:
                log.info("partitions made ahead", partitions=made)
            await forget_ended(conn)
            await prune_ledger(conn, keep=self._retention.ledger)
            await prune_events(conn, keep=self._retention.events)
            await prune_windows(conn)
            await create_log_partitions(conn)
            await prune_logs(conn, keep=self._retention.logs)
            await prune_rollups(conn, keep=self._retention.rollups)
        return None


class Maintenance:
    """All of that for one process, with its connections."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        listening: Callable[[], bool],
        scheduler: bool,
        retention: Retention,
        longest_sleep: float = LONGEST_SLEEP,
    ) -> None:
        quick, slow = Link(endpoint, "watch"), Link(endpoint, "maintenance")
        self._links = [quick, slow]
        self.watch = Watch(quick, longest=lambda: min(longest_sleep, LONGEST_SLEEP) if listening() else UNHEARD_SLEEP)
        self.watch.promoter = Promoter(quick, then=self.watch.wake)
        self.watch.counter = Counter(slow, then=self.watch.wake)
        self.loops: list[Loop] = [
            self.watch,
            self.watch.promoter,
            self.watch.counter,
            Rescuer(slow),
            Upkeep(slow, retention),
        ]
        if scheduler:
            fire, dispatch = Link(endpoint, "scheduler"), Link(endpoint, "dispatcher")
            self._links += [fire, dispatch]
            self.watch.scheduler = Scheduler(fire, then=self.watch.wake)
            self.watch.dispatcher = Dispatcher(dispatch)
            self.loops += [self.watch.scheduler, self.watch.dispatcher]

    def notified(self, what: str) -> None:
        """Somebody said that jobs are due, triggers changed or events came; or that anything may have."""
        loop = {"triggers": self.watch.scheduler, "events": self.watch.dispatcher}.get(what, self.watch)
        if loop is not None:
            loop.wake()
            if what == "triggers":
                # Its due time may be known already, or somebody else be computing it: then only the watch can be late.
                self.watch.wake()

    async def close(self) -> None:
        """Give the connections back."""
        for link in self._links:
            await link.close()
