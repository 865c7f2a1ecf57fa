"""Locks that the kernel frees on any death of their holder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Self
from weakref import WeakSet

from headrace.db.embedded.patience import Patience
from headrace.errors import EmbeddedServerError


class FileLock:
    """One open lock file, which can be held shared or exclusively."""

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self.fd = os.open(path, flags, 0o600)
        _open_locks.add(self)

    def try_exclusive(self) -> bool:
        """Take the lock for oneself, unless anyone else holds it."""
        return self._try(fcntl.LOCK_EX)

    def try_shared(self) -> bool:
        """Take a share of the lock, unless someone holds it exclusively."""
        return self._try(fcntl.LOCK_SH)

    def is_free(self) -> bool:
        """Tell whether nobody holds the lock now."""
        if not self.try_exclusive():
            return False
        self.release()
        return True

    def release(self) -> None:
        """Give the lock up and keep the file open."""
        fcntl.flock(self.fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give the lock up, also for forked children that still have the file open."""
        if self.closed:
            return
        self.release()
        self.forget()

    def forget(self) -> None:
        """Close this process's copy without freeing the lock for the processes that share it."""
        fd, self.fd = self.fd, -1
        os.close(fd)

    @property
    def closed(self) -> bool:
        """Tell whether this process has let go of the file."""
        return self.fd < 0

    @property
    def replaced(self) -> bool:
        """Tell whether the path now names another file, because the folder was deleted meanwhile."""
        try:
            return not os.path.samestat(os.fstat(self.fd), self.path.stat())
        except FileNotFoundError:
            return True

    def _try(self, kind: int) -> bool:
        try:
            fcntl.flock(self.fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_open_locks: WeakSet[FileLock] = WeakSet()


def _forget_in_forked_child() -> None:
    # A lock belongs to the open file, which a fork shares: a job's process that outlives its killed
    # worker would otherwise count as an owner of the server.
    for lock in list(_open_locks):
        if not lock.closed:
            lock.forget()


os.register_at_fork(after_in_child=_forget_in_forked_child)


def hold_exclusively(path: Path, *, seconds: float) -> FileLock:
    """Wait for the lock that only one process may hold, and return it held."""
    patience = Patience(seconds)
    lock = FileLock(path)
    while not lock.try_exclusive() or lock.replaced:
        lock.close()
        if not patience.lasts():
            raise EmbeddedServerError(
                f"Another process has been starting or stopping the embedded PostgreSQL for {seconds:.0f} s "
                f"and holds {path}. Wait for it or end it, then try again."
            )
        lock = FileLock(path)
    return lock


def join(share: FileLock, *, seconds: float) -> bool:
    """Take a share of the server and tell whether nobody else had one; call it with the start lock held."""
    patience = Patience(seconds)
    # Exclusive first, to see whether anyone is in. The supervisor of a server without owners may hold the
    # lock, or take it between our two calls: it is stopping the server, and lets go when done.
    alone = share.try_exclusive()
    while not share.try_shared():
        alone = True
        if not patience.lasts():
            raise EmbeddedServerError(
                f"The embedded PostgreSQL has been stopping for {seconds:.0f} s ({share.path}). "
                "Look for a postgres process that hangs, end it, then try again."
            )
    return alone


def leave(share: FileLock) -> bool:
    """Give up a share and tell whether it was the last one; call it with the start lock held."""
    share.release()
    # When neither lock is to be had, the supervisor was faster than we and is stopping the server.
    others = not share.try_exclusive() and share.try_shared()
    share.close()
    return not others
