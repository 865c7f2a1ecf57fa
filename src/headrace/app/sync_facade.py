"""`hr.sync`: the same verbs for code without an event loop."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine, Iterable, Mapping
from datetime import timedelta
from typing import Any, Protocol, TypeVar, Unpack
from uuid import UUID

from headrace.app.client import Client
from headrace.app.forked import leave_to_parent
from headrace.app.registry import Registry
from headrace.db.borrowed import fetch_column_maybe_async, is_async
from headrace.db.database import Database
from headrace.db.sqlstate import translated_errors
from headrace.errors import BadRequest
from headrace.model.job.record import Job
from headrace.queue.enqueue import ENQUEUE_MANY, EnqueueManyOptions, EnqueueOptions, EnqueueRequest
from headrace.triggers.emit import emit_parameters, emit_statement, emitting

T = TypeVar("T")


class BlockingApp(Protocol):
    """What the facade needs of an application."""

    registry: Registry

    @property
    def app(self) -> str: ...

    async def open_database(self) -> Database: ...


class Opened:
    """What a process has opened, which is nothing at first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.client: Client | None = None


class SyncFacade:
    """Blocking calls, served by a loop in a thread of its own that starts with the first of them.

    A fork takes no threads along, so each process opens for itself; what its parent opened is left alone.
    """

    def __init__(self, app: BlockingApp) -> None:
        self._app = app
        self._opened_by: dict[int, Opened] = {}

    def enqueue(self, key: str, payload: Mapping[str, Any] | None = None, **options: Unpack[EnqueueOptions]) -> UUID:
        """One job; gives back its id, or that of the job that already holds its key."""
        connection = options.pop("connection", None)
        if connection is None:
            return self._call(self._opened().enqueue(key, payload, **options))
        return _send(connection, self._opened().request(key, payload, options))[0]

    def enqueue_many(
        self, key: str, payloads: Iterable[Mapping[str, Any]], **options: Unpack[EnqueueManyOptions]
    ) -> list[UUID]:
        """Many jobs of one definition in one statement; gives back their ids, in order."""
        connection = options.pop("connection", None)
        if connection is None:
            return self._call(self._opened().enqueue_many(key, payloads, **options))
        return _send(connection, self._opened().request_many(key, payloads, options))

    def emit(
        self,
        name: str,
        data: Mapping[str, Any] | None = None,
        *,
        tenant: str = "default",
        correlation_id: str | None = None,
        idempotency_key: str | None = None,
        connection: Any = None,
    ) -> UUID:
        """Publish an event, with `connection` in your own transaction; gives back its id. A key gives one event."""
        parameters = emit_parameters(name, data, tenant=tenant, correlation_id=correlation_id)
        if connection is not None:
            with emitting(name, tenant=tenant, correlation_id=correlation_id) as trace:
                return _borrowing(connection, *emit_statement(parameters, trace, idempotency_key))[0]
        made = self._opened().emit(
            name, data, tenant=tenant, correlation_id=correlation_id, idempotency_key=idempotency_key
        )
        return self._call(made)

    def get_job(self, job_id: UUID | str) -> Job:
        """The job as it stands, or `NotFound`."""
        return self._call(self._opened().get_job(job_id))

    def wait(self, job_id: UUID | str, timeout: timedelta | float | None = None) -> Job:
        """The job once it has ended, or `TimeoutError`."""
        return self._call(self._opened().wait(job_id, timeout))

    def cancel(self, job_id: UUID | str) -> bool:
        """True when it is canceled or told to stop; false when it had already ended."""
        return self._call(self._opened().cancel(job_id))

    def retry(self, job_id: UUID | str) -> bool:
        """True when it waits to run again; false when it has not ended."""
        return self._call(self._opened().retry(job_id))

    def close(self) -> None:
        """Give the database back and end the thread; the next call starts anew."""
        here = self._here()
        with here.lock:
            client, here.client = here.client, None
            loop, here.loop = here.loop, None
        if client is None or loop is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(client.disconnect(), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            # In this thread: at the end of the process, where atexit calls this, a loop can use no further threads.
            client.leave_server()

    def _here(self) -> Opened:
        """Asked at each call: not every server that forks has Python's hooks called (uWSGI does not)."""
        here = self._opened_by.get(os.getpid())
        if here is None:
            leave_to_parent(list(self._opened_by.values()))
            here = self._opened_by.setdefault(os.getpid(), Opened())  # one for all threads
        return here

    def _opened(self) -> Client:
        here = self._here()
        with here.lock:
            if here.client is None:
                loop = here.loop = asyncio.new_event_loop()
                threading.Thread(target=_serve, args=[loop], name="headrace sync", daemon=True).start()
                try:
                    here.client = asyncio.run_coroutine_threadsafe(self._open(), loop).result()
                except BaseException:
                    loop.call_soon_threadsafe(loop.stop)
                    raise
                atexit.register(self.close)
            return here.client

    async def _open(self) -> Client:
        database = await self._app.open_database()
        try:
            await self._app.registry.sync(database, app=self._app.app)
        except BaseException:
            await database.close()
            raise
        return Client(database, self._app.registry)

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        loop = self._here().loop
        assert loop is not None  # noqa: S101 - opened before the coroutine was made
        return asyncio.run_coroutine_threadsafe(work, loop).result()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _send(connection: Any, request: EnqueueRequest) -> list[UUID]:
    with request.sending() as trace:
        return _borrowing(connection, ENQUEUE_MANY, request.parameters(trace))


def _borrowing(connection: Any, statement: str, parameters: tuple[Any, ...]) -> list[UUID]:
    """On the caller's own connection, in the caller's own thread: no loop is needed."""
    if is_async(connection):
        raise BadRequest("hr.sync needs a blocking connection; use the same verb of hr, with await, for an async one")
    with translated_errors():
        ids: list[UUID] = fetch_column_maybe_async(connection, statement, parameters)
        return ids
