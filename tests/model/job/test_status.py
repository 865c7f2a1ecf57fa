"""The state machine, against the diagram of the design."""

from __future__ import annotations

import pytest

from headrace.model.job.status import FINAL, LIVE, NEXT, JobStatus

# The arrows of the diagram: from, to, why.
ARROWS = [
    ("scheduled", "queued", "due"),
    ("scheduled", "canceled", "cancel"),
    ("queued", "running", "claimed"),
    ("queued", "canceled", "cancel"),
    ("running", "succeeded", "ok"),
    ("running", "scheduled", "retry or snooze"),
    ("running", "canceled", "cancel"),
    ("running", "dead_letter", "out of attempts"),
    ("running", "failed", "not retryable"),
    ("running", "queued", "worker lost"),
    ("dead_letter", "queued", "a person's retry"),
    ("failed", "queued", "a person's retry"),
    ("canceled", "queued", "a person's retry"),
    ("succeeded", "queued", "a person's retry"),
    ("dead_letter", "canceled", "replaced"),
    ("failed", "canceled", "replaced"),
]
ALLOWED = {(source, target) for source, target, _ in ARROWS}


@pytest.mark.parametrize("target", JobStatus)
@pytest.mark.parametrize("source", JobStatus)
def test_a_status_follows_another_exactly_where_the_design_draws_an_arrow(source: JobStatus, target: JobStatus) -> None:
    assert (target in NEXT[source]) == ((source.value, target.value) in ALLOWED)


def test_every_status_is_either_live_or_final() -> None:
    assert set(JobStatus) == LIVE | FINAL
    assert not LIVE & FINAL
    assert set(NEXT) == set(JobStatus)


@pytest.mark.parametrize("status", JobStatus)
def test_a_status_knows_whether_it_is_final(status: JobStatus) -> None:
    assert status.is_final == (status.value in {"succeeded", "failed", "canceled", "dead_letter"})


@pytest.mark.parametrize("final", sorted(FINAL))
def test_only_a_retry_leaves_a_final_status_and_what_failed_can_be_replaced(final: JobStatus) -> None:
    failed = final in (JobStatus.FAILED, JobStatus.DEAD_LETTER)
    assert NEXT[final] == ({JobStatus.QUEUED, JobStatus.CANCELED} if failed else {JobStatus.QUEUED})


def test_nothing_follows_itself() -> None:
    assert not [status for status in JobStatus if status in NEXT[status]]


def test_every_status_but_the_first_ones_can_be_reached() -> None:
    reached = frozenset.union(*NEXT.values())
    assert reached == set(JobStatus)
