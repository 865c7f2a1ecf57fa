"""Handlers in child processes, which can be ended whatever they do."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from headrace.errors import HeadraceError
from headrace.executors.child_output import ChildOutput, OnOutput
from headrace.executors.messages import LENGTH, ChildRaised, Message, Order, Place, frame, value_of
from headrace.model.context import Context
from headrace.model.log_line import LOG

__all__ = ["ChildDied", "ChildRaised", "IsolatedHandler", "NotIsolable", "ProcessExecutor"]

CHILD = "headrace.executors.child"
MOST_IDLE = 8
JOBS_PER_CHILD = 100  # then it is replaced, so that what a handler leaks does not add up
CLOSE_GRACE = 2.0
SETTLE = 1.0  # how long the end of a process and of its line may lie apart


class NotIsolable(HeadraceError):
    """A child process cannot find this function."""

    code = "not_isolable"


class ChildDied(HeadraceError):
    """The handler's process ended before the handler did."""

    code = "child_died"


class IsolatedHandler(Protocol):
    """What `@hr.job` made of a function."""

    @property
    def function(self) -> Callable[..., Any]: ...


class ProcessExecutor:
    """A pool of warm children, each running one job at a time; the caller bounds how many run at once."""

    def __init__(self, *, kill_grace: float = 5.0) -> None:
        if CHILD in sys.orig_argv:
            # Imported by a child, a script that starts its worker unguarded would start workers without end.
            raise NotIsolable(
                "a worker was started while a handler's process imported its module: "
                "start it under `if __name__ == '__main__':`"
            )
        self._kill_grace = kill_grace
        self._children: set[Child] = set()
        self._idle: list[Child] = []
        self._starting: set[asyncio.Task[None]] = set()
        self._closed = False

    async def run(
        self, handler: IsolatedHandler, payload: str, context: Context, on_output: OnOutput | None = None
    ) -> Any:
        """The handler's value (JSON-decoded), or its exception; cancelling this ends the child."""
        path = [entry for entry in sys.path if isinstance(entry, str)]
        order = Order.of(place_of(handler.function), path, payload, context)
        child = await self._take()
        try:
            answer = await child.ask(order, context, on_output)
        except BaseException:
            # Not reused: a late signal could reach the next job.
            await self._end(child)
            raise
        self._keep(child)
        return value_of(answer)

    async def close(self) -> None:
        """End all children, busy ones too, and wait until they are gone."""
        self._closed = True
        if self._starting:
            await asyncio.wait(self._starting)
        children = list(self._children)
        for child in children:
            child.stop(min(self._kill_grace, CLOSE_GRACE))
        try:
            await asyncio.gather(*(asyncio.wait({child.gone}) for child in children))
        except asyncio.CancelledError:
            for child in children:
                child.kill()
            raise

    async def _take(self) -> Child:
        while not self._closed:
            while self._idle:
                child = self._idle.pop()
                if not child.gone.done():
                    return child
            # A child that starts becomes idle: were this cancelled, it would wait there for the next job.
            starting = asyncio.create_task(self._start())
            self._starting.add(starting)
            starting.add_done_callback(self._starting.discard)
            await asyncio.shield(starting)
        raise ChildDied("the worker is closing: it starts no more processes")

    async def _start(self) -> None:
        child = await Child.start()
        self._children.add(child)
        child.gone.add_done_callback(lambda _: self._forget(child))
        self._idle.append(child)

    def _keep(self, child: Child) -> None:
        if self._closed or child.jobs >= JOBS_PER_CHILD or len(self._idle) >= MOST_IDLE:
            child.stop(self._kill_grace)
        else:
            self._idle.append(child)

    def _forget(self, child: Child) -> None:
        self._children.discard(child)
        if child in self._idle:
            self._idle.remove(child)

    async def _end(self, child: Child) -> None:
        """Return only when the child is gone, so that no two attempts overlap."""
        child.stop(self._kill_grace)
        interrupted = False
        while not child.gone.done():
            try:
                await asyncio.wait({child.gone})
            except asyncio.CancelledError:
                child.kill()
                interrupted = True
        if interrupted:
            raise asyncio.CancelledError


class Child:
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
        self.gone = asyncio.create_task(self._live())

    @classmethod
    async def start(cls) -> Child:
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
        try:
            return await self._answer
        finally:
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


def how_it_ended(code: int | None, *, stopped: bool) -> str:
    """The end of a process in words, from its return code, or none where only its line ended."""
    if stopped:
        return "was told to stop"
    if code is None:
        return "broke off its connection"
    if code >= 0:
        return f"ended with exit code {code}"
    if -code == signal.SIGKILL:
        return "was killed by signal 9 (out of memory?)"
    try:
        return f"was killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:  # a real-time signal has no name
        return f"was killed by signal {-code}"


def place_of(function: Callable[..., Any]) -> Place:
    """Where a child finds the job of this function, or the reason why it cannot."""
    name = f"{function.__module__}.{function.__qualname__}"
    if "<" in function.__qualname__:  # <lambda> or <locals>
        raise NotIsolable(f"{name} cannot run with isolation='process': move the function to module level")
    main = sys.modules["__main__"]
    module = sys.modules.get(function.__module__)
    found = functools.reduce(lambda thing, part: getattr(thing, part, None), function.__qualname__.split("."), module)
    if getattr(getattr(found, "handler", None), "function", None) is not function:
        raise NotIsolable(
            f"{name} cannot run with isolation='process': the name in its module must be what @hr.job returned"
        )
    if module is not main:
        return Place(function.__module__, function.__qualname__, None)
    if main.__spec__ is not None:  # run with `python -m`
        return Place(main.__spec__.name, function.__qualname__, None)
    if getattr(main, "__file__", None) is None:
        raise NotIsolable(f"{name} cannot run with isolation='process': move the function to a module's file")
    return Place("__main__", function.__qualname__, os.path.abspath(str(main.__file__)))
