"""What really happened, outside of the database: lines that handlers and producers append to one file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

FILE = "STORM_TRUTH"
PROCESS = "STORM_PROCESS"
SNOOZED = 0.5  # seconds that a job asks for


def note(what: str, *words: object) -> None:
    """One line, whole or not at all: O_APPEND, and one write."""
    line = " ".join([what, *map(str, words), os.environ.get(PROCESS, "-"), str(time.monotonic_ns())])
    file = os.open(os.environ[FILE], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        os.write(file, f"{line}\n".encode())
    finally:
        os.close(file)


def lines(file: Path) -> Iterator[list[str]]:
    """What was noted: the words, then the process and the moment of the machine's monotonic clock."""
    with file.open(encoding="utf-8") as noted:
        for line in noted:
            yield line.split()
