"""Reading what a command prints, no faster than it is wanted."""

from __future__ import annotations

import asyncio
import fcntl
import os
import struct
import termios
from collections.abc import Callable

CHUNK = 65_536
INT = struct.Struct("i")

OnOutput = Callable[[str, bytes], float | None]


class OutputPipe:
    """One pipe from a command: hands over bytes as they are read, and pauses for as long as the receiver asks."""

    def __init__(
        self,
        stream: str,
        on_output: OnOutput,
        *,
        on_close: Callable[[], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._stream = stream
        self._on_output: OnOutput | None = on_output
        self._on_close = on_close
        self._on_error = on_error
        self._left: int | None = None  # how much is still to come, once nobody writes any more
        self._timer: asyncio.TimerHandle | None = None
        self._fd, self.their_end = os.pipe()
        os.set_blocking(self._fd, False)
        self.is_open = True
        self._loop.add_reader(self._fd, self._read)

    def expect_no_more(self) -> None:
        """Read what is in the pipe and no further: a process that we know nothing of may hold it open for ever."""
        if self.is_open:
            self._left = INT.unpack(fcntl.ioctl(self._fd, termios.FIONREAD, bytes(INT.size)))[0]
            if not self._left:
                self.close()

    def close(self) -> None:
        """Read no more."""
        if self.is_open:
            self.is_open = False
            self._loop.remove_reader(self._fd)
            if self._timer is not None:
                self._timer.cancel()
            os.close(self._fd)
            self._on_close()

    def _read(self) -> None:
        try:
            data = os.read(self._fd, CHUNK)
        except BlockingIOError:
            return
        if not data:
            self.close()
            return
        if pause := self._deliver(data):
            self._loop.remove_reader(self._fd)
            self._timer = self._loop.call_later(pause, self._resume)
        if self._left is not None:
            self._left -= len(data)
            if self._left <= 0:
                self.close()

    def _deliver(self, data: bytes) -> float | None:
        if self._on_output is None:
            return None
        try:
            return self._on_output(self._stream, data)
        except Exception as error:
            self._on_output = None  # the rest is read, so that the command is not stuck, and dropped
            self._on_error(error)
            return None

    def _resume(self) -> None:
        self._timer = None
        self._loop.add_reader(self._fd, self._read)
