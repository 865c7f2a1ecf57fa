"""What a monitor hears: its worker's orders, and the end of those around it."""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import time
from typing import NamedTuple

from . import kernel
from .wire import BEAT, GO, KILL, STOP

END_NOW = signal.SIGUSR1  # from the spawner, when the worker is gone or has lost its lease
FOR_EVER = float("inf")


class Surroundings(NamedTuple):
    """Descriptors that tell the end of the worker and of the spawner, and how long a worker may be silent."""

    worker: int | None
    spawner: int | None
    lease: float
    open_files: int  # the limit that commands inherit


class Orders:
    """The orders so far, gathered while waiting."""

    def __init__(self, control: socket.socket, around: Surroundings) -> None:
        self.may_start = self.must_stop = self.must_die = False
        self._control = control
        self._around = around
        self._beat_at: float | None = None  # set when the spawner is gone, which kept the lease until then
        self._woken = kernel.wake_on(signal.SIGCHLD, END_NOW, then=self._on_signal)
        self._poll = select.poll()
        for fd in (control.fileno(), self._woken.fileno(), around.worker, around.spawner):
            if fd is not None:
                self._poll.register(fd, select.POLLIN)

    def wait(self, until: float) -> None:
        """Return when something was heard, a child has ended, or the time has come."""
        ready = self._ready(min(until, self._lease_ends()))
        if self._woken.fileno() in ready:
            with contextlib.suppress(BlockingIOError):
                self._woken.recv(4096)
        if self._control.fileno() in ready:
            self._hear(self._receive())
        if self._around.worker in ready:
            self._hear(b"")
        if self._around.spawner in ready:
            self._forget(self._around.spawner)
            self._beat_at = time.monotonic()
        if time.monotonic() > self._lease_ends():
            self.must_die = True

    def _ready(self, until: float) -> set[int | None]:
        # A millisecond more, or the last one would be spent asking.
        patience = None if until == FOR_EVER else max(until - time.monotonic(), 0) * 1000 + 1
        return {fd for fd, _ in self._poll.poll(patience)}

    def _lease_ends(self) -> float:
        return FOR_EVER if self._beat_at is None or self.must_die else self._beat_at + self._around.lease

    def _receive(self) -> bytes:
        try:
            return self._control.recv(4096)
        except OSError:
            return b""

    def _hear(self, orders: bytes) -> None:
        if not orders:  # the worker is gone
            self._forget(self._control.fileno())
            self._forget(self._around.worker)
            self.must_die = True
        self.may_start |= GO in orders
        self.must_stop |= STOP in orders
        self.must_die |= KILL in orders
        if BEAT in orders and self._beat_at is not None:
            self._beat_at = time.monotonic()

    def _forget(self, fd: int | None) -> None:
        if fd is not None:
            with contextlib.suppress(KeyError):
                self._poll.unregister(fd)

    def _on_signal(self, number: int, _frame: object) -> None:
        self.must_die |= number == END_NOW
