"""A cgroup of its own for an attempt that runs as root, whom no RLIMIT_NPROC binds."""

from __future__ import annotations

import contextlib
import os


def usable_parent() -> str | None:
    """The directory in which this process may make groups that limit processes, in either version of cgroups."""
    with contextlib.suppress(OSError):
        mounts = [line.split() for line in _lines("/proc/self/mountinfo")]
        for line in _lines("/proc/self/cgroup"):
            _, controllers, path = line.split(":", 2)
            if controllers == "pids":
                return next(filter(_is_writable, _places(mounts, "cgroup", path)), None)
            if not controllers:
                here = list(_places(mounts, "cgroup2", path))
                candidates = [*here, *(os.path.dirname(place) for place in here)]
                if usable := next(filter(_gives_pids, candidates), None):
                    return usable
    return None


def make_group(parent: str, name: str, max_processes: int) -> str:
    """A new group; a process that writes 0 into the file that is returned enters it."""
    group = os.path.join(parent, name)
    os.mkdir(group)
    with open(os.path.join(group, "pids.max"), "w", encoding="ascii") as file:
        file.write(str(max_processes))
    return os.path.join(group, "cgroup.procs")


def remove_group(name: str) -> None:
    """Remove the group of an attempt, if it had one; it must be empty."""
    if (parent := usable_parent()) is not None:
        with contextlib.suppress(OSError):
            os.rmdir(os.path.join(parent, name))


def _places(mounts: list[list[str]], kind: str, path: str) -> list[str]:
    """Where the group is seen in the file system."""
    found = []
    for _, _, _, root, point, *rest in mounts:
        kind_and_options = rest[rest.index("-") + 1 :]
        if kind_and_options[0] != kind or (kind == "cgroup" and "pids" not in kind_and_options[-1].split(",")):
            continue
        below = os.path.relpath(path, root)
        if not below.startswith(".."):
            found.append(os.path.normpath(os.path.join(point, below)))
    return found


def _gives_pids(folder: str) -> bool:
    try:
        is_on = "pids" in " ".join(_lines(os.path.join(folder, "cgroup.subtree_control"))).split()
    except OSError:
        return False
    return is_on and _is_writable(folder) and os.access(os.path.join(folder, "cgroup.procs"), os.W_OK)


def _is_writable(folder: str) -> bool:
    return os.access(folder, os.W_OK)


def _lines(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()
