"""The processes of the storm: each has a place, in which another starts when it has ended, and a fate."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.chaos.storm.truth import FILE, PROCESS
from tests.chaos.world.processes import ROOT
from tests.environ import bare_environ

CLOCK = Path(__file__).parent / "clock"
SECONDS_TO_STOP = 60.0
SECONDS_TO_SAY_SO = 2.0
LAST_WORDS = 300
# Whoever starts what ended waits a moment, as a service manager does.
REST = 1.0


@dataclass
class Life:
    """One process: when it was killed or stood still, and with which code it ended if nobody killed it."""

    name: str
    place: str
    pid: int
    killed_at: datetime | None = None
    frozen: list[tuple[datetime, datetime]] = field(default_factory=list)
    ended_by_itself: int | None = None
    ended_at: datetime | None = None
    said: str = ""


class Resident:
    """A place and the process in it."""

    def __init__(self, place: str, folder: Path, command: list[str], environ: Mapping[str, str]) -> None:
        self.place = place
        self._folder = folder
        self._command = command
        self._environ = dict(environ)
        self._process: subprocess.Popen[bytes] | None = None
        self._froze_at: datetime | None = None
        self._ended_at: float | None = None
        self._leaves = False
        self.lives: list[Life] = []
        (folder / f"{place}.clock").write_bytes(struct.pack("d", 0.0))

    @property
    def life(self) -> Life:
        return self.lives[-1]

    def is_up(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Another process, with a name that no other has."""
        name = f"{self.place}-life-{len(self.lives)}"
        environ = bare_environ(
            **self._environ,
            **{
                FILE: str(self._folder / "truth"),
                PROCESS: name,
                "STORM_CLOCK": str(self._folder / f"{self.place}.clock"),
            },
            PYTHONPATH=f"{CLOCK}:{ROOT / 'src'}:{ROOT}",
        )
        with self._log(name).open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "headrace", *self._command],
                cwd=self._folder,
                env=environ,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.lives.append(Life(name, self.place, self._process.pid))

    def kill(self) -> None:
        """As a machine's end would. Its death is told before it comes."""
        self.life.killed_at = datetime.now(UTC)
        os.kill(self.life.pid, signal.SIGKILL)

    def freeze(self) -> None:
        self._froze_at = datetime.now(UTC)
        os.kill(self.life.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        if self._froze_at is not None:
            if self.is_up():
                os.kill(self.life.pid, signal.SIGCONT)
            self.life.frozen.append((self._froze_at, datetime.now(UTC)))
            self._froze_at = None

    def is_frozen(self) -> bool:
        return self._froze_at is not None

    def set_clock(self, seconds: float) -> None:
        """From now on its wall clock is off by so much."""
        with (self._folder / f"{self.place}.clock").open("r+b") as file:
            file.write(struct.pack("d", seconds))

    def start_again_if_it_ended(self) -> None:
        """What nobody killed is written down with its last words."""
        if self._leaves or self.is_up() or self._process is None:
            return
        if self._ended_at is None:
            self._ended_at = time.monotonic()
            self._write_end(self._process.returncode)
            self.thaw()
        if time.monotonic() - self._ended_at >= REST:
            self._ended_at = None
            self.start()

    def ask_to_leave(self) -> None:
        """An orderly end begins."""
        self._leaves = True
        if self.is_up():
            os.kill(self.life.pid, signal.SIGTERM)

    def gone(self, seconds: float = SECONDS_TO_STOP) -> bool:
        """Whether it left in order and in time; it is gone afterwards in any case."""
        if self._process is None:
            return True
        deadline = time.monotonic() + seconds
        try:
            self._process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._say_where_it_is()
            self._process.kill()
            self._process.wait(10)
            return False
        return self._process.returncode == 0

    def _say_where_it_is(self) -> None:
        """Have its log say what each of its tasks waits for."""
        assert self._process is not None
        self._process.send_signal(signal.SIGUSR1)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_SAY_SO)

    def end_of_log(self) -> str:
        """Its last words."""
        file = self._log(self.life.name)
        return file.read_text("utf-8", "replace")[-LAST_WORDS:].strip() if file.exists() else ""

    def _write_end(self, code: int) -> None:
        if self.life.killed_at is None:
            self.life.ended_by_itself, self.life.ended_at = code, datetime.now(UTC)
            self.life.said = self.end_of_log()
        self._log(self.life.name).unlink(missing_ok=True)  # of thousands only the last is kept

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"
