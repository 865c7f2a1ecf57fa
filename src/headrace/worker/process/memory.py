"""How much memory this process has."""

from __future__ import annotations

import os
from pathlib import Path

STATM = Path("/proc/self/statm")


def resident_bytes(statm: Path = STATM) -> int | None:
    """What is resident now, or none where the system does not tell."""
    try:
        return int(statm.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
