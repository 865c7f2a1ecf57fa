"""What one process knows of the workers that speak to it: nothing that another could not find out by asking."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

from headrace.db.connect import BATCHES, TRANSIENT, Connection, Pool
from headrace.db.database import Database, close_pool
from headrace.db.listen import Listener
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.db.trouble import trouble
from headrace.errors import DatabaseAway, NotFound
from headrace.service.worker_protocol.secrets import Maskers
from headrace.worker.claim.claim_session import ClaimSession

SQL = statements(__file__)
POLL_INTERVAL = 1.0
POOL_SIZE = 10
MOST_KNOWN = 10_000
# Of the payloads of one claim. One alone may be larger, though not by much: the database takes no more than 1 MB.
LARGEST_ANSWER = 8 * 1024 * 1024
# Of a lease: a busy worker costs a write for each such part, and not for each request.
RENEW_AFTER = 1 / 6
Value = TypeVar("Value")


class Heard(NamedTuple):
    """When a worker's lease was last renewed through this process, and how long it is."""

    at: float
    lease: float


class ProtocolState:
    """A pool for batches, a listener for claims that wait, and whose each worker is."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pool: Pool | None = None
        self._listener = Listener(database.endpoint, {"headrace": self._notified})
        self._listens = False
        self._owners: OrderedDict[int, str] = OrderedDict()
        self._claims: OrderedDict[int, ClaimSession] = OrderedDict()
        self._heard: OrderedDict[int, Heard] = OrderedDict()
        self.maskers = Maskers()
        database.closers.append(self.close)

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Connection]:
        """A connection for a statement or a few, outside a transaction."""
        try:
            if self._pool is None:
                self._pool = await self._database.endpoint.pool("workers", size=POOL_SIZE, session=BATCHES)
            with translated_errors():
                async with self._pool.acquire() as conn:
                    yield conn
        except TRANSIENT as error:
            raise trouble(error) or DatabaseAway() from error

    async def check_owner(self, worker_id: int, owner: str) -> None:
        """`NotFound` for a worker that is not there, and the same for somebody else's."""
        known = self._owners.get(worker_id)
        if known is None:
            async with self.use() as conn:
                known = await conn.fetchval(SQL["find_owner"], worker_id)
            if known is not None:  # for good: a worker never changes hands
                _remember(self._owners, worker_id, known)
        if known != owner:
            raise NotFound(f"unknown worker {worker_id}")

    def claims_of(self, worker_id: int) -> ClaimSession:
        """What is remembered of a worker's lanes. Several processes may claim for it, so it is never alone."""
        claims = self._claims.get(worker_id)
        if claims is None:
            pooled = self._database.endpoint.pooled
            claims = ClaimSession(
                self.use,
                worker_id=worker_id,
                poll_interval=POLL_INTERVAL,
                arms=not pooled,
                alone=False,
                largest_answer=LARGEST_ANSWER,
            )
            _remember(self._claims, worker_id, claims)
        return claims

    def heard(self, worker_id: int, lease: float | None = None) -> None:
        """The worker's lease was just renewed; without `lease` it is as long as it was."""
        if lease is None:
            known = self._heard.get(worker_id)
            lease = None if known is None else known.lease
        if lease is not None:
            _remember(self._heard, worker_id, Heard(time.monotonic(), lease))

    def renews_in(self, worker_id: int) -> float:
        """In how many seconds the lease should be renewed: now, if nothing is known of it."""
        known = self._heard.get(worker_id)
        return 0.0 if known is None else max(0.0, known.at + known.lease * RENEW_AFTER - time.monotonic())

    async def show_life(self, conn: Connection, worker_id: int) -> bool:
        """What a worker asks is a sign of life: its lease is renewed once a part is over. False if it is lost."""
        if self.renews_in(worker_id) > 0:
            return True
        lease = await conn.fetchval(SQL["show_life"], worker_id)
        if lease is None:
            self._heard.pop(worker_id, None)
            return False
        self.heard(worker_id, lease)
        return True

    def ended(self, worker_id: int, jobs: Iterable[UUID]) -> None:
        """Jobs of a worker ended, which may let it claim others."""
        claims = self._claims.get(worker_id)
        if claims is not None:
            claims.ended(jobs)

    def forget(self, worker_id: int) -> None:
        """It has left."""
        self._claims.pop(worker_id, None)
        self._heard.pop(worker_id, None)

    def listen(self) -> None:
        """Somebody is about to wait for work."""
        if not self._listens:
            self._listens = True
            self._listener.start()

    async def close(self) -> None:
        """Give the connections back."""
        _STATES.pop(self._database, None)
        await self._listener.stop()
        if self._pool is not None:
            await close_pool(self._pool)

    def _notified(self, payload: str) -> None:
        for claims in list(self._claims.values()):
            if payload == "work":
                claims.wake()
            elif payload in ("lanes", ""):  # or the listener has just come (back): look at everything
                claims.lanes_changed()


def _remember(known: OrderedDict[int, Value], worker_id: int, value: Value) -> None:
    known[worker_id] = value
    if len(known) > MOST_KNOWN:
        known.popitem(last=False)


_STATES: WeakKeyDictionary[Database, ProtocolState] = WeakKeyDictionary()


def protocol_state(database: Database) -> ProtocolState:
    """That of this process, made by the first who asks."""
    state = _STATES.get(database)
    if state is None:
        state = _STATES[database] = ProtocolState(database)
    return state
