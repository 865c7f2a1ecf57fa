"""The worker: claims jobs, runs them, writes how they ended, and leaves in order."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any
from uuid import UUID

from headrace import capture
from headrace.aio import wait_for_event
from headrace.executors.sql.executor import SqlExecutor
from headrace.executors.threads import ContextThreadPool
from headrace.log import get_logger
from headrace.model.job.outcome import Released
from headrace.model.job.transition import Transition, decide
from headrace.model.log.line import LogLine
from headrace.model.log.run_log import LogLimits
from headrace.model.secret.encryption import NO_KEY, SecretBox
from headrace.model.text import clean
from headrace.worker.backoff import Backoff
from headrace.worker.claim.claimer import Claimer
from headrace.worker.claim.slots import Run, Slots
from headrace.worker.process.event_log import EventLog, speaker
from headrace.worker.process.heartbeat import Heartbeat
from headrace.worker.process.memory import resident_bytes
from headrace.worker.run.dispatch import AnyHandler, ExecutorDispatch
from headrace.worker.run.finisher import Finisher
from headrace.worker.run.job_executor import Tools
from headrace.worker.run.log_writer import LogWriter
from headrace.worker.run.runner import Runner
from headrace.worker.transport.interface import Beat, Fence, Pulse, Transport, TransportAway

log = get_logger("headrace.worker")
DRAIN_OUTCOMES_SECONDS = 10.0
MAX_PROGRESS_TEXT = 500
MOST_REPORTS = 10_000
DEFAULT_LIMITS = LogLimits()


class Worker:
    """One worker of one process."""

    def __init__(
        self,
        transport: Transport,
        handlers: Mapping[str, AnyHandler],
        *,
        concurrency: int,
        lease: float,
        shutdown_timeout: float,
        kill_grace: float = 5.0,
        on_rescheduled: Callable[[], None] = lambda: None,
        loud: bool = False,
        echo: Callable[[LogLine], None] | None = None,
        log_limits: LogLimits = DEFAULT_LIMITS,
        sql: SqlExecutor | None = None,
        box: SecretBox = NO_KEY,
    ) -> None:
        self._transport = transport
        self._lease = lease
        self._shutdown_timeout = shutdown_timeout
        self._kill_grace = kill_grace
        self._event_log = EventLog(loud=loud)
        self._slots = Slots(concurrency)
        self._finisher = Finisher(transport, on_rescheduled=on_rescheduled)
        tools = Tools(lease, kill_grace, on_stuck=self._thread_stuck, sql=sql)
        self._dispatch = ExecutorDispatch(handlers, tools, box=box)
        self._logs = LogWriter(transport, echo=echo)
        self._runner = Runner(
            self._slots,
            self._dispatch,
            on_end=self._run_ended,
            report=self._progress_reported,
            logs=self._logs,
            clock=transport.now,
            limits=log_limits,
            on_start=self._event_log.started if self._event_log.says_all else None,
        )
        self._claimer = Claimer(transport, self._slots, self._runner, self._finisher)
        self._heartbeat: Heartbeat | None = None
        self._progress: deque[tuple[UUID, float | None, str | None]] = deque(maxlen=MOST_REPORTS)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._registering = False
        self._draining = False
        self._claiming: asyncio.Task[None] | None = None
        self.stop_asked = asyncio.Event()
        self._idle = asyncio.Event()
        self.ready = asyncio.Event()

    async def run(self) -> None:
        """Work until asked to stop, then leave in order: outcomes before the lease."""
        speaker.set(self._transport)
        await self._register()
        capture.install()
        _carry_context()
        self._heartbeat = Heartbeat(
            self._transport, lease=self._lease, compose=self._beat, on_pulse=self._hear, on_live=self._dispatch.live
        )
        self._heartbeat.start()
        finishing = self._spawn(self._finisher.run())
        writing = self._spawn(self._logs.run())
        claiming = self._claiming = self._spawn(self._claimer.run())
        self.ready.set()
        try:
            await self.stop_asked.wait()
            await self._leave(claiming)
        finally:
            claiming.cancel()
            finishing.cancel()
            writing.cancel()
            for run in self._slots.running.values():
                if run.settling is not None:  # only its lines still wait, for a database that does not answer
                    run.settling.cancel()
            await self._heartbeat.stop()
            await self._dispatch.close()
            await self._transport.close()

    def stop(self) -> None:
        """Ask for an orderly end."""
        self.stop_asked.set()
        self._claimer.stop()

    def handlers_changed(self) -> None:
        """Look again for what was known."""
        self._dispatch.forget()

    def nudge(self) -> None:
        """Hear at once whether a run should stop."""
        if self._heartbeat:
            self._heartbeat.nudge()

    # -- the end

    async def _leave(self, claiming: asyncio.Task[Any]) -> None:
        """No new jobs; time for the running ones; the rest goes back unspent; outcomes last."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(claiming, 5)
        self._claimer.give_back_waiting()
        if self._slots.running:
            log.info("shutdown delayed by running jobs", jobs=len(self._slots.running), seconds=self._shutdown_timeout)
        await self._until_idle(self._shutdown_timeout)
        for run in list(self._slots.running.values()):
            self._runner.stop(run, "shutdown")
        await self._until_idle(self._kill_grace + 1)
        for run in list(self._slots.running.values()):
            log.warning("job released: its handler did not stop", **run.context.about())
            self._finisher.put(decide(run.job, Released(), 0.0))
            run.stop_reason = "lost"
        try:
            await asyncio.wait_for(self._finisher.drained(), DRAIN_OUTCOMES_SECONDS)
        except TimeoutError:
            log.error("outcomes lost at shutdown", outcomes=len(self._finisher.fences()))

    async def _until_idle(self, seconds: float) -> None:
        self._idle.clear()
        if self._slots.running:
            await wait_for_event(self._idle, seconds)

    async def _drain(self) -> None:
        """No new jobs; the running ones take the time they need, and only then the end."""
        log.info("drain requested: the worker ends after its running jobs", jobs=len(self._slots.running))
        self._claimer.stop()
        if self._claiming is not None:
            await asyncio.wait({self._claiming}, timeout=5)
        self._claimer.give_back_waiting()
        while self._slots.running and not self.stop_asked.is_set():
            await self._until_idle(60)
        self.stop()

    async def _register(self) -> None:
        """Try until it is done. Only at the first time an error ends it: whoever started us should hear of that."""
        backoff = Backoff()
        while not self.stop_asked.is_set():
            try:
                await self._transport.register()
                self._registering = False
                return
            except TransportAway as error:
                log.warning("registration delayed", error=str(error))
            except Exception:
                if not self._registering:
                    raise
                log.exception("registration failed")
            await backoff.pause()

    # -- what others tell

    def _run_ended(self, run: Run, transition: Transition | None) -> None:
        if transition is not None:
            self._finisher.put(transition)
        if transition is None or transition.outcome != "succeeded" or self._event_log.says_all:
            capture.current.set(None)  # its line is the worker's: the run has said its last
            with contextlib.suppress(Exception):  # an application's logging may raise
                self._event_log.ended(run.job, transition)
        self._claimer.run_ended()
        if run.job.suspect:
            self._transport.wake()  # a claim that waits has asked for no second suspect
        if not self._slots.running:
            self._idle.set()

    def _thread_stuck(self, change: int) -> None:
        self._slots.stuck += change
        if change > 0:
            log.warning("sync handler abandoned: its thread still runs and keeps its slot")
        else:
            self._claimer.run_ended()

    def _progress_reported(self, job_id: UUID, fraction: float | None, message: str | None) -> None:
        # May be called from a handler's thread, and is emptied by the heartbeat's: a deque stands that.
        self._progress.append((job_id, fraction, clean(message, MAX_PROGRESS_TEXT) if message else message))

    def _beat(self) -> Beat:
        """Called from the heartbeat's thread."""
        newest = {}
        while self._progress:
            report = self._progress.popleft()
            newest[report[0]] = report
        return Beat(len(self._slots.running), resident_bytes(), progress=list(newest.values()))

    def _hear(self, pulse: Pulse) -> None:
        if not pulse.live:
            self._lost()
        for fence in pulse.stop:
            self._cancel(fence)
        if pulse.drain and not self._draining:
            self._draining = True
            self._spawn(self._drain())

    def _cancel(self, fence: Fence) -> None:
        run = self._slots.running.get(fence)
        if run is not None and run.stop_reason is None:
            self._runner.stop(run, "canceled")

    def _lost(self) -> None:
        """Others have our jobs now: stop the handlers, forget their outcomes, and come back under a new id."""
        if self._registering:
            return
        self._registering = True
        log.error("worker lost: its handlers are stopped, and a new registration follows")
        self._finisher.discard()
        self._slots.forget_waiting()
        for run in list(self._slots.running.values()):
            self._runner.stop(run, "lost")
        self._spawn(self._register())
        self._transport.wake()  # a claim that waits holds the connection

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        # Strongly referenced, or the garbage collector may take it while it runs.
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _carry_context() -> None:
    """Have `loop.run_in_executor` carry context variables, unless the application chose an executor of its own."""
    loop = asyncio.get_running_loop()
    if getattr(loop, "_default_executor", None) is None:
        loop.set_default_executor(ContextThreadPool(thread_name_prefix="headrace-default"))
