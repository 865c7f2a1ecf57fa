"""Notifications: a hint that saves waiting, never something to rely on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping

from headrace.aio import wait_for_event
from headrace.db.connect import TRANSIENT, Endpoint
from headrace.log import get_logger

log = get_logger("headrace.db")
CHECK_EVERY = 30.0


class Listener:
    """Listens on channels and calls back with each payload; comes back by itself after any break."""

    def __init__(self, endpoint: Endpoint, callbacks: Mapping[str, Callable[[str], None]]) -> None:
        self._endpoint = endpoint
        self._callbacks = callbacks
        self._task: asyncio.Task[None] | None = None
        self.listening = asyncio.Event()

    def start(self) -> None:
        """Begin, unless a pooler makes it pointless."""
        if not self._endpoint.pooled:
            self._task = asyncio.create_task(self._run(), name="headrace listener")

    async def stop(self) -> None:
        """End, whatever state the connection is in."""
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        backoff = 0.1
        while True:
            try:
                await self._listen()
                backoff = 0.1
            except TRANSIENT as error:
                log.debug("listener connection lost", error=str(error))
            except Exception:
                log.exception("listener failed")
            finally:
                self.listening.clear()
            await asyncio.sleep(backoff)
            backoff = min(5.0, backoff * 2)

    async def _listen(self) -> None:
        connection = await self._endpoint.connect("listen")
        gone = asyncio.Event()
        connection.add_termination_listener(lambda _: gone.set())
        try:
            for channel, callback in self._callbacks.items():
                await connection.add_listener(channel, lambda _c, _p, _ch, payload, call=callback: call(payload))
            self.listening.set()
            # What was sent while nobody listened is lost: everyone looks once.
            for callback in self._callbacks.values():
                callback("")
            while not gone.is_set():
                if await wait_for_event(gone, CHECK_EVERY):
                    return
                # A connection cut without a word looks alive until it is used.
                await connection.execute("select 1", timeout=10)
        finally:
            connection.terminate()
