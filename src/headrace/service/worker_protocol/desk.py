"""What one process knows of the workers that speak to it: nothing that another could not find out by asking."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

from headrace.db.connect import BATCHES, TRANSIENT, Connection, Pool
from headrace.db.database import Database, close_pool
from headrace.db.listen import Listener
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import DatabaseUnusable, NotFound
from headrace.service.worker_protocol.secrets import Maskers
from headrace.worker.claims import Claims

SQL = statements(__file__)
POLL_INTERVAL = 1.0
POOL_SIZE = 10
MOST_KNOWN = 10_000
# Of the payloads of one claim. One alone may be larger, though not by much: the database takes no more than 1 MB.
LARGEST_ANSWER = 8 * 1024 * 1024
Value = TypeVar("Value")


class Desk:
    """A pool for batches, a listener for claims that wait, and whose each worker is."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pool: Pool | None = None
        self._listener = Listener(database.endpoint, {"headrace": self._notified})
        self._listens = False
        self._owners: OrderedDict[int, str] = OrderedDict()
        self._claims: OrderedDict[int, Claims] = OrderedDict()
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
            raise DatabaseUnusable(f"the database does not answer: {type(error).__name__}: {error}") from error

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

    def claims_of(self, worker_id: int) -> Claims:
        """What is remembered of a worker's lanes. Several processes may claim for it, so it is never alone."""
        claims = self._claims.get(worker_id)
        if claims is None:
            pooled = self._database.endpoint.pooled
            claims = Claims(
                self.use,
                worker_id=worker_id,
                poll_interval=POLL_INTERVAL,
                arms=not pooled,
                alone=False,
                largest_answer=LARGEST_ANSWER,
            )
            _remember(self._claims, worker_id, claims)
        return claims

    def ended(self, worker_id: int, jobs: Iterable[UUID]) -> None:
        """Jobs of a worker ended, which may let it claim others."""
        claims = self._claims.get(worker_id)
        if claims is not None:
            claims.ended(jobs)

    def forget(self, worker_id: int) -> None:
        """It has left."""
        self._claims.pop(worker_id, None)

    def listen(self) -> None:
        """Somebody is about to wait for work."""
        if not self._listens:
            self._listens = True
            self._listener.start()

    async def close(self) -> None:
        """Give the connections back."""
        _DESKS.pop(self._database, None)
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


_DESKS: WeakKeyDictionary[Database, Desk] = WeakKeyDictionary()


def desk_of(database: Database) -> Desk:
    """That of this process, made by the first who asks."""
    desk = _DESKS.get(database)
    if desk is None:
        desk = _DESKS[database] = Desk(database)
    return desk
