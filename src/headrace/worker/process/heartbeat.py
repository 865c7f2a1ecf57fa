"""Heartbeats from a thread of their own, so that a handler that blocks the loop does not lose the lease."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from headrace.aio import wait_for_event
from headrace.log import get_logger
from headrace.worker.backoff import Backoff
from headrace.worker.process.standstill import Standstill
from headrace.worker.transport.interface import Beat, Pulse, Transport, TransportAway

log = get_logger("headrace.worker")
BUSY_INTERVAL = 1.0
SILENT = (
    'worker blocked: no thread could run. Does a handler hold the GIL? Declare that handler with isolation="process"'
)


class Heartbeat:
    """Beats every third of the lease, every second while jobs run, and at once when nudged."""

    def __init__(
        self,
        transport: Transport,
        *,
        lease: float,
        compose: Callable[[], Beat],
        on_pulse: Callable[[Pulse], None],
        on_live: Callable[[], None] = lambda: None,
    ) -> None:
        self._transport = transport
        self._interval = lease / 3
        self._standstill = Standstill(lease)
        self._compose = compose
        self._on_pulse = on_pulse
        self._on_live = on_live
        self._main_loop = asyncio.get_running_loop()
        # With the context of whoever starts it, so that its lines say whose they are.
        serve = partial(contextvars.copy_context().run, self._serve)
        self._thread = threading.Thread(target=serve, name="headrace heartbeat", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._nudged: asyncio.Event | None = None
        self._stopping = threading.Event()
        self._stopped = asyncio.Event()

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def nudge(self) -> None:
        """Beat now."""
        if self._loop is not None and self._nudged is not None:
            with contextlib.suppress(RuntimeError):  # the thread's loop has ended
                self._loop.call_soon_threadsafe(self._nudged.set)

    async def stop(self) -> None:
        """Stop beating; waits a moment for a beat that is under way."""
        self._stopping.set()
        self.nudge()
        await wait_for_event(self._stopped, 5)

    def _serve(self) -> None:
        try:
            asyncio.run(self._beat_until_stopped())
        finally:
            with contextlib.suppress(RuntimeError):
                self._main_loop.call_soon_threadsafe(self._stopped.set)

    async def _beat_until_stopped(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._nudged = asyncio.Event()
        watching = asyncio.create_task(self._standstill.watch())
        backoff = Backoff(self._interval / 3)  # a lease is short, and others may count it already
        due = 0.0
        while not self._stopping.is_set():
            now = time.monotonic()
            beat = self._compose()
            if beat.running or now >= due or self._nudged.is_set():
                self._nudged.clear()
                beat = replace(beat, stood_still=self._standstill.lately())
                try:
                    pulse = await self._transport.heartbeat(beat)
                except TransportAway as error:
                    log.warning("heartbeat missed", error=str(error))
                    await backoff.pause()
                    continue
                except Exception:
                    log.exception("heartbeat failed")
                    await backoff.pause()
                    continue
                backoff.reset()
                due = now + self._interval
                if pulse.live:
                    self._on_live()
                elif beat.stood_still:
                    log.error(SILENT, seconds=round(beat.stood_still))
                self._main_loop.call_soon_threadsafe(self._on_pulse, pulse)
            await wait_for_event(self._nudged, min(BUSY_INTERVAL, self._interval))
            await asyncio.sleep(0)  # whoever notices a standstill has its turn before the next beat
        watching.cancel()
        await self._transport.heartbeat(Beat(running=0, last=True))
