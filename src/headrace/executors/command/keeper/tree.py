"""All descendants of a process, and signals to them: exact, because a subreaper gets every orphan back."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterable

from .kernel import LINUX


def children(pid: int) -> list[int]:
    """The processes whose parent it is."""
    return _listed_children(pid) if _has_lists else _searched_children().get(pid, [])


def descendants(*roots: int) -> list[int]:
    """The processes below these, parents before children."""
    searched = None if _has_lists else _searched_children()
    found: dict[int, None] = {}
    above = list(roots)
    while above:
        near = (_listed_children(pid) if searched is None else searched.get(pid, []) for pid in above)
        below = [child for some in near for child in some if child not in found]
        found.update(dict.fromkeys(below))
        above = below
    return list(found)


def lives(pid: int) -> bool:
    """Whether it is there and more than a zombie."""
    stat = _stat(pid)
    return bool(stat) and stat[0] not in "ZX"


def stopped(pids: Iterable[int]) -> dict[int, int]:
    """Those that a signal has stopped, each with how often it has run: unchanged, it was not continued meanwhile."""
    return {pid: _switches(pid) for pid in pids if _stat(pid)[:1] == ["T"]}


def name(pid: int) -> str:
    """The program's name, as far as the kernel keeps it."""
    try:
        return _read(f"/proc/{pid}/comm").strip()
    except OSError:
        return "gone"


def send(pids: Iterable[int], number: int) -> None:
    """Signal each that is still there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def terminate(pids: list[int]) -> None:
    """Ask them to end; those that are stopped are woken to hear it."""
    send(pids, signal.SIGTERM)
    send(pids, signal.SIGCONT)


def kill(find: Callable[[], list[int]]) -> list[int]:
    """Kill all that are found, and return those that lived; one round, for who forked meanwhile is found in the next.

    Stopped first, until a look shows nobody new: what stands still does not fork.
    """
    stopped: dict[int, bool] = {}
    while fresh := [pid for pid in find() if pid not in stopped]:
        send(fresh, signal.SIGSTOP)
        stopped.update((pid, lives(pid)) for pid in fresh)
    send(stopped, signal.SIGKILL)
    return [pid for pid, lived in stopped.items() if lived]


def _listed_children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread may end under our eyes
                found += map(int, _read(f"/proc/{pid}/task/{task}/children").split())
    return found


def _searched_children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if LINUX else ():
        if name.isdigit() and (stat := _stat(int(name))):
            found.setdefault(int(stat[1]), []).append(int(name))
    return found


def _stat(pid: int) -> list[str]:
    """State, parent and so on; what comes before is the program's name, which may contain anything."""
    try:
        return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    except OSError:
        return []


def _switches(pid: int) -> int:
    try:
        lines = _read(f"/proc/{pid}/status").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[-1]) for line in lines if "ctxt_switches:" in line)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


# Some kernels are built without the lists.
_has_lists = LINUX and os.path.exists(f"/proc/self/task/{os.getpid()}/children")
