"""What becomes of a job after a run: every outcome, with and without attempts left."""

from __future__ import annotations

from datetime import timedelta
from typing import get_args
from uuid import UUID

import pytest

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
from headrace.model.job.record import ClaimedJob, Terms
from headrace.model.job.retry import RetryPolicy
from headrace.model.job.status import NEXT, JobStatus
from headrace.model.job.transition import MAX_ERROR, MAX_TRACEBACK, decide

JOB_ID = UUID(int=7)
POLICY = RetryPolicy(base=timedelta(seconds=8), cap=timedelta(minutes=5), jitter=timedelta(seconds=2))

# outcome, recorded as, final with attempts left, final on the last one, spends, seconds until the second attempt
TABLE = [
    (Succeeded("1"), "succeeded", "succeeded", "succeeded", True, 0.0),
    (Failed("no", "trace"), "failed", None, "dead_letter", True, 9.0),
    (TimedOut("slow"), "timed_out", None, "dead_letter", True, 9.0),
    (Retry(), "retried", None, "dead_letter", True, 9.0),
    (Retry(after=30), "retried", None, "dead_letter", True, 30.0),
    (Retry(after=0), "retried", None, "dead_letter", True, 0.0),
    (Snooze(45), "snoozed", None, None, False, 45.0),
    (Snooze(timedelta(hours=1)), "snoozed", None, None, False, 3600.0),
    (Released(), "released", None, None, False, 0.0),
    (CannotRead("newer"), "unreadable", None, None, False, 1.0),
    (Canceled(), "canceled", "canceled", "canceled", True, 0.0),
    (Cancel(), "canceled", "canceled", "canceled", True, 0.0),
    (Fail(), "failed", "failed", "failed", True, 0.0),
]


def claimed(*, spent: int = 0, max_attempts: int = 3, run: int = 1) -> ClaimedJob:
    terms = Terms("work", retry=POLICY)
    return ClaimedJob(JOB_ID, run, spent, max_attempts, terms, "default", "{}", None, None, "api")


def test_the_table_has_every_outcome() -> None:
    assert {type(row[0]) for row in TABLE} == set(get_args(Outcome))


@pytest.mark.parametrize(("outcome", "recorded", "final", "last", "spends", "delay"), TABLE, ids=repr)
def test_an_outcome_with_attempts_left(
    outcome: Outcome, recorded: str, final: str | None, last: str | None, spends: bool, delay: float
) -> None:
    transition = decide(claimed(run=5), outcome, 0.5)
    assert (transition.job_id, transition.run) == (JOB_ID, 5)
    assert (transition.outcome, transition.final, transition.spends, transition.delay) == (
        recorded,
        final,
        spends,
        delay,
    )


@pytest.mark.parametrize(("outcome", "recorded", "final", "last", "spends", "delay"), TABLE, ids=repr)
def test_an_outcome_of_the_last_attempt(
    outcome: Outcome, recorded: str, final: str | None, last: str | None, spends: bool, delay: float
) -> None:
    transition = decide(claimed(spent=2), outcome, 0.5)
    assert (transition.outcome, transition.final, transition.spends) == (recorded, last, spends)
    # Only what waits again has a delay, and only what spends nothing waits again.
    assert transition.delay == (delay if last is None else 0.0)


@pytest.mark.parametrize(("outcome", "recorded", "final", "last", "spends", "delay"), TABLE, ids=repr)
def test_an_outcome_leads_where_a_running_job_may_go(
    outcome: Outcome, recorded: str, final: str | None, last: str | None, spends: bool, delay: float
) -> None:
    for spent in range(3):
        transition = decide(claimed(spent=spent), outcome, 0.5)
        waits = JobStatus.SCHEDULED if transition.delay else JobStatus.QUEUED
        assert (transition.final or waits) in NEXT[JobStatus.RUNNING]


@pytest.mark.parametrize("max_attempts", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("outcome", [Failed("no"), TimedOut("slow"), Retry(), Retry(after=1)], ids=repr)
def test_dead_letter_comes_exactly_at_the_maximum(outcome: Outcome, max_attempts: int) -> None:
    finals = [decide(claimed(spent=n, max_attempts=max_attempts), outcome, 0.5).final for n in range(max_attempts)]
    assert finals == [None] * (max_attempts - 1) + [JobStatus.DEAD_LETTER]


def test_attempts_beyond_the_maximum_are_dead_letter_too() -> None:
    assert decide(claimed(spent=7, max_attempts=3), Failed("no"), 0.5).final is JobStatus.DEAD_LETTER


def test_the_backoff_follows_attempts_spent_and_not_runs() -> None:
    assert decide(claimed(spent=1, run=50), Failed("no"), 0.0).delay == 16.0


def test_the_last_of_a_thousand_attempts_has_a_bounded_wait() -> None:
    transition = decide(claimed(spent=998, max_attempts=1000), Failed("no"), 1.0)
    assert (transition.final, transition.delay) == (None, 302.0)


def test_what_is_written_can_be_stored() -> None:
    transition = decide(claimed(), Failed("a\x00b\ud800" + "x" * 20_000, "t\x00" + "y" * 90_000), 0.5)
    assert transition.error is not None
    assert transition.traceback is not None
    assert "\x00" not in transition.error + transition.traceback
    (transition.error + transition.traceback).encode()
    assert len(transition.error) < MAX_ERROR + 100
    assert len(transition.traceback) < MAX_TRACEBACK + 100


@pytest.mark.parametrize(
    "outcome",
    [Snooze(1, "s\x00"), Released("s\x00"), Cancel("s\x00"), Canceled("s\x00"), Fail("s\x00"), Retry(1, "s\x00")],
)
def test_a_reason_is_made_storable(outcome: Outcome) -> None:
    assert decide(claimed(), outcome, 0.5).error == "s\\x00"


def test_only_a_success_has_a_result_and_no_error() -> None:
    transition = decide(claimed(), Succeeded('{"a":1}'), 0.5)
    assert (transition.result, transition.error, transition.traceback) == ('{"a":1}', None, None)


@pytest.mark.parametrize("make", [lambda: Retry(after=-1), lambda: Snooze(-0.5), lambda: Snooze(timedelta(seconds=-1))])
def test_a_negative_wait_is_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match="must not be negative"):
        make()


@pytest.mark.parametrize("wait", [float("inf"), float("nan"), 1e300, timedelta.max, timedelta(days=3_651)])
@pytest.mark.parametrize("ask", [Retry, Snooze])
def test_a_wait_without_an_end_is_refused_where_it_is_made(ask: type[Retry | Snooze], wait: timedelta | float) -> None:
    with pytest.raises(ValueError, match=r"longer than 3,650 days \(ten years\)"):
        ask(wait)


class Unspeakable:
    """Has no words for itself."""

    def __str__(self) -> str:
        raise SystemExit(3)


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (ValueError("no funds"), "ValueError: no funds"),
        (KeyError(), "KeyError"),
        ({"code": 7}, "{'code': 7}"),
        (None, "None"),
        (Unspeakable(), "Unspeakable (it cannot be described)"),
    ],
)
def test_a_reason_that_is_not_text_becomes_text_when_it_is_given(reason: object, text: str) -> None:
    asked: list[Retry | Snooze | Cancel | Fail] = [Retry(0, reason), Snooze(0, reason), Cancel(reason), Fail(reason)]
    assert [(one.reason, str(one)) for one in asked] == [(text, text)] * 4
