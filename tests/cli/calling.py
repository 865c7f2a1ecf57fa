"""Calling `headrace` as a shell would: a process of its own, in a folder and an environment of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import NamedTuple

from tests.environ import bare_environ
from tests.waiting import PATIENCE

# What the installed script does.
ENTRY = "from headrace.cli.entry import run; run()"


class Said(NamedTuple):
    """How a call ended."""

    code: int
    out: str
    err: str


class Shell:
    """A folder to call from, and the `HEADRACE_*` variables to call with."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        kept = {name: value for name, value in bare_environ().items() if name != "PYTHONPATH"}
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

    def on_terminal(self, *arguments: str, columns: int) -> str:
        """What is shown on a terminal of so many columns, by a call that ends well."""
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        environ = {name: value for name, value in self._environ.items() if name != "COLUMNS"}
        with subprocess.Popen(self._command(arguments), cwd=self.folder, env=environ, stdin=its, stdout=its) as process:
            os.close(its)
            shown = _read_all(ours)
        os.close(ours)
        assert process.returncode == 0, shown
        return shown.replace("\r\n", "\n")

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Call without waiting; what it says goes to `said.log` in the folder."""
        with (self.folder / "said.log").open("wb") as said:
            return subprocess.Popen(
                self._command(arguments), cwd=self.folder, env=self._environ, stdout=said, stderr=said
            )

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-c", ENTRY, *arguments]


def _read_all(terminal: int) -> str:
    """Until whoever writes to it is gone, which Linux says with an error."""
    read = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            return read.decode()
        if not part:
            return read.decode()
        read += part


def one_line(said: Said) -> str:
    """The one line on stderr that a person can act on. The log of a start says before which configuration counts."""
    assert said.out == ""
    (line,) = (line for line in said.err.splitlines() if '"configuration read"' not in line)
    assert line.startswith("headrace: ")
    return line
