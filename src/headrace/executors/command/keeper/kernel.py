"""What the standard library does not ask of the kernel for us; elsewhere than on Linux these do nothing."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True) if LINUX else None


def adopt_orphans() -> None:
    """Make this process the parent of whatever its descendants leave behind, however they forked."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends; forgotten when credentials change."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before we asked
        os._exit(1)


def gain_no_privileges() -> None:
    """Have no program that this process executes become another user, whom we could not kill."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)


def call_this_process(name: str) -> None:
    """Show a name of up to 15 characters in `ps` and `top`."""
    if _libc is not None:
        _libc.prctl(PR_SET_NAME, ctypes.c_char_p(name.encode()), 0, 0, 0)


def end_of(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends, where the kernel has such."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return os.pidfd_open(pid)
    return None


def close_all_but(kept: set[int]) -> None:
    """Close every descriptor above 2 that is not kept."""
    # Listed, not counted up: the limit may be in the millions.
    for name in os.listdir("/proc/self/fd" if LINUX else "/dev/fd"):
        if (fd := int(name)) > 2 and fd not in kept:
            with contextlib.suppress(OSError):
                os.close(fd)


def limit_open_files(soft: int | None = None) -> int:
    """Set the soft limit, to the hard one unless told, and return what it was."""
    before, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard if soft is None else soft, hard))
    return before


def wake_on(*numbers: int, then: Callable[[int, object], None]) -> socket.socket:
    """Handle the signals, and return a socket that becomes readable with each, so that a poll sees it."""
    woken, waker = socket.socketpair()
    woken.setblocking(False)
    waker.setblocking(False)
    signal.set_wakeup_fd(waker.detach(), warn_on_full_buffer=False)
    for number in numbers:
        signal.signal(number, then)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
    return woken


def _prctl(option: int, value: int) -> None:
    if _libc is not None and _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
