"""Handlers in child processes, which can be ended whatever they do."""

from __future__ import annotations

import asyncio
import functools
import os
import sys
from collections.abc import Callable
from typing import Any, Protocol

from headrace.context import Context
from headrace.errors import HeadraceError
from headrace.executors.child_output import OnOutput
from headrace.executors.child_process import CHILD, ChildDied, ChildProcess
from headrace.executors.messages import ChildRaised, FunctionPlace, Order, value_of

__all__ = ["ChildDied", "ChildRaised", "IsolatedHandler", "NotIsolable", "ProcessExecutor"]

MOST_IDLE = 8
JOBS_PER_CHILD = 100  # then it is replaced, so that what a handler leaks does not add up
CLOSE_GRACE = 2.0


class NotIsolable(HeadraceError):
    """A child process cannot find this function."""

    code = "not_isolable"


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
        self._children: set[ChildProcess] = set()
        self._idle: list[ChildProcess] = []
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

    async def _take(self) -> ChildProcess:
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
        raise ChildDied("the worker is closing and starts no more processes")

    async def _start(self) -> None:
        child = await ChildProcess.start()
        self._children.add(child)
        child.gone.add_done_callback(lambda _: self._forget(child))
        self._idle.append(child)

    def _keep(self, child: ChildProcess) -> None:
        if self._closed or child.jobs >= JOBS_PER_CHILD or len(self._idle) >= MOST_IDLE:
            child.stop(self._kill_grace)
        else:
            self._idle.append(child)

    def _forget(self, child: ChildProcess) -> None:
        self._children.discard(child)
        if child in self._idle:
            self._idle.remove(child)

    async def _end(self, child: ChildProcess) -> None:
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


def place_of(function: Callable[..., Any]) -> FunctionPlace:
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
        return FunctionPlace(function.__module__, function.__qualname__, None)
    if main.__spec__ is not None:  # run with `python -m`
        return FunctionPlace(main.__spec__.name, function.__qualname__, None)
    if getattr(main, "__file__", None) is None:
        raise NotIsolable(f"{name} cannot run with isolation='process': move the function to a module's file")
    return FunctionPlace("__main__", function.__qualname__, os.path.abspath(str(main.__file__)))
