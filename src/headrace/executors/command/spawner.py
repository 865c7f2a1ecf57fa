"""The spawner as its worker sees it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from pathlib import Path

from headrace.executors.command.attempt import AttemptHandle
from headrace.executors.command.keeper import wire
from headrace.executors.command.lifelines import Lifelines

KEEPER = Path(__file__).with_name("keeper") / "__main__.py"
NEEDED_TO_START = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # for interpreters in unusual places; nothing else


class SpawnerClient:
    """A warm process that forks a monitor for each attempt."""

    def __init__(self, process: asyncio.subprocess.Process, line: socket.socket, lifelines: Lifelines) -> None:
        self._process = process
        self._line = line
        self._lifelines = lifelines
        self._attempts: set[AttemptHandle] = set()
        self.is_alive = True
        asyncio.get_running_loop().add_reader(line, self._on_end)  # it never says anything
        lifelines.add(line)

    @classmethod
    async def start(cls, lifelines: Lifelines, *, lease: float, scratch: Path) -> SpawnerClient:
        """A new one, ready as soon as it has started up."""
        line, their_line = socket.socketpair()
        line.setblocking(False)
        with their_line:
            try:
                process = await asyncio.create_subprocess_exec(
                    # Isolated and without site: whatever is installed or in the working directory stays out.
                    *(sys.executable, "-I", "-S", "-X", "utf8", str(KEEPER)),
                    *(str(their_line.fileno()), str(os.getpid()), str(lease), str(scratch)),
                    env={name: os.environ[name] for name in NEEDED_TO_START if name in os.environ},
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    pass_fds=(their_line.fileno(),),
                    start_new_session=True,  # Ctrl-C reaches the worker alone
                )
            except BaseException:
                line.close()
                raise
        return cls(process, line, lifelines)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def launch(self, attempt: AttemptHandle) -> bool:
        """Whether a monitor waits for this attempt's `go`; if not, nothing has run."""
        self._attempts.add(attempt)
        try:
            socket.send_fds(self._line, [wire.LAUNCH], attempt.descriptors())
        except OSError:
            self._on_end()
            return False
        finally:
            attempt.hand_over()
        return await attempt.greeted

    def forget(self, attempt: AttemptHandle) -> None:
        """The attempt is over."""
        self._attempts.discard(attempt)

    def kill(self) -> None:
        """End the process, which does not answer; its monitors go on."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._on_end()

    async def close(self) -> None:
        """Let the process end, and wait for it."""
        self._on_end()
        await self._process.wait()

    def _on_end(self) -> None:
        if self.is_alive:
            self.is_alive = False
            asyncio.get_running_loop().remove_reader(self._line)
            self._lifelines.close(self._line)
            for attempt in self._attempts:  # their monitors have nobody else who keeps the lease
                self._lifelines.add(attempt.control)
