"""`hr.blocking`: the same verbs for code without an event loop."""

from __future__ import annotations

import asyncio
import atexit
import functools
import inspect
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from headrace.app.client import Client
from headrace.app.forked import leave_to_parent
from headrace.app.open_here import OpenHere
from headrace.app.registry import Registry
from headrace.db.borrowed import is_async
from headrace.db.database import Database
from headrace.errors import BadRequest

P = ParamSpec("P")
R = TypeVar("R")


def _blocking(
    verb: Callable[Concatenate[Client, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[BlockingClient, P], R]:
    """The verb as a call that comes back when it is done."""
    verb = inspect.unwrap(verb)  # which would refuse to be called where no loop runs

    @functools.wraps(verb)
    def call(self: BlockingClient, /, *args: P.args, **kwargs: P.kwargs) -> R:
        connection = kwargs.get("connection")
        if connection is not None and is_async(connection):
            raise BadRequest(
                "hr.blocking needs a blocking connection; use the same verb of hr, with await, for an async one"
            )
        work = verb(self._opened(), *args, **kwargs)
        return self._wait_for(work) if connection is None else _run(work)

    return call


class Opened:
    """What a process has opened, which is nothing at first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.here = OpenHere()


class BlockingClient:
    """Blocking calls, served by a loop in a thread of its own that starts with the first of them.

    A fork takes no threads along, so each process opens for itself; what its parent opened is left alone.
    """

    def __init__(self, registry: Registry, open_database: Callable[[], Coroutine[Any, Any, Database]]) -> None:
        self._registry = registry
        self._open_database = open_database
        self._opened_by: dict[int, Opened] = {}

    enqueue = _blocking(Client.enqueue)
    enqueue_many = _blocking(Client.enqueue_many)
    emit = _blocking(Client.emit)
    get_job = _blocking(Client.get_job)
    wait = _blocking(Client.wait)
    cancel = _blocking(Client.cancel)
    retry = _blocking(Client.retry)

    def close(self) -> None:
        """Give the database back and end the thread; the next call starts anew."""
        opened = self._of_this_process()
        with opened.lock:
            here, opened.here = opened.here, OpenHere()
            loop, opened.loop = opened.loop, None
        if loop is None or not here.is_open:
            return
        try:
            asyncio.run_coroutine_threadsafe(here.disconnect(), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            # In this thread: at the end of the process, where atexit calls this, a loop can use no further threads.
            here.database.leave_server()

    def _of_this_process(self) -> Opened:
        """Asked at each call: not every server that forks has Python's hooks called (uWSGI does not)."""
        opened = self._opened_by.get(os.getpid())
        if opened is None:
            leave_to_parent(list(self._opened_by.values()))
            opened = self._opened_by.setdefault(os.getpid(), Opened())  # one for all threads
        return opened

    def _opened(self) -> Client:
        opened = self._of_this_process()
        with opened.lock:
            if not opened.here.is_open:
                loop = opened.loop = asyncio.new_event_loop()
                threading.Thread(target=_serve, args=[loop], name="headrace blocking", daemon=True).start()
                try:
                    opened.here.open(asyncio.run_coroutine_threadsafe(self._open_database(), loop).result())
                except BaseException:
                    loop.call_soon_threadsafe(loop.stop)
                    raise
                atexit.register(self.close)
            return Client(self._registry, opened.here)

    def _wait_for(self, work: Coroutine[Any, Any, R]) -> R:
        loop = self._of_this_process().loop
        assert loop is not None  # noqa: S101 - opened before the coroutine was made
        return asyncio.run_coroutine_threadsafe(work, loop).result()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _run(work: Coroutine[Any, Any, R]) -> R:
    """In the caller's own thread: on a blocking connection a verb never waits for a loop, so it ends at once."""
    try:
        work.send(None)
    except StopIteration as done:
        result: R = done.value
        return result
    raise AssertionError("a verb on a blocking connection waited")
