"""The runner: one job from claim to outcome."""

from __future__ import annotations

import asyncio
import contextlib
import random
import traceback
from collections.abc import Callable
from datetime import datetime
from typing import Any

from headrace.capture import current, end_run
from headrace.context import Context, Report
from headrace.executors.process import ChildRaised
from headrace.log import get_logger
from headrace.model.job.detail import detail_text
from headrace.model.job.outcome import (
    Cancel,
    Canceled,
    CannotRead,
    Fail,
    Failed,
    Outcome,
    Released,
    Retry,
    Snooze,
    Succeeded,
    TimedOut,
)
from headrace.model.job.record import ClaimedJob
from headrace.model.job.transition import Transition, decide, unformed
from headrace.model.log.run_log import LogLimits, RunLog
from headrace.model.secret.encryption import CannotDecrypt
from headrace.model.secret.mask_outcome import MANY_SECRETS, mask_outcome, mask_texts
from headrace.model.text import NotJsonError, to_json
from headrace.tracing.attempt import begin_attempt, end_attempt, end_lost_attempt
from headrace.tracing.carried import inherited
from headrace.tracing.produce import find_tracer
from headrace.worker.claim.slots import Run, Slots, StopReason
from headrace.worker.run.dispatch import ExecutorDispatch
from headrace.worker.run.log_writer import LogWriter

log = get_logger("headrace.worker")
SUCCEEDED = Succeeded()


