"""A child process in which handlers run, as its worker sees it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence

from headrace.context import Context
from headrace.errors import HeadraceError
from headrace.executors.child_output import ChildOutput, OnOutput
from headrace.executors.messages import LENGTH, Message, Order, frame
from headrace.model.log.line import LOG

CHILD = "headrace.executors.child"
SETTLE = 1.0  # how long the end of a process and of its line may lie apart
LOOK_EVERY = 2.0  # whether a busy process still goes on


class ChildDied(HeadraceError):
    """The handler's process ended before the handler did."""

    code = "child_died"


class ChildProcess:
    """A child process as its worker sees it; `gone` is done when it and its process group have ended."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        life: int,
        outputs: Sequence[ChildOutput],
    ) -> None:
        self.jobs = 0
        self._outputs = outputs
        self._process = process
        self._reader = reader
        self._writer = writer
        self._life = life
        self._answer: asyncio.Future[Message] | None = None
        self._context: Context | None = None
        self._killer: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._stood_still = 0
        self.gone = asyncio.create_task(self._live())

    @classmethod
    async def start(cls) -> ChildProcess:
        """A new child, ready for orders as soon as it has started up."""
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            line, their_line = socket.socketpair()
            their_life, life = os.pipe()
            ours.callback(line.close)
            ours.callback(os.close, life)
            theirs.callback(their_line.close)
            theirs.callback(os.close, their_life)
            fds = (their_line.fileno(), their_life)
            outputs = [ChildOutput(name) for name in ("stdout", "stderr")]
            for output in outputs:
                ours.callback(output.close)
                theirs.callback(os.close, output.theirs)
            process = await asyncio.create_subprocess_exec(
                # -P: a file in the working directory must not stand in for a module.
                *(sys.executable, "-P", "-m", CHILD, *map(str, fds)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=outputs[0].theirs,
                stderr=outputs[1].theirs,
                pass_fds=fds,
                start_new_session=True,  # Ctrl-C reaches the worker alone, and the group can be ended as one
            )
            reader, writer = await asyncio.open_unix_connection(sock=line)
            ours.pop_all()
            return cls(process, reader, writer, life, outputs)

    async def ask(self, order: Order, context: Context, on_output: OnOutput | None) -> Message:
        """Have the order carried out, and return the answer; what it prints until then is the order's."""
        self.jobs += 1
        self._context = context
        self._answer = asyncio.get_running_loop().create_future()
        for output in self._outputs:
            output.receiver = on_output
        self._writer.write(frame(order._asdict()))
        self._stood_still = 0
        self._look_later()
        try:
            return await self._answer
        finally:
            if self._looking is not None:
                self._looking.cancel()
            for output in self._outputs:
                output.drain()
                output.receiver = None

    def stop(self, grace: float) -> None:
        """Tell the child to stop, and end it if it has not done so after the grace."""
        # By os.kill: Process.send_signal may reap the process behind the back of asyncio's watcher.
        self._signal(os.kill, signal.SIGTERM)
        if self._killer is None and not self.gone.done():
            self._killer = asyncio.get_running_loop().call_later(grace, self.kill)

    def kill(self) -> None:
        """End the child and what it started, now."""
        self._signal(os.killpg, signal.SIGKILL)

    def _look_later(self) -> None:
        self._looking = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)

    def _look(self) -> None:
        """End a process that is stopped, and still is at the next look: it would neither answer nor end, for ever."""
        self._stood_still = self._stood_still + 1 if is_stopped(self._process.pid) else 0
        if self._stood_still > 1:
            self.kill()
        elif not self.gone.done():
            self._look_later()

    def _signal(self, send: Callable[[int, int], None], number: int) -> None:
        if not self.gone.done():  # the id may belong to somebody else later
            with contextlib.suppress(ProcessLookupError, PermissionError):
                send(self._process.pid, number)

    async def _live(self) -> None:
        exited = asyncio.ensure_future(self._process.wait())
        heard = asyncio.ensure_future(self._listen())
        try:
            await asyncio.wait({exited, heard}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({exited, heard}, timeout=SETTLE)
            how = how_it_ended(await exited if exited.done() else None, stopped=self._killer is not None)
            if self._stood_still > 1:
                how = "was stopped (SIGSTOP) and did not go on: it was ended"
            self.kill()  # a process without a line, or what it left behind in its group
            await exited
            self._settle(how)
        finally:
            self.kill()
            self._let_go()
            heard.cancel()
            await asyncio.wait({heard})

    async def _listen(self) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while True:
                (length,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
                self._hear(json.loads(await self._reader.readexactly(length)))

    def _hear(self, message: Message) -> None:
        if self._answer is None or self._answer.done():
            return  # nobody waits any more
        context = self._context
        if message["kind"] == "progress" and context is not None:
            context.progress(message["fraction"], message["message"])
        elif message["kind"] == "log" and context is not None:
            if (lines := context.lines()) is not None:
                lines.write(message["message"], level=message["level"], stream=LOG, fields=message["fields"])
        else:
            self._answer.set_result(message)

    def _settle(self, how: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ChildDied(f"the handler's process {how}"))

    def _let_go(self) -> None:
        if self._killer is not None:
            self._killer.cancel()
        self._writer.transport.abort()
        os.close(self._life)
        for output in self._outputs:
            output.drain()
            output.close()


def is_stopped(pid: int) -> bool:
    """Whether a signal has stopped a child of ours. Only looked at: its end is for who waits for it."""
    try:
        return os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return False


def how_it_ended(code: int | None, *, stopped: bool) -> str:
    """The end of a process in words, from its return code, or none where only its line ended."""
    if stopped:
        return "was asked to stop"
    if code is None:
        return "closed its connection"
    if code >= 0:
        return f"ended with exit code {code}"
    if -code == signal.SIGKILL:
        return "was killed by signal 9 (out of memory?)"
    try:
        return f"was killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:  # a real-time signal has no name
        return f"was killed by signal {-code}"
