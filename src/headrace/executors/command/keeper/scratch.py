"""The scratch directory of an attempt: made before it, removed after it, never trusted in between."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

PREFIX = "headrace-run-"
RESULT_NAME = "result.json"
FORSAKEN_AFTER = 60.0
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Scratch(NamedTuple):
    """A directory and a descriptor of it: its owner, the command, may put another thing in its place."""

    path: str
    fd: int

    @classmethod
    def make(cls, path: str) -> Scratch:
        """A new one, locked for as long as its monitor lives."""
        os.mkdir(path, 0o700)
        scratch = cls.open(path)
        fcntl.flock(scratch.fd, fcntl.LOCK_SH)
        return scratch

    @classmethod
    def open(cls, path: str) -> Scratch:
        """One that is there."""
        return cls(path, os.open(path, _OPEN_FOLDER))

    @property
    def result_path(self) -> str:
        """Where the command may write its result."""
        return os.path.join(self.path, RESULT_NAME)

    def give_to(self, uid: int) -> None:
        """Let another user have it. Its group stays ours, which strangers cannot give, so that a sweep knows it."""
        os.fchown(self.fd, uid, os.getegid())

    def read_result(self, most: int) -> bytes | None:
        """The result, if the command wrote one: a plain file, and not a link to somebody else's."""
        try:
            fd = os.open(RESULT_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=self.fd)
        except OSError:
            return None
        about = os.fstat(fd)
        is_its_own = about.st_uid == os.fstat(self.fd).st_uid and about.st_nlink == 1
        if not stat.S_ISREG(about.st_mode) or not is_its_own:
            os.close(fd)
            return None
        with os.fdopen(fd, "rb") as file:
            return file.read(most)

    def remove(self) -> None:
        """Remove it with all that is in it, as far as that can be done."""
        with contextlib.suppress(OSError):
            _empty(self.fd)
        with contextlib.suppress(OSError):
            os.rmdir(self.path)

    def close(self) -> None:
        """Let go of it."""
        with contextlib.suppress(OSError):
            os.close(self.fd)


def choose_path(root: str) -> str:
    """Where the next one will be."""
    return os.path.join(root, PREFIX + os.urandom(8).hex())


def sweep(root: str) -> None:
    """Remove what nobody holds any more: left where worker, spawner and monitor were all killed at once."""
    with contextlib.suppress(OSError):
        for name in os.listdir(root):
            if name.startswith(PREFIX):
                _remove_if_forsaken(os.path.join(root, name))


def _remove_if_forsaken(path: str) -> None:
    with contextlib.suppress(OSError):
        scratch = Scratch.open(path)
        try:
            about = os.fstat(scratch.fd)
            # One that was just made may not be locked yet.
            if _is_of_a_worker(about) and time.time() - about.st_ctime > FORSAKEN_AFTER:
                fcntl.flock(scratch.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                scratch.remove()
        finally:
            scratch.close()


def _is_of_a_worker(about: os.stat_result) -> bool:
    """Tell whether this user made it. One that root gave to the user of a command has kept root's group (`give_to`)."""
    return about.st_uid == os.geteuid() or (os.geteuid() == 0 and about.st_gid == os.getegid())


def _empty(top: int) -> None:
    """Remove the content of a directory.

    Folders are moved to the top before they are emptied, so that no depth, however great, takes recursion or
    descriptors; links are never followed.
    """
    os.fchmod(top, 0o700)
    moved = 0
    waiting = _remove_files(top)
    while waiting:
        name = waiting.pop()
        with contextlib.suppress(OSError), _opened(name, top) as folder:
            for inner in _remove_files(folder):
                moved += 1
                aside = f".{moved}.{os.getpid()}"
                os.rename(inner, aside, src_dir_fd=folder, dst_dir_fd=top)
                waiting.append(aside)
        with contextlib.suppress(OSError):
            os.rmdir(name, dir_fd=top)


@contextlib.contextmanager
def _opened(name: str, top: int) -> Iterator[int]:
    folder = os.open(name, _OPEN_FOLDER, dir_fd=top)
    try:
        yield folder
    finally:
        os.close(folder)


def _remove_files(folder: int) -> list[str]:
    """Remove what is no folder, and return the folders, which can be entered and moved from then on."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        with contextlib.suppress(OSError):
            if is_folder:
                _make_passable(name, folder)
            else:
                os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in found if is_folder]


def _make_passable(name: str, folder: int) -> None:
    """Let us into a folder, in whose place the command may just have put a link; root needs no permission."""
    if os.geteuid() != 0:
        with contextlib.suppress(ValueError):  # it is a link, or the C library cannot leave links alone
            os.chmod(name, 0o700, dir_fd=folder, follow_symlinks=False)
