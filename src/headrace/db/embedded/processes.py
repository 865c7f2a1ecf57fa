"""What a process id stands for: ids are reused, so a living process need not be the one that wrote its id."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

UNKNOWN = Path("unknown")


def cluster_of(pid: int) -> Path | None:
    """Return a PostgreSQL server's data directory, UNKNOWN if it hides it, None for another process."""
    command = _command_of(pid)
    if not command or Path(command[0]).name not in {"postgres", "postmaster"}:
        return None
    if "-D" in command[:-1]:
        return Path(command[command.index("-D") + 1]).resolve()
    try:
        return Path(os.readlink(f"/proc/{pid}/cwd"))  # a server works inside its data directory
    except OSError:
        return UNKNOWN


def lives(pid: int) -> bool:
    """Tell whether a process of this id exists, be it only as a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def first_number(path: Path) -> int | None:
    """Read the process id at the head of one of PostgreSQL's lock files."""
    try:
        # Negative for a server in single-user mode.
        return abs(int(path.read_text(errors="replace").split()[0]))
    except (FileNotFoundError, ValueError, IndexError):
        return None


def _command_of(pid: int) -> list[str]:
    if Path("/proc/self/cmdline").exists():
        try:
            raw = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return []
        return [os.fsdecode(part) for part in raw.split(b"\0") if part]
    # Where a path has spaces this cuts it short, and the answer is one of another cluster's server.
    done = subprocess.run(  # noqa: S603 - a fixed program
        ["/bin/ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return done.stdout.split()
