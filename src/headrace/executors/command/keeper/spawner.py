"""The spawner: one warm process per worker that forks the monitors, and ends what a killed monitor left behind."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable

from . import kernel, tree
from .cgroup import remove_group
from .monitor import UNKILLABLE_AFTER, keep_command
from .orders import END_NOW, FOR_EVER, Surroundings
from .scratch import Scratch, choose_path, sweep
from .setup import ignored_signals
from .wire import BEAT, LAUNCH

ROUND = 0.02
INSIST_AFTER = UNKILLABLE_AFTER + 5  # a monitor that was told to end and has not done so is killed
GIVE_UP_AFTER = 2 * INSIST_AFTER
MOST_DESCRIPTORS = 5


class Attempt:
    """A monitor as the spawner knows it; its control socket tells the worker that all is over when it closes."""

    def __init__(self, path: str, control: int | None = None) -> None:
        self.path = path
        self.control = control
        self.told_at: float | None = None

    def give_back(self) -> None:
        """Let the worker see the end."""
        if self.control is not None:
            os.close(self.control)
            self.control = None


class Spawner:
    """Serves one worker until it is gone."""

    def __init__(self, line: socket.socket, worker: int, lease: float, root: str) -> None:
        self._line = line
        self._root = root
        self._around = Surroundings(
            worker=kernel.end_of(worker),
            spawner=kernel.end_of(os.getpid()),
            lease=lease,
            open_files=kernel.limit_open_files(),
        )
        self._beat_at = time.monotonic()
        self._left_at: float | None = None if os.getppid() == worker else self._beat_at
        self._attempts: dict[int, Attempt] = {}
        self._lost: list[Attempt] = []
        self._orphaned_at: float | None = None
        signal.pthread_sigmask(signal.SIG_BLOCK, {END_NOW})  # meant for monitors, which unblock it when they are ready
        self._woken = kernel.wake_on(signal.SIGCHLD, then=lambda _number, _frame: None)
        self._poll = select.poll()
        for fd in (line.fileno(), self._woken.fileno(), self._around.worker):
            if fd is not None:
                self._poll.register(fd, select.POLLIN)

    def sweep(self) -> None:
        """Remove what earlier spawners could not."""
        with contextlib.suppress(OSError):
            self._attempts[self._fork(lambda: sweep(self._root))] = Attempt("")

    def serve(self) -> None:
        """Fork monitors for as long as there is a worker, and outlive them."""
        while not self._is_over():
            self._wait()
            self._reap()
            self._end_orphans(time.monotonic())
            self._keep_lease(time.monotonic())

    def _is_over(self) -> bool:
        if self._left_at is None:
            return False
        is_idle = not self._attempts and self._orphaned_at is None
        return is_idle or time.monotonic() - self._left_at > GIVE_UP_AFTER

    def _wait(self) -> None:
        ready = {fd for fd, _ in self._poll.poll(self._patience())}
        if self._woken.fileno() in ready:
            with contextlib.suppress(BlockingIOError):
                self._woken.recv(4096)
        if self._line.fileno() in ready:
            self._hear()
        if self._around.worker is not None and self._around.worker in ready:
            self._leave()

    def _patience(self) -> float | None:
        now = time.monotonic()
        if self._orphaned_at is not None:
            return ROUND * 1000
        if self._left_at is not None or any(attempt.told_at for attempt in self._attempts.values()):
            return 1000
        lapse = self._beat_at + self._around.lease if self._attempts else FOR_EVER
        return None if lapse == FOR_EVER else max(lapse - now, 0) * 1000 + 1

    def _hear(self) -> None:
        flags = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
        try:
            order, fds, _, _ = socket.recv_fds(self._line, 1, MOST_DESCRIPTORS, flags)
        except OSError:
            order, fds = b"", []
        if order == BEAT:
            self._beat_at = time.monotonic()
        elif order == LAUNCH and len(fds) >= MOST_DESCRIPTORS - 1:
            self._launch(fds)
        elif order == LAUNCH:  # no more descriptors to be had: the worker sees the end of the control socket
            for fd in fds:
                os.close(fd)
        else:
            self._leave()

    def _leave(self) -> None:
        for fd in (self._line.fileno(), self._around.worker):
            with contextlib.suppress(KeyError):
                self._poll.unregister(-1 if fd is None else fd)
        self._left_at = self._left_at or time.monotonic()

    def _launch(self, fds: list[int]) -> None:
        path = choose_path(self._root)
        pid = 0
        with contextlib.suppress(OSError):  # no process to be had: the worker sees the end of the control socket
            pid = self._fork(lambda: keep_command(fds, path, self._around))
        kept = fds[:1] if pid else []
        for fd in fds[len(kept) :]:
            os.close(fd)
        if pid:
            self._attempts[pid] = Attempt(path, fds[0])

    def _fork(self, be: Callable[[], None]) -> int:
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                be()
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        return pid

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                attempt = self._attempts.pop(ended[0], None)
                if attempt is not None and ended[1] == 0:
                    attempt.give_back()
                elif attempt is not None:
                    self._lost.append(attempt)

    def _end_orphans(self, now: float) -> None:
        """End what a killed monitor had under it: such processes become children of this one, as no others do."""
        if not tree.kill(self._orphans):
            self._orphaned_at = None
            self._release(self._lost)
        elif self._orphaned_at is None:
            self._orphaned_at = now
        elif now - self._orphaned_at > UNKILLABLE_AFTER:
            self._release(self._lost)

    def _orphans(self) -> list[int]:
        roots = [pid for pid in tree.children(os.getpid()) if pid not in self._attempts]
        return [*roots, *tree.descendants(*roots)]

    def _release(self, lost: list[Attempt]) -> None:
        """Clear up after killed monitors, in a process of its own for there may be much, and give back after that."""
        while lost:
            attempt = lost.pop()
            try:
                janitor = self._fork(lambda path=attempt.path: clear(path))  # type: ignore[misc]
            except OSError:
                attempt.give_back()
            else:
                self._attempts[janitor] = Attempt("", attempt.control)

    def _keep_lease(self, now: float) -> None:
        """End all attempts once their worker is gone, or has not beaten for a lease: another may have its jobs."""
        if self._left_at is None and now - self._beat_at <= self._around.lease:
            return
        for pid, attempt in self._attempts.items():
            if attempt.told_at is None:
                attempt.told_at = now
                tree.send([pid], END_NOW)
                tree.send([pid], signal.SIGCONT)
            elif now - attempt.told_at > INSIST_AFTER:
                tree.send([pid], signal.SIGKILL)


def clear(path: str) -> None:
    """Remove the scratch directory of an attempt whose monitor cannot do it any more."""
    with contextlib.suppress(OSError):
        Scratch.open(path).remove()
    remove_group(os.path.basename(path))


def have_standard_streams() -> None:
    """Open 0, 1 and 2 where they are closed, or a descriptor that comes from the worker could get their number."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(fd)


def main() -> None:
    """Serve the worker at the other end of the given descriptor."""
    line, worker, lease, root = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    have_standard_streams()
    os.set_inheritable(line, False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # commands end by their worker's word, and so in order
    ignored_signals()
    kernel.call_this_process("headrace-spawn")
    kernel.adopt_orphans()
    gc.freeze()  # or the first collection after a fork would copy every page
    spawner = Spawner(socket.socket(fileno=line), worker, lease, root)
    spawner.sweep()
    spawner.serve()
