"""What a handler's process prints, on one pipe for each of its streams."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable

CHUNK = 65_536
MOST_READS = 16
# More than a pipe holds: what comes later was printed later, perhaps without end.
MOST_DRAINED = 16
UNASKED_RATE = 16_000_000.0

# Gives back for how long to read no more.
OnOutput = Callable[[str, bytes], float | None]


class ChildOutput:
    """Handed to the run under way as it is read; between runs it is the worker's own output."""

    def __init__(self, stream: str) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._fd, self.theirs = os.pipe()
        os.set_blocking(self._fd, False)
        self._loop.add_reader(self._fd, self._read)
        self._open = True
        self.receiver: OnOutput | None = None

    def drain(self) -> None:
        """Hand over all that has been printed by now."""
        for _ in range(MOST_DRAINED):
            if not self._read():
                return

    def close(self) -> None:
        """Read no more."""
        if self._open:
            self._open = False
            self._loop.remove_reader(self._fd)
            os.close(self._fd)

    def _read(self) -> bool:
        if not self._open:
            return False
        try:
            data = os.read(self._fd, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self.close()
            return False
        if self.receiver is not None:
            pause = self.receiver(self._stream, data)
        else:
            pause = len(data) / UNASKED_RATE
            with contextlib.suppress(OSError):
                os.write(1 if self._stream == "stdout" else 2, data)
        if pause:
            self._loop.remove_reader(self._fd)
            self._loop.call_later(pause, self._read_on)
        return True

    def _read_on(self) -> None:
        if self._open:
            self._loop.add_reader(self._fd, self._read)
