"""The monitor of one attempt: starts the command, keeps its deadline, and ends its whole tree, whatever happens."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import time

from . import kernel, tree
from .cgroup import make_group, remove_group, usable_parent
from .orders import FOR_EVER, Orders, Surroundings
from .scratch import Scratch
from .setup import Account, Confines, SetupFailed, Streams, become_command, find_account
from .stills import Stills
from .wire import ENDED, HELLO, MOST_RESULT, RESULT, STANDS, Report, Spec, frame

UNKILLABLE_AFTER = 10.0
ROUND = 0.02  # between two rounds of killing; the end of a process cuts it short
LAST_ROUND = 1.0
MAXRSS_UNIT = 1024 if kernel.LINUX else 1


def keep_command(fds: list[int], path: str, around: Surroundings) -> None:
    """Be the monitor of a command, with the descriptors that the worker sent and a scratch directory at the path."""
    kernel.close_all_but({*fds, *(fd for fd in (around.worker, around.spawner) if fd is not None)})
    kernel.call_this_process("headrace-watch")
    kernel.limit_open_files(around.open_files)
    kernel.adopt_orphans()
    os.setsid()
    control, spec_fd, stdout, stderr, *stdin = fds
    with open(spec_fd, "rb") as file:
        spec = Spec.load(file.read())
    streams = Streams(stdin[0] if stdin else None, stdout, stderr)
    Monitor(socket.socket(fileno=control), spec, streams, path, around).serve()


class Monitor:
    """A command runs; is stopping once `_stop_until` is set; is being killed once `_killing_since` is set."""

    def __init__(self, control: socket.socket, spec: Spec, streams: Streams, path: str, around: Surroundings) -> None:
        self._control = control
        self._spec = spec
        self._streams = streams
        self._path = path
        self._orders = Orders(control, around)
        self._scratch: Scratch | None = None
        self._pid = 0
        self._complaints = -1
        self._started = time.monotonic()
        self._ended: float | None = None
        self._status: int | None = None
        self._is_alone = True
        self._timed_out = self._was_stopped = self._stood_still = False
        self._stills = Stills()
        self._stop_until: float | None = None
        self._killing_since: float | None = None
        self._leftovers: set[int] = set()
        self._unkillable: list[int] = []

    def serve(self) -> None:
        """Keep one command from its start to its end."""
        self._control.sendall(frame(HELLO))
        while not self._orders.may_start:
            if self._orders.must_die:
                return
            self._orders.wait(FOR_EVER)
        problem = self._start()
        while not self._is_alone and not self._unkillable:
            self._orders.wait(min(self._next_step(), self._next_look()))
            self._reap()
            if not self._is_alone:
                self._proceed(time.monotonic())
        self._report(problem or self._complaint())
        self._outlast()

    def _start(self) -> str | None:
        """Start the command, or return why that cannot be done."""
        try:
            account = find_account(self._spec.user)
            self._scratch = Scratch.make(self._path)
            if account is not None:
                self._scratch.give_to(account.uid)
                for fd in (self._streams.stdout, self._streams.stderr):
                    os.fchown(fd, *account)  # so that it may open /dev/stdout
            self._complaints, complain = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            places = {"HOME": self._path, "TMPDIR": self._path, "HEADRACE_RESULT": self._scratch.result_path}
            spec = self._spec._replace(env=self._spec.env | places)
            confines = Confines(self._scratch.fd, self._make_group(account))
            self._started = time.monotonic()
            self._pid = os.fork()
        except SetupFailed as error:
            return str(error)
        except OSError as error:
            return f"the attempt cannot be set up in {os.path.dirname(self._path)}: {error.strerror}"
        if self._pid == 0:
            become_command(spec, self._streams, confines, account, complain)
        self._is_alone = False
        for fd in {complain, *(fd for fd in self._streams if fd is not None)}:
            os.close(fd)  # or the worker would never see the end of its output
        return None

    def _make_group(self, account: Account | None) -> str | None:
        uid = os.geteuid() if account is None else account.uid
        if self._spec.max_processes is None or uid != 0:
            return None
        if (parent := usable_parent()) is None:
            raise SetupFailed("max_processes does not apply to root, and there is no cgroup that would")
        return make_group(parent, os.path.basename(self._path), self._spec.max_processes)

    def _proceed(self, now: float) -> None:
        if self._killing_since is None:
            self._decide(now)
        if self._killing_since is not None:
            killed = tree.kill(self._tree)
            if not self._was_stopped and not self._timed_out and not self._stood_still:
                self._leftovers.update(killed)
            if now - self._killing_since > UNKILLABLE_AFTER:
                self._unkillable = [pid for pid in self._tree() if tree.lives(pid)]

    def _decide(self, now: float) -> None:
        """Whether to go on from running to stopping, or from there to killing."""
        is_stopping = self._stop_until is not None
        if self._status is not None and not is_stopping:  # it ended by itself, and left others behind
            self._killing_since = now
        elif self._orders.must_die:
            self._was_stopped |= not self._timed_out
            self._killing_since = now
        elif is_stopping and now >= self._next_step():
            self._killing_since = now
        elif not is_stopping and (self._orders.must_stop or now >= self._next_step()):
            self._was_stopped = self._orders.must_stop
            self._timed_out = not self._was_stopped
            self._stop(now)
        elif now >= self._next_look():
            self._look(now)

    def _stop(self, now: float) -> None:
        self._stop_until = now + self._spec.kill_grace
        tree.terminate(self._tree())

    def _look(self, now: float) -> None:
        """Stop a command that stands still, for nobody is there to let it go on; tell of what it started and does."""
        seen = self._stills.look(self._pid, self._tree(), now)
        if seen.note is not None:
            with contextlib.suppress(OSError):  # the worker may be gone
                self._control.sendall(frame(STANDS, seen.note.encode("utf-8", "replace")))
        if seen.command_stands:
            self._stood_still = True
            self._stop(now)

    def _next_look(self) -> float:
        """None while it is ended: what stands still is woken then, or killed."""
        is_ending = self._stop_until is not None or self._killing_since is not None
        return FOR_EVER if is_ending else self._stills.next_look

    def _next_step(self) -> float:
        """When something is to be done even if nothing happens."""
        if self._killing_since is not None:
            return time.monotonic() + ROUND
        if self._stop_until is not None:
            return self._stop_until
        return FOR_EVER if self._spec.timeout is None else self._started + self._spec.timeout

    def _tree(self) -> list[int]:
        if kernel.LINUX:
            return tree.descendants(os.getpid())
        return [-self._pid] if self._status is None else []  # its process group, as far as that goes

    def _reap(self) -> None:
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._pid:
                    self._status = ended[1]
                    self._ended = time.monotonic()
        except ChildProcessError:
            self._is_alone = True

    def _complaint(self) -> str | None:
        """Why the command could not be executed; its pipe was closed without a word if it could."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self._complaints, 4096).decode("utf-8", "replace") or None
        return None

    def _report(self, problem: str | None) -> None:
        """Tell the worker, which then takes the attempt for over: so the scratch directory goes first."""
        result = None
        if self._scratch is not None:
            result = self._scratch.read_result(MOST_RESULT + 1) if self._spec.result_file else None
            self._scratch.remove()
        if self._spec.max_processes is not None:
            remove_group(os.path.basename(self._path))
        with contextlib.suppress(OSError):  # the worker may be gone
            if result is not None:
                self._control.sendall(frame(RESULT, result))
            self._control.sendall(frame(ENDED, self._summary(problem).dump()))

    def _summary(self, problem: str | None) -> Report:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        status = None if problem else self._status
        return Report(
            pid=self._pid,
            exit_code=os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
            signal=os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
            timed_out=self._timed_out,
            stopped=self._was_stopped,
            duration=(self._ended or time.monotonic()) - self._started,
            cpu_seconds=used.ru_utime + used.ru_stime,
            peak_memory_bytes=used.ru_maxrss * MAXRSS_UNIT,
            leftovers=len(self._leftovers),
            unkillable=self._unkillable,
            cannot_execute=problem,
            stood_still=self._stood_still,
        )

    def _outlast(self) -> None:
        """Stay until those that could not be killed are gone after all; the attempt was given back meanwhile."""
        self._control.shutdown(socket.SHUT_WR)
        while not self._is_alone:
            tree.kill(self._tree)
            self._orders.wait(time.monotonic() + LAST_ROUND)
            self._reap()
        if self._scratch is not None and self._unkillable:
            self._scratch.remove()
