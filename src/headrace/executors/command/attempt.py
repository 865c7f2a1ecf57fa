"""One attempt as its worker sees it: a control socket to the monitor, and the pipes from the command."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import tempfile
from collections.abc import Callable
from typing import IO

from headrace.errors import HeadraceError
from headrace.executors.command.keeper import wire
from headrace.executors.command.launch import Ended, Launch
from headrace.executors.command.lifelines import Lifelines
from headrace.executors.command.output import OnOutput, OutputPipe

# Told which processes of the tree stand still, or with an empty text that they go on.
OnStands = Callable[[str], None]


class MonitorDied(HeadraceError):
    """The command's monitor was killed, and the command with all it had started."""

    code = "monitor_died"


def how_it_stopped(error: asyncio.CancelledError) -> Ended | None:
    """How the command of a cancelled run ended; nothing if it had not started, or its monitor did not live to say."""
    # Not a class of its own: asyncio's timeouts and task groups know the plain one only.
    return next((argument for argument in error.args if isinstance(argument, Ended)), None)


class AttemptHandle:
    """From launch to end; `greeted` is done when a monitor waits for `go`, and `over` when nothing is left."""

    def __init__(
        self, launch: Launch, on_output: OnOutput, lifelines: Lifelines, on_stands: OnStands | None = None
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._lifelines = lifelines
        self._on_stands = on_stands
        self._received = bytearray()
        self._result: bytes | None = None
        self._error: Exception | None = None
        self._report: wire.Report | None = None
        self._has_monitor = True
        self.greeted: asyncio.Future[bool] = self._loop.create_future()
        self.over: asyncio.Future[None] = self._loop.create_future()
        self._pipes: list[OutputPipe] = []
        self._files: list[int] = []
        self.control, self._their_control = socket.socketpair()
        self.control.setblocking(False)
        self._loop.add_reader(self.control, self._hear)
        try:
            self._open(launch, on_output)
        except OSError:
            self.hand_over()
            self.close()
            raise

    def _open(self, launch: Launch, on_output: OnOutput) -> None:
        for name in ["stdout"] if launch.merge_stderr else ["stdout", "stderr"]:
            self._pipes.append(OutputPipe(name, on_output, on_close=self._settle, on_error=self._fail))
        self._files.append(anonymous_file(spec_of(launch).dump()))
        if launch.stdin is not None:
            self._files.append(anonymous_file(launch.stdin))

    def descriptors(self) -> list[int]:
        """What the monitor needs."""
        spec, *stdin = self._files
        return [self._their_control.fileno(), spec, self._pipes[0].their_end, self._pipes[-1].their_end, *stdin]

    def hand_over(self) -> None:
        """Close what is the monitor's from now on."""
        self._their_control.close()
        for fd in [*self._files, *(pipe.their_end for pipe in self._pipes)]:
            os.close(fd)

    def go(self) -> None:
        """Have the command started."""
        self._order(wire.GO)

    def stop(self) -> None:
        """Have the tree told to end, and killed after its grace."""
        self._order(wire.STOP)

    def kill(self) -> None:
        """Have the tree killed, or do not wait for the rest of its output if it is gone."""
        self._order(wire.KILL)
        if not self._has_monitor:
            self._close_pipes()

    async def wait(self) -> Ended:
        """Return when the command has ended and nothing of it is left; a cancellation stops it, a second one kills."""
        cancelled = False
        while not self.over.done():
            try:
                await asyncio.wait({self.over})
            except asyncio.CancelledError:
                if cancelled:
                    self.kill()
                else:
                    self.stop()
                cancelled = True
        ended = None if self._report is None else ended_as(self._report, self._result)
        if cancelled:
            raise asyncio.CancelledError(ended)
        if self._error is not None:
            raise self._error
        if ended is None:
            raise MonitorDied
        return ended

    def close(self) -> None:
        """Let go of everything; a monitor that is still there takes it for the end of the worker."""
        self._close_pipes()
        self._loop.remove_reader(self.control)
        self._lifelines.close(self.control)
        if not self.greeted.done():
            self.greeted.cancel()

    def _order(self, order: bytes) -> None:
        with contextlib.suppress(OSError):  # the monitor may be gone
            self.control.send(order)

    def _hear(self) -> None:
        try:
            data = self.control.recv(262_144)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._received += data
        for kind, content in wire.take_frames(self._received):
            self._take(kind, content)
        if not data or self._report is not None:
            self._loop.remove_reader(self.control)
            self._end()

    def _take(self, kind: bytes, content: bytes) -> None:
        if kind == wire.HELLO and not self.greeted.done():
            self.greeted.set_result(True)
        elif kind == wire.RESULT:
            self._result = content
        elif kind == wire.ENDED:
            self._report = wire.Report.load(content)
        elif kind == wire.STANDS and self._on_stands is not None:
            self._on_stands(content.decode("utf-8", "replace"))

    def _end(self) -> None:
        self._has_monitor = False
        if not self.greeted.done():
            self.greeted.set_result(False)
        for pipe in self._pipes:
            pipe.expect_no_more()
        self._settle()

    def _settle(self) -> None:
        if not self._has_monitor and not self.over.done() and not any(pipe.is_open for pipe in self._pipes):
            self.over.set_result(None)

    def _fail(self, error: Exception) -> None:
        self._error = error
        self.stop()

    def _close_pipes(self) -> None:
        for pipe in self._pipes:
            pipe.close()


def spec_of(launch: Launch) -> wire.Spec:
    """The launch as the monitor reads it."""
    limits = launch.limits
    return wire.Spec(
        argv=[argument.decode("utf-8", "surrogateescape") for argument in launch.argv],
        env=dict(launch.env),
        timeout=launch.timeout,
        kill_grace=launch.kill_grace,
        memory_mb=limits.memory_mb,
        cpu_seconds=limits.cpu_seconds,
        file_size_mb=limits.file_size_mb,
        open_files=limits.open_files,
        max_processes=limits.max_processes,
        user=launch.user,
        result_file=launch.result_file,
    )


def ended_as(report: wire.Report, result: bytes | None) -> Ended:
    """The end as the monitor reported it."""
    return Ended(**{**report._asdict(), "unkillable": tuple(report.unkillable)}, result=result)


def anonymous_file(content: bytes) -> int:
    """A descriptor that reads the content, which has no name and, on Linux, never touches a disk."""
    with _nameless_file() as file:
        file.write(content)
        file.seek(0)
        return os.dup(file.fileno())


def _nameless_file() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("headrace"), "w+b")
    return tempfile.TemporaryFile()
