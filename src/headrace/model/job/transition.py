"""From an outcome to what is written: no I/O, no clock, every case in one match."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple, assert_never
from uuid import UUID

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
from headrace.model.job.status import JobStatus
from headrace.model.text import clean

# What each outcome may lead to, as data: none where the job waits again.
FINALS: dict[str, frozenset[JobStatus | None]] = {
    "succeeded": frozenset({JobStatus.SUCCEEDED}),
    "failed": frozenset({JobStatus.FAILED, JobStatus.DEAD_LETTER, None}),
    "timed_out": frozenset({JobStatus.DEAD_LETTER, None}),
    "retried": frozenset({JobStatus.DEAD_LETTER, None}),
    "snoozed": frozenset({None}),
    "released": frozenset({None}),
    "unreadable": frozenset({None}),
    "canceled": frozenset({JobStatus.CANCELED}),
}
UNSPENT = frozenset({"snoozed", "released", "unreadable"})
MAX_ERROR = 10_000
MAX_TRACEBACK = 50_000
# At least; `finish` has it wait for as long again as it has been unreadable, and ends it when that is too long.
UNREADABLE_DELAY = 1.0


class Transition(NamedTuple):
    """How one run ended. Without a final status the job waits again, for `delay` seconds."""

    job_id: UUID
    run: int
    outcome: str
    final: JobStatus | None
    spends: bool
    delay: float = 0.0
    error: str | None = None
    traceback: str | None = None
    result: str | None = None
    detail: str | None = None


def decide(job: ClaimedJob, outcome: Outcome, chance: float) -> Transition:
    """What becomes of a job after a run; `chance` (0 to 1) picks the backoff's jitter."""
    match outcome:
        case Succeeded(result):
            return Transition(job.id, job.run, "succeeded", JobStatus.SUCCEEDED, True, result=result)
        case Failed(error, traceback):
            return _again(job, "failed", job.terms.retry.delay(job.attempt, chance), error, traceback)
        case TimedOut(error):
            return _again(job, "timed_out", job.terms.retry.delay(job.attempt, chance), error)
        case Retry(after=after, reason=reason):
            delay = job.terms.retry.delay(job.attempt, chance) if after is None else after
            return _again(job, "retried", delay, reason)
        case Snooze(for_=for_, reason=reason):
            return Transition(job.id, job.run, "snoozed", None, False, for_.total_seconds(), clean(reason, MAX_ERROR))
        case Released(reason):
            return Transition(job.id, job.run, "released", None, False, error=clean(reason, MAX_ERROR))
        case CannotRead(reason=reason):
            said = clean(reason, MAX_ERROR)
            return Transition(job.id, job.run, "unreadable", None, False, UNREADABLE_DELAY, said)
        case Canceled(reason) | Cancel(reason=reason):
            return _final(job, "canceled", JobStatus.CANCELED, reason)
        case Fail(reason=reason):
            return _final(job, "failed", JobStatus.FAILED, reason)
        case _:
            assert_never(outcome)


def unformed(job_id: UUID, run: int, problem: BaseException) -> Transition:
    """The end of a run of whose outcome nothing can be said. Not tried again: its handler has done its work once.

    Only the kind of the problem is told, for what it says may be what should have been masked.
    """
    why = f"the attempt ended, but its outcome could not be formed ({type(problem).__name__}): see the worker's log"
    return Transition(job_id, run, "failed", JobStatus.FAILED, True, error=why)


def _final(job: ClaimedJob, outcome: str, final: JobStatus, error: str) -> Transition:
    return Transition(job.id, job.run, outcome, final, True, error=clean(error, MAX_ERROR))


def _again(job: ClaimedJob, outcome: str, delay: timedelta, error: str, traceback: str | None = None) -> Transition:
    """Another attempt after the delay, or dead letter when they are used up."""
    final = JobStatus.DEAD_LETTER if job.attempt >= job.max_attempts else None
    return Transition(
        job.id,
        job.run,
        outcome,
        final,
        True,
        delay=0.0 if final else delay.total_seconds(),
        error=clean(error, MAX_ERROR),
        traceback=clean(traceback, MAX_TRACEBACK) if traceback else None,
    )
