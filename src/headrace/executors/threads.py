"""Sync handlers in threads, which nothing can stop from outside."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any


class ContextThreadPool(ThreadPoolExecutor):
    """For a loop's own executor: calls see the context variables of whoever asked for them."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return super().submit(contextvars.copy_context().run, fn, *args, **kwargs)


Work = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]


class ThreadExecutor:
    """A pool of daemon threads: a handler that never returns must not keep the process from ending."""

    def __init__(self, *, on_stuck: Callable[[int], None] = lambda _change: None) -> None:
        self._work: SimpleQueue[Work | None] = SimpleQueue()
        self._threads = 0
        self._idle = 0
        self._on_stuck = on_stuck

    async def run(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Call the function in a thread, within the caller's context variables."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        context = contextvars.copy_context()
        self._ensure_a_free_thread()
        self._work.put((loop, future, lambda: context.run(function, **arguments)))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if not future.done():
                self._on_stuck(1)
                future.add_done_callback(self._came_back)
            raise

    def _came_back(self, future: asyncio.Future[Any]) -> None:
        future.exception()  # seen, so that asyncio does not complain about it
        self._on_stuck(-1)

    def close(self) -> None:
        """Let idle threads end."""
        for _ in range(self._threads):
            self._work.put(None)

    def _ensure_a_free_thread(self) -> None:
        if self._idle > 0:
            self._idle -= 1
            return
        self._threads += 1
        threading.Thread(target=self._serve, name=f"headrace-{self._threads}", daemon=True).start()

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            loop, future, call = work
            try:
                value, error = call(), None
            except BaseException as raised:
                value, error = None, raised
            try:
                loop.call_soon_threadsafe(self._deliver, future, value, error)
            except RuntimeError:
                return  # the loop is closed: nobody waits any more

    def _deliver(self, future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
        self._idle += 1
        if future.cancelled():
            return
        if error is None:
            future.set_result(value)
        elif isinstance(error, StopIteration):
            # A future cannot carry StopIteration.
            future.set_exception(RuntimeError(f"the handler raised StopIteration: {error}"))
        else:
            future.set_exception(error)
