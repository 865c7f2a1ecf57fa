"""Calling `headrace` as a shell would: a process of its own, in a folder and an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

PATIENCE = 60


class Said(NamedTuple):
    """How a call ended."""

    code: int
    out: str
    err: str


class Shell:
    """A folder to call from, and the `HEADRACE_*` variables to call with."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        kept = {n: v for n, v in os.environ.items() if not n.startswith("HEADRACE_") and n != "PYTHONPATH"}
        self._environ = {**kept, "COLUMNS": "200", "NO_COLOR": "1", **variables}

    def call(self, *arguments: str, stdin: str = "") -> Said:
        """Call and wait for the end."""
        done = subprocess.run(
            self._command(arguments),
            cwd=self.folder,
            env=self._environ,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Call without waiting; what it says goes to `said.log` in the folder."""
        with (self.folder / "said.log").open("wb") as said:
            return subprocess.Popen(
                self._command(arguments), cwd=self.folder, env=self._environ, stdout=said, stderr=said
            )

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "headrace", *arguments]


def one_line(said: Said) -> str:
    """The one line on stderr that a person can act on."""
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert line.startswith("headrace: ")
    return line
