"""The command's process between fork and exec: all that it is not allowed is taken away here."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import pwd
import resource
import signal
from typing import NamedTuple, NoReturn

from . import kernel
from .wire import Spec

MB = 1024 * 1024
OOM_SCORE = b"500"  # when memory runs out, the kernel takes a command before its worker
CANNOT_EXECUTE = 127


class Streams(NamedTuple):
    """Descriptors for 0, 1 and 2; without a stdin it reads nothing."""

    stdin: int | None
    stdout: int
    stderr: int


class Confines(NamedTuple):
    """Where a command runs: its scratch directory, and the file by which it enters a cgroup."""

    folder: int
    group: str | None


class Account(NamedTuple):
    """The user that a command runs as."""

    uid: int
    gid: int


class SetupFailed(Exception):
    """The command cannot be executed."""


def find_account(user: str | None) -> Account | None:
    """The account by that name; none where the user need not change."""
    if user is None:
        return None
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        raise SetupFailed(f"unknown user {user!r} on this machine") from None
    if entry.pw_uid == os.geteuid() and os.geteuid() != 0:
        return None
    return Account(entry.pw_uid, entry.pw_gid)


def become_command(spec: Spec, streams: Streams, within: Confines, account: Account | None, complain: int) -> NoReturn:
    """Execute the command, or write to the pipe why that cannot be done, and end."""
    try:
        _prepare(spec, streams, within, account, complain)
        argv = [os.fsencode(argument) for argument in spec.argv]
        os.execvpe(argv[0], argv, spec.env)  # noqa: S606 - without a shell, that is the point
    except Exception as error:  # an environment that contains a NUL raises ValueError
        with contextlib.suppress(OSError):
            os.write(complain, _sentence(spec, error).encode())
    finally:
        os._exit(CANNOT_EXECUTE)


def _prepare(spec: Spec, streams: Streams, within: Confines, account: Account | None, complain: int) -> None:
    monitor = os.getppid()
    os.setsid()
    _reset_signals()
    if within.group is not None:
        os.write(os.open(within.group, os.O_WRONLY | os.O_CLOEXEC), b"0")
    _limit(spec)
    with contextlib.suppress(OSError):
        os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC), OOM_SCORE)
    _connect(streams)
    os.fchdir(within.folder)
    os.umask(0o077)
    if account is not None:
        os.setgroups([])
        os.setresgid(account.gid, account.gid, account.gid)
        os.setresuid(account.uid, account.uid, account.uid)
    kernel.die_with_parent(monitor)  # after the user has changed, which would undo it
    kernel.gain_no_privileges()
    kernel.close_all_but({complain})


@functools.cache
def ignored_signals() -> list[int]:
    """Those that this process ignores; asked once, by the spawner, for asking takes half a millisecond."""
    return [number for number in signal.valid_signals() if signal.getsignal(number) == signal.SIG_IGN]


def _reset_signals() -> None:
    """What is ignored or blocked stays so across an exec, and Python ignores some; what is handled does not."""
    signal.set_wakeup_fd(-1)
    for number in ignored_signals():
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _limit(spec: Spec) -> None:
    # RLIMIT_DATA, not RLIMIT_AS: some runtimes reserve far more address space than they use.
    wanted = [
        (resource.RLIMIT_DATA, spec.memory_mb, MB),
        (resource.RLIMIT_FSIZE, spec.file_size_mb, MB),
        (resource.RLIMIT_NOFILE, spec.open_files, 1),
        (resource.RLIMIT_NPROC, spec.max_processes, 1),
    ]
    for which, most, unit in wanted:
        if most is not None:
            most = _within(which, most * unit)
            resource.setrlimit(which, (most, most))
    if spec.cpu_seconds is not None:
        # A signal that can be handled first, and a second later the one that cannot.
        most = _within(resource.RLIMIT_CPU, spec.cpu_seconds + 1)
        resource.setrlimit(resource.RLIMIT_CPU, (min(spec.cpu_seconds, most), most))


def _within(which: int, wanted: int) -> int:
    """No more than we have ourselves, for that is not ours to give."""
    _, hard = resource.getrlimit(which)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def _connect(streams: Streams) -> None:
    stdin = os.open(os.devnull, os.O_RDONLY) if streams.stdin is None else streams.stdin
    # Received descriptors are all above 2, so that none is overwritten before it is copied.
    for number, fd in enumerate((stdin, streams.stdout, streams.stderr)):
        os.dup2(fd, number)


def _sentence(spec: Spec, error: Exception) -> str:
    program = spec.argv[0].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if not isinstance(error, OSError):
        return f"{program}: {error}"
    if error.errno == errno.EAGAIN and spec.max_processes is not None:
        return f"{program}: its user already has more processes than max_processes = {spec.max_processes} allows"
    if error.errno == errno.EPERM and spec.user is not None:
        return f"{program}: this worker may not run commands as the user {spec.user}: {error.strerror}"
    return f"{program}: {error.strerror}"
