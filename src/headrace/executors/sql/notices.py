"""What a function says while it runs, at once and at a bounded rate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from headrace.db.connect import OwnConnection

BURST = 1_000  # at full speed, then
RATE = 25_000  # a second: a flood runs at three times that, and takes half of the loop's time

OnNotice = Callable[[str, str], None]


class Notices:
    """Hands messages on; when they come too fast, reads on later, so that the server waits and not the loop."""

    def __init__(self, connection: OwnConnection, on_notice: OnNotice) -> None:
        self._connection = connection
        self._on_notice = on_notice
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._count = 0
        self._resting: asyncio.TimerHandle | None = None
        # asyncpg keeps its transport to itself; without one a flood is read as fast as it comes.
        self._transport: Any = getattr(connection, "_transport", None)

    def __enter__(self) -> Self:
        self._connection.add_log_listener(self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.remove_log_listener(self._hear)
        if self._resting is not None:
            self._resting.cancel()
            self._read_on()

    def _hear(self, _connection: Any, message: Any) -> None:
        self._count += 1
        if self._count >= BURST and self._resting is None:
            self._rest()
        self._on_notice(message.severity_en or message.severity, message.message)

    def _rest(self) -> None:
        """Stop reading until the rate is right again. Short: a server that waits for us hears no cancel."""
        rest = self._since + self._count / RATE - self._loop.time()
        if rest <= 0:
            self._read_on()
            return
        if self._resting is None and self._transport is not None:
            with suppress(RuntimeError):  # it is closing
                self._transport.pause_reading()
        self._resting = self._loop.call_later(rest, self._rest)

    def _read_on(self) -> None:
        was_resting, self._resting = self._resting is not None, None
        self._since, self._count = self._loop.time(), 0
        if was_resting and self._transport is not None:
            with suppress(RuntimeError):
                self._transport.resume_reading()