class Runner:
    """Starts runs, stops them, and turns how they ended into a transition."""

    def __init__(
        self,
        slots: Slots,
        dispatch: ExecutorDispatch,
        *,
        on_end: Callable[[Run, Transition | None], None],
        report: Report,
        logs: LogWriter,
        clock: Callable[[], datetime],
        limits: LogLimits,
        on_start: Callable[[ClaimedJob], None] | None = None,
    ) -> None:
        # Kept, because asking for it asks the kernel for the process id: a sixth of the time of a no-op job.
        self._loop = asyncio.get_running_loop()
        self._slots = slots
        self._dispatch = dispatch
        self._on_end = on_end
        self._report = report
        self._logs = logs
        self._clock = clock
        self._limits = limits
        self._on_start = on_start
        # Asked once: an application sets up its spans before its worker.
        self._tracer = find_tracer()

    def start(self, job: ClaimedJob) -> None:
        """Run a job as a task of its own, strongly referenced by its slot."""
        handler = self._dispatch.find(job.definition)
        refusal: Exception | None = None
        if handler is not None and handler.secret_fields:
            try:
                job = self._dispatch.open_secrets(job, handler)
            except CannotDecrypt as error:
                refusal = Retry(reason=error.args[0])  # another worker may have the key
            except Exception as error:
                refusal = error
        run = Run(job, Context(job, self._report, self._open_log), (job.id, job.run), handler, refusal=refusal)
        self._slots.running[run.fence] = run
        if self._on_start is not None:
            with contextlib.suppress(Exception):  # an application's logging may raise
                self._on_start(job)
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
        if run.task is None or run.task.done() or run.ended:
            return
        run.task.cancel()
        self._loop.call_later(self._dispatch.grace(run), self._insist, run)

    async def _run(self, run: Run) -> None:
        outcome: Outcome
        current.set(run.context)
        try:
            if self._tracer is not None or run.job.trace_context is not None:
                self._enter_trace(run)
            handler = run.handler
            if len(run.job.payload) > MANY_SECRETS:
                run.masker = await self._dispatch.masker_aside(run)  # now: its first line may come from the loop
            if run.refusal is not None:
                raise run.refusal
            if handler is not None and handler.in_loop:
                # Here, and not a call further down: most jobs, and each call of a coroutine costs.
                value = await handler.function(**handler.bind(run.job.payload, run.context))
            else:
                value = await self._dispatch.call(run)
            outcome = outcome_of(value)
        except asyncio.CancelledError:
            outcome = self._stopped(run)
        except (Retry, Snooze, Cancel, Fail, CannotRead) as asked:
            outcome = asked
        except BaseException as error:
            outcome = failure(error)
        run.ended = True
        try:
            if run.context.run_log is not None:
                await self._settle_log(run.context.run_log, run)
        finally:
            self._end(run, outcome)

    def _enter_trace(self, run: Run) -> None:
        """What follows in this task is part of the job's trace, whether or not spans are kept here."""
        inherited.set(run.job.trace_context)
        if self._tracer is not None:
            run.span = begin_attempt(self._tracer, run.job)

    async def _settle_log(self, lines: RunLog, run: Run) -> None:
        """All that the run said is kept before its outcome, unless somebody else has the job by now."""
        current.set(None)
        try:
            end_run(lines)
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0)  # a handler that cancelled its own task must not take its outcome along
            if run.stop_reason != "lost":
                run.settling = self._loop.create_task(self._logs.settle(lines))
                await _through_cancels(run.settling)
        except Exception:
            with contextlib.suppress(Exception):  # an application's logging may raise
                log.exception("log lines of an attempt dropped: the outcome is kept", **run.job.about())

    def _open_log(self, job: ClaimedJob) -> RunLog:
        run = self._slots.running.get((job.id, job.run))
        handler = self._dispatch.find(job.definition) if run is None else run.handler
        masker = self._dispatch.masker(job, handler) if run is None or run.masker is None else run.masker
        return RunLog(
            job.id, job.run, clock=self._clock, limits=self._limits, masker=masker, on_line=self._logs.noticed
        )

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
        text = f"timed out after {run.job.terms.timeout:g} s"
        if self._dispatch.can_be_ended(run):
            return text
        return f"{text}; its thread cannot be ended and may still run (use isolation='process' to end it)"

    def _end(self, run: Run, outcome: Outcome) -> None:
        """From here on nothing can prevent an outcome: a run without one would be given back, and run for ever."""
        if run.timer is not None:
            run.timer.cancel()
        transition: Transition | None = None
        if run.stop_reason != "lost":
            try:
                plain = outcome is SUCCEEDED and run.detail is None
                transition = decide(run.job, SUCCEEDED, 0.0) if plain else self._decide(run, outcome)
            except BaseException as error:  # what a handler gives has words of its own, which may raise anything
                transition = unformed(*run.fence, error)
                current.set(None)  # as a line of the run this would be masked, which may be what failed
                with contextlib.suppress(Exception):
                    log.exception("outcome replaced by a failure", **run.job.about())
        if run.span is not None:
            end_lost_attempt(run.span) if transition is None else end_attempt(run.span, transition)
        del self._slots.running[run.fence]
        self._on_end(run, transition)

    def _decide(self, run: Run, outcome: Outcome) -> Transition:
        lines = run.context.run_log  # its masker knows what the run began with: commands may have been read again since
        detail = run.detail
        masker = run.masker if lines is None else lines.masker
        # A run that was stopped before its masker was made has said nothing.
        if masker is None and not (detail is None and isinstance(outcome, (TimedOut, Canceled, Released))):
            masker = self._dispatch.masker(run.job, run.handler)
        if masker:
            outcome, detail = mask_outcome(outcome, masker), mask_texts(detail, masker)
        transition = decide(run.job, outcome, random.random())  # noqa: S311 - jitter is no secret
        return transition._replace(detail=detail_text(detail)) if detail else transition


async def _through_cancels(task: asyncio.Task[None]) -> None:
    """Wait for a task whoever cancels the waiting: a handler may have planned that before it ended."""
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    if not task.cancelled():
        task.result()


def outcome_of(value: Any) -> Outcome:
    """What a handler's return value means."""
    if value is None:
        return SUCCEEDED
    if isinstance(value, (Retry, Snooze, Cancel, Fail, Succeeded, Failed, TimedOut, Released)):
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
