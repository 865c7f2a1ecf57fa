"""The child process: runs the jobs its worker orders, one at a time, and never outlives the worker."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import fcntl
import functools
import importlib
import inspect
import io
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import types
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any
from uuid import UUID

from headrace import capture
from headrace.context import Context
from headrace.executors.messages import LENGTH, Message, Order, answer_to, answer_with, frame
from headrace.model.job.record import ClaimedJob
from headrace.model.log.run_log import LogLimits, RunLog
from headrace.model.secret.mask_outcome import masker_for
from headrace.tracing import carried

PARENT_CHECK_MS = 5_000
UNLIMITED = LogLimits(lines=10**12, size=10**15)


class Child:
    """One job at a time in the main thread, where signals arrive; the worker's orders come through another."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._sending = threading.Lock()
        self._orders: SimpleQueue[Order] = SimpleQueue()
        self._order: Order | None = None
        self._context: Context | None = None
        self._cancel_task: Callable[[], object] | None = None

    def serve(self) -> None:
        """Run one order after the other, until told to stop."""
        os.register_at_fork(after_in_child=self._disown)
        self._heed_stops()
        threading.Thread(target=self._listen, name="headrace-orders", daemon=True).start()
        while True:
            self._obey(self._orders.get())

    def _obey(self, order: Order) -> None:
        context = Context(order.job(), functools.partial(self._report, order), functools.partial(self._open_log, order))
        self._order, self._context = order, context
        self._heed_stops()  # again, for the job before may have changed what a signal does
        # A copy, so that what one job leaves in context variables does not reach the next.
        answer = contextvars.copy_context().run(self._answer, order, context)
        _flush()
        if self._order is not order:
            os._exit(0)  # a process that the handler forked has come back from it: the answer is not its to give
        with self._sending:
            self._order = self._context = None  # from here on a thread that the job left behind reports in vain
            if context.canceled:
                raise SystemExit  # the worker waits for the end of this process, not for an answer
            self._send(answer)

    def _answer(self, order: Order, context: Context) -> Message:
        try:
            handler = find(order)
            # Not before: what is logged while the module is imported would ask for the handler, which is not there yet.
            capture.current.set(context)
            carried.resume(order.trace_context)
            if context.canceled:
                return {}
            value = handler.invoke(order.payload, context)
            if inspect.iscoroutine(value):
                value = asyncio.run(self._await(value, context))
            return answer_with(value)
        except BaseException as error:
            return answer_to(error)

    async def _await(self, coroutine: Coroutine[Any, Any, Any], context: Context) -> Any:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None  # noqa: S101 - asyncio.run makes one
        self._cancel_task = lambda: loop.call_soon_threadsafe(task.cancel)
        if context.canceled:  # the signal came before there was a task to cancel
            task.cancel()
        try:
            return await coroutine
        finally:
            self._cancel_task = None

    def _heed_stops(self) -> None:
        signal.signal(signal.SIGTERM, self._stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    def _stop(self, _signal: int, _frame: object) -> None:
        context = self._context
        if context is None:
            raise SystemExit
        if not context.canceled:  # a second signal must not cut short what the first one began
            context.cancel()
            if self._cancel_task is not None:
                self._cancel_task()

    def _report(self, order: Order, _job_id: UUID, fraction: float | None, message: str | None) -> None:
        with self._sending:
            if self._order is order:
                self._send({"kind": "progress", "fraction": fraction, "message": message})

    def _open_log(self, order: Order, job: ClaimedJob) -> RunLog:
        """Each line goes to the worker as it comes: it has the job's limits, and knows what is secret."""
        return RunLog(
            job.id,
            job.run,
            clock=lambda: datetime.now(UTC),
            limits=UNLIMITED,
            # Here as well: lines are cut to their length before they are sent.
            masker=masker_for(order.payload, find(order).secrets),
            on_line=functools.partial(self._send_lines, order),
        )

    def _send_lines(self, order: Order, log: RunLog) -> None:
        with self._sending:
            for line in log.take(100):
                if self._order is order:
                    fields = json.loads(line.fields) if line.fields else None
                    self._send({"kind": "log", "level": line.level, "message": line.message, "fields": fields})

    def _send(self, message: Message) -> None:
        try:
            self._line.sendall(frame(message))
        except OSError:
            end_group()

    def _listen(self) -> None:
        # The worker's end may outlive it in a process that it forked, so its id is watched as well.
        worker = os.getppid()
        poll = select.poll()
        poll.register(self._line, select.POLLIN)
        with contextlib.suppress(OSError):
            while os.getppid() == worker:
                if not poll.poll(PARENT_CHECK_MS):
                    continue
                if (order := self._read()) is None:
                    break
                self._orders.put(order)
        end_group()

    def _read(self) -> Order | None:
        head = self._exactly(LENGTH.size)
        body = head and self._exactly(*LENGTH.unpack(head))
        return Order(**json.loads(body)) if body else None

    def _exactly(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._line.recv(size - len(parts))
            if not part:
                return b""
            parts += part
        return bytes(parts)

    def _disown(self) -> None:
        # A forked process is the handler's own: it must not hold the line open or speak, and a SIGTERM ends it.
        self._line.close()
        self._order = None
        self._sending = threading.Lock()  # another thread may have held the old one when this was forked
        if signal.getsignal(signal.SIGTERM) == self._stop:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def find(order: Order) -> Any:
    """The handler that the order names, its module imported if need be."""
    sys.path[:] = [*order.path, *(entry for entry in sys.path if entry not in order.path)]
    module = importlib.import_module(order.module) if order.script is None else main_module(order.script)
    return functools.reduce(getattr, order.qualname.split("."), module).handler


@functools.cache
def main_module(script: str) -> types.ModuleType:
    """The worker's script, run once under another name than `__main__`, as multiprocessing does."""
    module = types.ModuleType("__mp_main__")
    module.__dict__.update(runpy.run_path(script, run_name="__mp_main__"))
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    return module


def end_group() -> None:
    """End this process and all that it started: nobody is left who would want what they do."""
    os.killpg(0, signal.SIGKILL)


def die_with(life: int) -> None:
    """Have the kernel end the group when the worker's end of this pipe closes, even while the GIL is held."""
    os.set_inheritable(life, False)
    if sys.platform == "linux":
        # Not PR_SET_PDEATHSIG: it ends this process alone, before it could take its own children along.
        fcntl.fcntl(life, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(life, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)


def main() -> None:
    """Serve the worker at the other end of the given descriptors."""
    line, life = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    del sys.argv[1:]
    line.set_inheritable(False)
    die_with(life)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what is printed is seen at once, and survives a SIGKILL
    capture.install_logging()
    Child(line).serve()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


if __name__ == "__main__":
    main()
