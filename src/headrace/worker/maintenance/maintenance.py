"""What any worker process does for all: promote, fire and dispatch what is due, rescue, count, keep tables in shape."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from headrace.alerts.evaluate import evaluate_alerts
from headrace.alerts.prune import prune_alerts, prune_notices
from headrace.db.connect import Connection, Endpoint
from headrace.db.link import COMMAND_TIMEOUT, Link
from headrace.db.upkeep import create_partitions, forget_ended
from headrace.log import get_logger
from headrace.logs.prune import create_log_partitions, prune_logs
from headrace.model.vigil import Vigil
from headrace.queue.ageing import lift_aged
from headrace.queue.forget import forget_full_buckets, forget_unused_lanes
from headrace.queue.promote import promote_due
from headrace.queue.regate import regate_jobs
from headrace.queue.rescue import look, mark_lost_workers, rescue_jobs
from headrace.rollups.fold import fold_deltas
from headrace.rollups.prune import prune_rollups
from headrace.rollups.sample import sample_queue
from headrace.triggers.prune import prune_events, prune_fires, prune_windows
from headrace.worker.maintenance.due_watch import DueWatch
from headrace.worker.maintenance.loop import Loop, Watched
from headrace.worker.maintenance.own_server import Reviver, Undertaker
from headrace.worker.maintenance.scheduler import Dispatcher, Scheduler

if TYPE_CHECKING:
    from headrace.db.embedded import EmbeddedServer

log = get_logger("headrace.worker")
# An enqueue tells nobody of what is due more than six seconds from now (`_insert_jobs`): nobody may sleep for longer.
LONGEST_SLEEP = 5.0
# Where nobody can wake it, it looks for itself.
UNHEARD_SLEEP = 1.0
# A gap of a third of a lease hides whether its worker lives: more than twice as often, for a machine with other work.
LOOKS_FOR_EACH_LEASE = 8
# What is old can wait until whoever just started has found its feet.
PRUNE_AFTER = 60.0


class RetentionAges(NamedTuple):
    """How long history is kept."""

    fires: timedelta
    events: timedelta
    logs: timedelta
    rollups: timedelta


class Promoter(Watched):
    """Queues scheduled jobs whose time has come, whenever it is woken."""

    async def tick(self) -> float | None:
        promoted = 0
        async with self._link.use() as conn:
            while batch := await promote_due(conn):
                promoted += batch
        if promoted:
            self._then()
        return None


class Rescuer(Loop):
    """Takes jobs from workers whose lease ran out, if it had the database in sight meanwhile.

    It looks often enough to tell the silence of the shortest lease from that of a database that stood still.
    """

    interval = 7.0
    jitter = 0.25

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self._vigil = Vigil()

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            for lost in await mark_lost_workers(conn, self._vigil):
                log.warning("worker lost", worker=lost.name, worker_id=lost.id)
            seen = await look(conn)
            self._vigil.looked(seen.at)
            while rescued := await rescue_jobs(conn):
                log.warning("jobs rescued from lost workers", jobs=len(rescued))
        if seen.shortest_lease is None:
            return None
        return min(self.interval, seen.shortest_lease.total_seconds() / LOOKS_FOR_EACH_LEASE)


class Counter(Watched):
    """Folds what was noted into rollups, samples the queue and lifts whoever waits too long, whenever it is woken."""

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            folded = await fold_deltas(conn, when_due=True)
            sampled = await sample_queue(conn, when_due=True)
            if sampled:
                await lift_aged(conn)
        if folded or sampled is not None:
            self._then()
        return None


class Sweeper(Watched):
    """Puts jobs behind the gates of limits that are newer than they are, whenever it is woken."""

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            left = await regate_jobs(conn)
        self._then()
        return 1.0 if left else None


class Alarm(Watched):
    """Looks whether something is wrong that a rule wants told, whenever it is woken."""

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            notices = await evaluate_alerts(conn, when_due=True)
        if notices:
            log.info("alert notices enqueued", notices=notices)
        if notices is not None:
            self._then()
        return None


class Upkeep(Loop):
    """Makes partitions ahead of time, whatever else fails. Removes old lines and counts where no built-in job does."""

    interval = 3600.0
    jitter = 0.1

    def __init__(self, link: Link, retention: RetentionAges | None) -> None:
        super().__init__()
        self._link = link
        self._retention = retention
        self._has_begun = False

    async def tick(self) -> float | None:
        async with self._link.use() as conn:
            made = await create_partitions(conn)
            if made:
                log.info("partitions created", partitions=made)
            await create_log_partitions(conn)
            if not self._has_begun:
                self._has_begun = True
                return PRUNE_AFTER
            if self._retention is not None:
                await forget_ended(conn)
                await forget_full_buckets(conn)
                await forget_unused_lanes(conn)
                await _prune(conn, self._retention)
        return None


async def _prune(conn: Connection, keep: RetentionAges) -> None:
    await prune_fires(conn, keep=keep.fires)
    await prune_events(conn, keep=keep.events)
    await prune_windows(conn)
    await prune_logs(conn, keep=keep.logs)
    await prune_rollups(conn, keep=keep.rollups)
    await prune_alerts(conn, keep=keep.fires)
    await prune_notices(conn, keep=keep.fires)


class Maintenance:
    """All of that for one process, with its connections."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        listening: Callable[[], bool],
        scheduler: bool,
        retention: RetentionAges | None,
        longest_sleep: float = LONGEST_SLEEP,
        embedded: EmbeddedServer | None = None,
    ) -> None:
        quick, slow = Link(endpoint, "watch"), Link(endpoint, "maintenance", within=COMMAND_TIMEOUT)
        # Of its own: what others do, however long it takes, keeps nobody from seeing who is silent.
        rescue = Link(endpoint, "rescuer")
        self._links = [quick, slow, rescue]
        self.watch = DueWatch(
            quick, longest=lambda: min(longest_sleep, LONGEST_SLEEP) if listening() else UNHEARD_SLEEP
        )
        self.watch.promoter = Promoter(quick, then=self.watch.wake)
        self.watch.counter = Counter(slow, then=self.watch.wake)
        self.watch.sweeper = Sweeper(slow, then=self.watch.wake)
        self.watch.alarm = Alarm(slow, then=self.watch.wake)
        self.loops: list[Loop] = [
            self.watch,
            self.watch.promoter,
            self.watch.counter,
            self.watch.sweeper,
            self.watch.alarm,
            Rescuer(rescue),
            Upkeep(slow, retention),
        ]
        # Needed before anything can be asked of the database.
        self.reviving: list[Loop] = []
        if embedded is not None:
            self.reviving = [Reviver(embedded)]
            self.loops += [Undertaker(rescue, embedded)]
        if scheduler:
            fire, dispatch = Link(endpoint, "scheduler"), Link(endpoint, "dispatcher")
            self._links += [fire, dispatch]
            self.watch.scheduler = Scheduler(fire, then=self.watch.wake)
            self.watch.dispatcher = Dispatcher(dispatch)
            self.loops += [self.watch.scheduler, self.watch.dispatcher]

    def notified(self, subject: str) -> None:
        """Somebody said that jobs are due, triggers changed or events came; or that anything may have."""
        loop = {"triggers": self.watch.scheduler, "events": self.watch.dispatcher}.get(subject, self.watch)
        if loop is not None:
            loop.wake()
            if subject == "triggers":
                # Its due time may be known already, or somebody else be computing it: then only the watch can be late.
                self.watch.wake()

    async def close(self) -> None:
        """Give the connections back."""
        await asyncio.gather(*(link.close() for link in self._links))
