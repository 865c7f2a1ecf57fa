"""The runner: one job from claim to outcome."""

from __future__ import annotations

import asyncio
import random
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from headrace.define.handler import Handler
from headrace.executors.process import ChildRaised, ProcessExecutor
from headrace.executors.threads import ThreadExecutor
from headrace.log import get_logger
from headrace.model.context import Context, Report
from headrace.model.job import ClaimedJob
from headrace.model.outcome import (
    Cancel,
    Canceled,
    Fail,
    Failed,
    Outcome,
    Released,
    Retry,
    Snooze,
    Succeeded,
    TimedOut,
)
from headrace.model.text import NotJsonError, to_json
from headrace.model.transition import Transition, decide
from headrace.worker.slots import Run, Slots, StopReason

log = get_logger("headrace.worker")
SUCCEEDED = Succeeded()


class Runner:
    """Starts runs, stops them, and turns how they ended into a transition."""

    def __init__(
        self,
        slots: Slots,
        handlers: Mapping[str, Handler],
        *,
        on_end: Callable[[Run, Transition | None], None],
        report: Report,
        kill_grace: float,
        threads: ThreadExecutor,
        processes: ProcessExecutor,
    ) -> None:
        # Kept, because asking for it asks the kernel for the process id: a sixth of the time of a no-op job.
        self._loop = asyncio.get_running_loop()
        self._slots = slots
        self._handlers = handlers
        self._on_end = on_end
        self._report = report
        self._kill_grace = max(kill_grace, 0.1)
        self._threads = threads
        self._processes = processes

    def start(self, job: ClaimedJob) -> None:
        """Run a job as a task of its own, strongly referenced by its slot."""
        run = Run(job, Context(job, self._report), (job.id, job.run))
        self._slots.running[run.fence] = run
        run.task = self._loop.create_task(self._run(run))
        if job.terms.timeout is not None:
            run.timer = self._loop.call_later(job.terms.timeout, self.stop, run, "timed out")

    def stop(self, run: Run, reason: StopReason) -> None:
        """Tell a run to stop; the first reason counts, except that being lost overrides all."""
        if run.stop_reason is None or reason == "lost":
            run.stop_reason = reason
        run.context.cancel()
        self._insist(run)

    def _insist(self, run: Run) -> None:
        """Cancel the run's task, and again after each grace while it lives on: a handler may swallow it."""
        if run.task is None or run.task.done():
            return
        run.task.cancel()
        self._loop.call_later(self._kill_grace, self._insist, run)

    async def _run(self, run: Run) -> None:
        outcome: Outcome
        try:
            outcome = outcome_of(await self._call(run))
        except asyncio.CancelledError:
            outcome = self._stopped(run)
        except (Retry, Snooze, Cancel, Fail) as asked:
            outcome = asked
        except BaseException as error:
            outcome = failure(error)
        self._end(run, outcome)

    async def _call(self, run: Run) -> Any:
        handler = self._handlers[run.job.definition]
        if handler.isolation == "process":
            return await self._processes.run(handler, run.job.payload, run.context)
        arguments = handler.bind(run.job.payload, run.context)
        if handler.is_async:
            return await handler.function(**arguments)
        return await self._threads.run(handler.function, arguments)

    def _stopped(self, run: Run) -> Outcome:
        match run.stop_reason:
            case "timed out":
                return TimedOut(self._timeout_text(run))
            case "canceled":
                return Canceled()
            case "shutdown" | "lost":
                return Released()
            case None:
                return Failed("CancelledError: the handler was cancelled from within")

    def _timeout_text(self, run: Run) -> str:
        handler = self._handlers[run.job.definition]
        text = f"timed out after {run.job.terms.timeout:g} s"
        if handler.is_async or handler.isolation == "process":
            return text
        return f"{text}; its thread cannot be ended and may still run (use isolation='process' to end it)"

    def _end(self, run: Run, outcome: Outcome) -> None:
        if run.timer is not None:
            run.timer.cancel()
        del self._slots.running[run.fence]
        if run.stop_reason == "lost":
            self._on_end(run, None)
        else:
            self._on_end(run, decide(run.job, outcome, random.random()))  # noqa: S311 - jitter is no secret


def outcome_of(value: Any) -> Outcome:
    """What a handler's return value means."""
    if value is None:
        return SUCCEEDED
    if isinstance(value, (Retry, Snooze, Cancel, Fail)):
        return value
    try:
        return Succeeded(to_json(value))
    except NotJsonError as error:
        return Failed(f"the result cannot be stored: {error}")


def failure(error: BaseException) -> Failed:
    """What a handler's exception means, with as much of the traceback as is the handler's own."""
    if isinstance(error, ChildRaised):
        return Failed(str(error), error.traceback)
    try:
        text = f"{type(error).__name__}: {error}".rstrip(": ")
        frames = traceback.TracebackException.from_exception(error, limit=50)
        return Failed(text, "".join(frames.format()))
    except BaseException:  # its own words may raise anything
        return Failed(f"{type(error).__name__} (it cannot be described)")
