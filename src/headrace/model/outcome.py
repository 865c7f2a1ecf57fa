"""What came of a run. A handler returns normally, or returns or raises one of the first four."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


class Retry(Exception):
    """Try again, after a delay of your choice or the policy's; spends the attempt."""

    def __init__(self, after: timedelta | float | None = None, reason: str = "the handler asked for a retry") -> None:
        super().__init__(reason)
        self.after = _delta(after) if after is not None else None
        self.reason = reason


class Snooze(Exception):
    """Not now: run again after a while, without spending the attempt."""

    def __init__(self, for_: timedelta | float, reason: str = "snoozed") -> None:
        super().__init__(reason)
        self.for_ = _delta(for_)
        self.reason = reason


class Cancel(Exception):
    """This job is no longer wanted."""

    def __init__(self, reason: str = "the handler canceled the job") -> None:
        super().__init__(reason)
        self.reason = reason


class Fail(Exception):
    """This job can never succeed: do not retry."""

    def __init__(self, reason: str = "the handler gave up") -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The handler returned; its value is kept as JSON text, none for None."""

    result: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The handler raised."""

    error: str
    traceback: str | None = None


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The handler took longer than its timeout."""

    error: str


@dataclass(frozen=True, slots=True)
class Canceled:
    """Somebody asked for the job to stop, and it did."""

    reason: str = "canceled on request"


@dataclass(frozen=True, slots=True)
class Released:
    """The worker gives the job back unfinished; nothing is spent."""

    reason: str = "given back by a worker that is shutting down"


Outcome = Succeeded | Failed | TimedOut | Canceled | Released | Retry | Snooze | Cancel | Fail


def _delta(value: timedelta | float) -> timedelta:
    delta = value if isinstance(value, timedelta) else timedelta(seconds=value)
    if delta < timedelta(0):
        raise ValueError(f"a delay must not be negative: {delta}")
    return delta
