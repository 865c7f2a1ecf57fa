"""What came of a run. A handler returns normally, or returns or raises one of the first four."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta

# As in the API (`LONGEST_DELAY` of its workers): longer than anybody waits, and far within the dates that Python knows.
LONGEST_DELAY = timedelta(days=3_650)


class Retry(Exception):
    """Try again, after a delay of your choice or the policy's; spends the attempt."""

    def __init__(
        self, after: timedelta | float | None = None, reason: object = "the handler asked for a retry"
    ) -> None:
        self.reason = _text(reason)
        super().__init__(self.reason)
        self.after = _delta(after) if after is not None else None


class Snooze(Exception):
    """Not now: run again after a while, without spending the attempt."""

    def __init__(self, for_: timedelta | float, reason: object = "snoozed") -> None:
        self.reason = _text(reason)
        super().__init__(self.reason)
        self.for_ = _delta(for_)


class Cancel(Exception):
    """This job is no longer wanted."""

    def __init__(self, reason: object = "the handler canceled the job") -> None:
        self.reason = _text(reason)
        super().__init__(self.reason)


class Fail(Exception):
    """This job can never succeed: do not retry."""

    def __init__(self, reason: object = "the handler gave up") -> None:
        self.reason = _text(reason)
        super().__init__(self.reason)


class CannotRead(Exception):
    """The payload does not fit what this worker's code declares: not the job's fault, for another version's may."""

    def __init__(self, reason: str) -> None:
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

    reason: str = "released by a worker that is shutting down"


Outcome = Succeeded | Failed | TimedOut | Canceled | Released | Retry | Snooze | Cancel | Fail | CannotRead


def _text(reason: object) -> str:
    """A reason in words: handlers give an exception, a dict or whatever they have at hand."""
    if type(reason) is str:
        return reason
    try:
        text = str(reason)
        return f"{type(reason).__name__}: {text}".rstrip(": ") if isinstance(reason, BaseException) else text
    except BaseException:  # its own words may raise anything
        return f"{type(reason).__name__} (it cannot be described)"


def _delta(value: timedelta | float) -> timedelta:
    if not isinstance(value, timedelta):
        if math.isnan(value) or abs(value) > LONGEST_DELAY.total_seconds():
            raise ValueError(_not_a_delay(f"{value:g} s"))
        value = timedelta(seconds=value)
    if not timedelta(0) <= value <= LONGEST_DELAY:
        raise ValueError(_not_a_delay(str(value)))
    return value


def _not_a_delay(value: str) -> str:
    return f"a delay must not be negative or longer than {LONGEST_DELAY.days:,} days (ten years): {value}"
