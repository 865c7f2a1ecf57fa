"""What a handler may know about its run, and say while it runs."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from datetime import datetime
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from headrace.log import get_job_logger
from headrace.model.job.record import ClaimedJob
from headrace.model.log.run_log import RunLog

Report = Callable[[UUID, float | None, str | None], None]
P = ParamSpec("P")
R = TypeVar("R")


class Context:
    """A handler's view of its run. Ask for it with a parameter annotated `Context`."""

    __slots__ = ("_canceled", "_job", "_log", "_open_log", "_report", "run_log")

    def __init__(self, job: ClaimedJob, report: Report, open_log: Callable[[ClaimedJob], RunLog] | None = None) -> None:
        self._job = job
        self._report = report
        self._open_log = open_log
        self._canceled = False
        self._log: Any = None
        # Opened by the first line: a job that says nothing pays nothing.
        self.run_log: RunLog | None = None

    @property
    def job_id(self) -> UUID:
        return self._job.id

    @property
    def attempt(self) -> int:
        """Which attempt this is, from 1 to `max_attempts`."""
        return self._job.attempt

    @property
    def max_attempts(self) -> int:
        return self._job.max_attempts

    @property
    def tenant(self) -> str:
        return self._job.tenant

    @property
    def definition(self) -> str:
        return self._job.definition

    @property
    def scheduled_for(self) -> datetime | None:
        """The time this job was meant for, where it had one."""
        return self._job.scheduled_for

    @property
    def triggered_by(self) -> str:
        return self._job.source

    @property
    def correlation_id(self) -> str | None:
        return self._job.correlation_id

    @property
    def fencing_token(self) -> int:
        """Grows with every run of this job: give it to a store that refuses writes with an older one."""
        return self._job.run

    @property
    def canceled(self) -> bool:
        """Whether this run was asked to stop. A handler in a thread must look, for nothing can stop it."""
        return self._canceled

    @property
    def log(self) -> Any:
        """A structured logger whose lines are kept with the job."""
        if self._log is None:
            self._log = get_job_logger(self.lines, self.about())
        return self._log

    def about(self) -> dict[str, Any]:
        """Whose line it is, in the words that all lines have."""
        return self._job.about()

    def lines(self) -> RunLog | None:
        """Where this run's lines go, if they are kept anywhere."""
        if self.run_log is None and self._open_log is not None:
            self.run_log = self._open_log(self._job)
        return self.run_log

    def bind(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function such that what it prints and logs is this run's, in whatever thread or pool it is called."""
        context = contextvars.copy_context()
        return lambda *args, **kwargs: context.copy().run(function, *args, **kwargs)

    def progress(self, fraction: float | None, message: str | None = None) -> None:
        """Say how far the run has come (0 to 1); written at most once a second."""
        if fraction is not None and not 0 <= fraction <= 1:
            raise ValueError(f"progress is a fraction between 0 and 1, not {fraction}")
        if message is not None and (lines := self.lines()) is not None:
            message = lines.masker.mask_text(message)
        self._report(self.job_id, fraction, message)

    def cancel(self) -> None:
        """Told by the worker that the run should stop."""
        self._canceled = True
