"""A PostgreSQL of the test's own, to be killed, stopped, frozen and started again."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.waiting import wait_until

from headrace.db.embedded import EmbeddedServer
from headrace.db.embedded.processes import first_number


class OwnServer:
    """An embedded server whose folder stays ours while the server comes and goes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._owners = [EmbeddedServer.start(folder)]
        self._frozen: list[int] = []
        self.url = self._owners[0].url

    def kill(self) -> None:
        """End it as a crash would: the postmaster first, and its children when they notice."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as an administrator would, without waiting for clients."""
        self._end(signal.SIGINT)

    def start(self) -> None:
        """Bring it back under the same address."""
        self._owners.append(EmbeddedServer.start(self._folder))
        assert self._owners[-1].url == self.url

    def freeze(self) -> None:
        """Let every process of it stand still: connections stay open, and nobody answers."""
        postmaster = self._postmaster()
        os.kill(postmaster, signal.SIGSTOP)  # first, so that it has no new children meanwhile
        self._frozen = [postmaster, *children_of(postmaster)]
        for pid in self._frozen[1:]:
            with suppress(ProcessLookupError):  # it had just ended
                os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        for pid in self._frozen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self._frozen = []

    def close(self) -> None:
        """Give it up for good."""
        self.thaw()
        for owner in self._owners:
            owner.stop()

    def _end(self, how: signal.Signals) -> None:
        postmaster = self._postmaster()
        family = [postmaster, *children_of(postmaster)]
        os.kill(postmaster, how)
        wait_until("the server's processes are gone", lambda: not set(family) & running())

    def _postmaster(self) -> int:
        layout = self._owners[0]._layout
        pid = first_number(layout.postmaster_pid)
        assert pid is not None
        return pid


@contextmanager
def own_server(folder: Path) -> Iterator[OwnServer]:
    """A server that is gone after the block, whatever was done to it."""
    server = OwnServer(folder)
    try:
        yield server
    finally:
        server.close()


def _processes() -> list[tuple[int, int, str]]:
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return [(int(pid), int(parent), stat) for pid, parent, stat in rows]


def children_of(parent: int) -> list[int]:
    return [pid for pid, its_parent, _ in _processes() if its_parent == parent]


def running() -> set[int]:
    return {pid for pid, _, stat in _processes() if not stat.startswith("Z")}
