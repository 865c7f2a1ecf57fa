"""A run of the tests leaves nothing behind: its files lie in one folder, and a check at the end looks for processes.

The controlling process adopts the processes whose parents are gone. At the end, also after a failure or Ctrl-C, it ends
what still runs, removes the folder, and makes the run red by naming each process that it had to end.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.waiting import wait_until

from headrace.db.embedded.layout import Layout
from headrace.db.embedded.relocate import STATE

PREFIX = "headrace-run-"
SERVERS = "TESTS_SERVERS_FOLDER"
PR_SET_CHILD_SUBREAPER = 36
# Servers stop by themselves when their last owner is gone.
SECONDS_TO_STOP = float(os.environ.get("SECONDS_TO_STOP", "20"))
LOCKS = pytest.StashKey[list[int]]()
# The servers that tests share lie in memory where there is room for them: they commit ten thousands of times.
MEMORY = Path("/dev/shm")  # noqa: S108 - the folder made there is private
ROOM = 12 * 1024**3


class Process(NamedTuple):
    """A process of this machine."""

    pid: int
    command: str


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder before anybody asks for a temporary one."""
    if hasattr(config, "workerinput"):
        return
    folder, servers = _new_folder(Path(tempfile.gettempdir())), None
    config.stash[LOCKS] = [_lock(folder)]
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        servers = _new_folder(MEMORY)
        config.stash[LOCKS].append(_lock(servers))
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    os.environ[SERVERS] = str(servers or folder)
    _adopt_orphans()
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the run in order, as Ctrl-C does


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    """After every other plugin, when the processes of the run have left."""
    yield
    if LOCKS not in session.config.stash:
        return
    left = end_descendants()
    remove(Path(tempfile.gettempdir()))
    remove(Path(os.environ[SERVERS]))
    for process in left:
        sys.stderr.write(f"\nleft behind by the tests, and ended: process {process.pid}: {process.command}\n")
    if left and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def sweep(place: Path) -> None:
    """Remove folders of runs that were killed: nobody holds their locks."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            os.close(_lock(folder))
            remove(folder)


def remove(folder: Path) -> None:
    """Remove a run's folder, with what embedded servers put elsewhere because their own folder did not suit."""
    for token in folder.rglob("run/token"):
        with suppress(OSError):
            shutil.rmtree(Layout(token.parents[1], home=token.parents[1]).socket_dir, ignore_errors=True)
    for note in STATE.glob("*/data_dir"):
        with suppress(OSError):
            if folder in Path(os.fsdecode(note.read_bytes().rstrip(b"\n"))).parents:
                shutil.rmtree(note.parent, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def end_descendants() -> list[Process]:
    """Wait until all that this process started, and what came of it, is gone; end and name what does not go."""
    with suppress(AssertionError):
        wait_until("what was started has ended", lambda: not _descendants(), patience=SECONDS_TO_STOP)
    left = _descendants()
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    with suppress(AssertionError):
        wait_until("what was killed is gone", lambda: not _descendants())
    return left


def _new_folder(place: Path) -> Path:
    sweep(place)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    folder.chmod(0o755)  # PostgreSQL runs as another user where root runs the tests
    return folder


def _lock(folder: Path) -> int:
    """Hold the folder for as long as this process lives; refused where another holds it."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise
    return held


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _descendants() -> list[Process]:
    """Living processes below this one; dead ones that nobody waited for are buried."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state != "Z" or int(parent) == os.getpid():  # our own dead are buried at the next look
                children.setdefault(int(parent), []).append(int(stat.parent.name))
    found, look_at = [], [os.getpid()]
    while look_at:
        below = children.get(look_at.pop(), [])
        look_at += below
        found += below
    return [Process(pid, _command(pid)) for pid in found]


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()[:200]
    return "?"
