"""The hub: looks once a second while somebody listens, and hands each what is theirs."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from headrace.db.connect import Connection
from headrace.log import get_logger
from headrace.model.job.job import JobRecord
from headrace.queue.read import list_jobs
from headrace.service.looker import Looker
from headrace.service.seats import Seats
from headrace.service.session import Runtime
from headrace.service.stream.changes import (
    ALL,
    RESUMES_WITHIN,
    Change,
    TenantCounts,
    Whose,
    read_changes,
    read_summaries,
)
from headrace.service.tokens.credential_watch import CredentialWatch

log = get_logger("headrace.service")

# Jobs that one batch names; more are only said to be many.
MOST_JOBS = 200
# Batches that a listener may be behind; then it is let go, and comes back with the id it has.
MOST_BEHIND = 30
# Happenings that were told and are not told again; more than looks overlap by.
MOST_TOLD = 50_000
# Who come back and read at one time what they missed, from the pool by which all others are recognised.
MOST_CATCH_UP = 2


@dataclass(eq=False)
class Batch:
    """What a listener is told at one time: jobs as they are now, counts if they changed, whether there was more."""

    at: datetime
    jobs: Sequence[JobRecord] = ()
    summary: TenantCounts | None = None
    many: bool = False
    # As sent: one batch goes to many.
    text: bytes | None = None

    def __bool__(self) -> bool:
        return bool(self.jobs) or self.summary is not None or self.many


@dataclass(eq=False)
class Subscriber:
    """Somebody who listens; `None` in the queue is the end."""

    whose: Whose
    heard_to: datetime | None = None
    batches: asyncio.Queue[Batch | None] = field(default_factory=lambda: asyncio.Queue(MOST_BEHIND + 1))

    def tell(self, batch: Batch) -> bool:
        """Whether there was room."""
        if self.batches.qsize() >= MOST_BEHIND:
            return False
        self.batches.put_nowait(batch)
        return True

    def end(self) -> None:
        """Say no more; what is waiting is not sent either."""
        while not self.batches.empty():
            self.batches.get_nowait()
        self.batches.put_nowait(None)


class Hub(Looker):
    """All who listen in this process. Their looks take a tenth of a connection's time at most."""

    def __init__(self, runtime: Runtime, watch: CredentialWatch) -> None:
        super().__init__(runtime)
        self._watch = watch
        self._seats = Seats()
        self._catching_up = asyncio.Semaphore(MOST_CATCH_UP)
        self._listeners: dict[Whose, set[Subscriber]] = defaultdict(set)
        self._told: OrderedDict[Change, None] = OrderedDict()
        self._summaries: dict[Whose, TenantCounts] = {}
        self.watermark: datetime | None = None

    @contextmanager
    def listen(self, whose: Whose, credential: bytes | None) -> Iterator[Subscriber]:
        """Listen for the length of the block, and no longer than the credential is good."""
        listener = Subscriber(whose)
        with self._seats.take(whose), self._watch.hold(credential, lambda: self._let_go(listener)):
            self._listeners[whose].add(listener)
            self._start()
            try:
                yield listener
            finally:
                self._leave(listener)

    async def catch_up(self, whose: Whose, since: datetime | None) -> Batch:
        """For who has just come: what changed since they last heard, or that it is too much to tell; and the counts."""
        async with self._catching_up, self._runtime.database.pool.acquire() as conn:
            look = await read_changes(conn, since, [whose])
            if since is not None and not timedelta(0) <= look.now - since <= RESUMES_WITHIN:
                look = look._replace(changes=[], cut=frozenset([whose]))
            summaries = await read_summaries(conn, [whose])
            [batch] = (await _batches(conn, look.changes, [whose], look.now)).values()
        return Batch(look.now, batch.jobs, summaries[whose], many=batch.many or whose in look.cut)

    # -- looking

    def wanted(self) -> bool:
        return any(self._listeners.values())

    def forget(self) -> None:
        self.watermark = None
        self._told.clear()
        self._summaries.clear()

    def leave_all(self) -> None:
        for listener in [listener for group in self._listeners.values() for listener in group]:
            self._let_go(listener)

    async def look(self) -> None:
        """Find what changed since the last look, and tell those whom it concerns."""
        whose = [key for key, group in self._listeners.items() if group]
        async with self._runtime.database.pool.acquire() as conn:
            look = await read_changes(conn, self.watermark, whose)
            new = [change for change in look.changes if change not in self._told]
            batches = await _batches(conn, new, whose, look.now)
            summaries = await read_summaries(conn, whose)
        for change in look.changes:
            self._told[change] = None
            self._told.move_to_end(change)
        while len(self._told) > MOST_TOLD:
            self._told.popitem(last=False)
        self.watermark = look.now
        for key, batch in batches.items():
            batch.many = batch.many or (key in look.cut and bool(batch.jobs))
            if summaries[key] != self._summaries.get(key) or batch.many:
                batch.summary = self._summaries[key] = summaries[key]
            self._tell(key, batch)

    def _tell(self, whose: Whose, batch: Batch) -> None:
        for listener in list(self._listeners[whose]):
            listener.heard_to = batch.at
            if batch and not listener.tell(batch):
                log.info("slow stream listener dropped")
                self._let_go(listener)

    def _let_go(self, listener: Subscriber) -> None:
        self._leave(listener)
        listener.end()

    def _leave(self, listener: Subscriber) -> None:
        group = self._listeners.get(listener.whose, set())
        group.discard(listener)
        if not group:
            self._listeners.pop(listener.whose, None)
            self._summaries.pop(listener.whose, None)


async def _batches(
    conn: Connection, changes: Collection[Change], whose: Collection[Whose], at: datetime
) -> dict[Whose, Batch]:
    """For each of these the jobs that changed, oldest first, or only that they are many."""
    concerned: dict[Whose, dict[UUID, None]] = {key: {} for key in whose}
    for change in changes:
        for key in {change.tenant_id, ALL} & concerned.keys():
            concerned[key][change.job_id] = None
    few = {job_id for ids in concerned.values() if len(ids) <= MOST_JOBS for job_id in ids}
    records = await list_jobs(conn, sorted(few)) if few else {}
    batches: dict[Whose, Batch] = {}
    for key, ids in concerned.items():
        many = len(ids) > MOST_JOBS
        jobs = [] if many else [records[job_id] for job_id in sorted(ids) if job_id in records]
        batches[key] = Batch(at, jobs, many=many)
    return batches
