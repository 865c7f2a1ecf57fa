"""Commands, each ended with all that it started."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from headrace.errors import HeadraceError
from headrace.executors.command.attempt import AttemptHandle, MonitorDied, OnStands, how_it_stopped
from headrace.executors.command.launch import Ended, Launch
from headrace.executors.command.lifelines import Lifelines
from headrace.executors.command.output import OnOutput
from headrace.executors.command.spawner import SpawnerClient
from headrace.log import get_logger

__all__ = ["CommandExecutor", "CommandsUnavailable", "MonitorDied", "OnOutput", "how_it_stopped"]

log = get_logger("headrace.worker")
TRIES = 3
GREETING = 10.0  # a spawner that has not forked by then is replaced
LEAVE = 5.0  # how long closing waits for the spawner, which waits for processes that cannot be killed
STARTING_AT_ONCE = 16  # so many launches always fit into the spawner's socket


class CommandsUnavailable(HeadraceError):
    """No command can be started here."""

    code = "commands_unavailable"


class CommandExecutor:
    """Runs commands under monitors, which one warm spawner forks; the caller bounds how many run at once."""

    def __init__(self, *, lease: float, scratch: Path | None = None) -> None:
        self._lease = lease
        self._scratch = (scratch or Path(tempfile.gettempdir())).absolute()
        self._lifelines = Lifelines()
        self._starting = asyncio.Semaphore(STARTING_AT_ONCE)
        self._spawner: SpawnerClient | None = None
        self._spawning: asyncio.Task[None] | None = None
        self._retired: set[asyncio.Task[None]] = set()
        self._running: dict[AttemptHandle, SpawnerClient] = {}
        self._closed = False

    async def run(self, launch: Launch, on_output: OnOutput, on_stands: OnStands | None = None) -> Ended:
        """Run a command to its end, and return when nothing of it is left.

        Output is handed over as it is read, up to 64 KB at a time; where `on_output` returns seconds, that pipe is not
        read for so long. `on_stands` hears which processes of the tree stand still. Cancelling this stops the tree,
        and a second time kills it at once; `how_it_stopped` of the CancelledError tells the end.
        """
        attempt = await self._start(launch, on_output, on_stands)
        try:
            return await attempt.wait()
        finally:
            self._end(attempt)

    def beat(self) -> None:
        """Tell that the lease is held, from any thread; all commands end when this was not said for a lease."""
        self._lifelines.beat()

    async def close(self) -> None:
        """Stop all commands, and wait until they are gone; start none from now on."""
        self._closed = True
        if self._spawning is not None:
            await asyncio.wait({self._spawning})
        attempts = list(self._running)
        for attempt in attempts:
            attempt.stop()
        try:
            await asyncio.gather(*(asyncio.wait({attempt.over}) for attempt in attempts))
        except asyncio.CancelledError:
            for attempt in attempts:
                attempt.kill()
            raise
        finally:
            self._retire()
        if self._retired:
            await asyncio.wait(self._retired, timeout=LEAVE)

    async def _start(self, launch: Launch, on_output: OnOutput, on_stands: OnStands | None) -> AttemptHandle:
        async with self._starting:
            for _ in range(TRIES):
                spawner = await self._warm_spawner()
                attempt = AttemptHandle(launch, on_output, self._lifelines, on_stands)
                self._running[attempt] = spawner
                try:
                    if await self._greet(spawner, attempt):
                        attempt.go()
                        return attempt
                except BaseException:
                    self._end(attempt)
                    raise
                self._end(attempt)
        raise CommandsUnavailable(
            "the monitor of the command cannot be started: see the worker's stderr; there may be too many processes"
        )

    async def _greet(self, spawner: SpawnerClient, attempt: AttemptHandle) -> bool:
        """Whether a monitor is ready; until it is told to go, trying again is safe."""
        try:
            async with asyncio.timeout(GREETING):
                return await spawner.launch(attempt) and not self._closed
        except TimeoutError:
            log.warning("command spawner replaced: no response", pid=spawner.pid)
            spawner.kill()
            return False

    async def _warm_spawner(self) -> SpawnerClient:
        while not self._closed:
            if self._spawner is not None and self._spawner.is_alive:
                return self._spawner
            if self._spawning is None:
                # A task of its own: were this cancelled half way, a process would be left without an owner.
                self._spawning = asyncio.create_task(self._spawn())
            await asyncio.shield(self._spawning)
        raise CommandsUnavailable("the worker is closing and starts no more commands")

    async def _spawn(self) -> None:
        try:
            if self._spawner is not None:
                log.warning("command spawner replaced: its process ended", pid=self._spawner.pid)
            elif sys.platform != "linux":
                log.warning(
                    "command support limited: a command ends with its process group only; on Linux with its whole tree"
                )
            self._retire()
            self._spawner = await SpawnerClient.start(self._lifelines, lease=self._lease, scratch=self._scratch)
        finally:
            self._spawning = None

    def _retire(self) -> None:
        if self._spawner is not None:
            ending = asyncio.create_task(self._spawner.close())
            self._retired.add(ending)
            ending.add_done_callback(self._retired.discard)
            self._spawner = None

    def _end(self, attempt: AttemptHandle) -> None:
        self._running.pop(attempt).forget(attempt)
        attempt.close()
