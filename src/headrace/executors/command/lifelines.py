"""The sockets that hear the worker's beats."""

from __future__ import annotations

import contextlib
import socket
import threading

from headrace.executors.command.keeper.wire import BEAT


class Lifelines:
    """Beats come from another thread: closed under a lock, or a beat could reach a stranger with the same number."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: set[socket.socket] = set()

    def add(self, line: socket.socket) -> None:
        """Let the line hear each beat from now on."""
        with self._lock:
            self._lines.add(line)

    def close(self, line: socket.socket) -> None:
        """Close a line, whether it hears the beats or not."""
        with self._lock:
            self._lines.discard(line)
            line.close()

    def beat(self) -> None:
        """Send each line its byte; one that is full or broken is none of the heart's business."""
        with self._lock:
            for line in self._lines:
                with contextlib.suppress(OSError):
                    line.send(BEAT)
