"""Backoff: doubling, bounded, with a little chance."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.model.job.retry import RetryPolicy

ZERO = timedelta(0)
YEAR = timedelta(days=365)
spans = st.timedeltas(min_value=ZERO, max_value=100 * YEAR)
policies = st.builds(RetryPolicy, base=spans, cap=spans, jitter=st.timedeltas(min_value=ZERO, max_value=YEAR))
attempts = st.integers(min_value=1, max_value=1_000_000)
chances = st.floats(min_value=0, max_value=1)


def test_the_wait_doubles_until_the_cap() -> None:
    policy = RetryPolicy(base=timedelta(seconds=5), cap=timedelta(minutes=5), jitter=ZERO)
    waits = [policy.delay(attempt, 0.5).total_seconds() for attempt in range(1, 10)]
    assert waits == [5, 10, 20, 40, 80, 160, 300, 300, 300]


@pytest.mark.parametrize(("chance", "seconds"), [(0.0, 5.0), (0.25, 5.5), (1.0, 7.0)])
def test_the_jitter_is_added_by_chance(chance: float, seconds: float) -> None:
    policy = RetryPolicy(base=timedelta(seconds=5), jitter=timedelta(seconds=2))
    assert policy.delay(1, chance).total_seconds() == seconds


@pytest.mark.parametrize("attempt", [43, 44, 45, 46, 60, 61, 62, 1000, 10**9])
def test_many_attempts_do_not_overflow(attempt: int) -> None:
    assert RetryPolicy(jitter=ZERO).delay(attempt, 1.0) == timedelta(minutes=5)


def test_a_base_above_the_cap_waits_for_the_cap() -> None:
    assert RetryPolicy(base=timedelta(hours=1), jitter=ZERO).delay(1, 0.5) == timedelta(minutes=5)


def test_without_a_base_there_is_no_wait_but_the_jitter() -> None:
    policy = RetryPolicy(base=ZERO, jitter=timedelta(seconds=1))
    assert [policy.delay(attempt, 1.0) for attempt in (1, 7, 1000)] == [timedelta(seconds=1)] * 3


@settings(derandomize=True, deadline=None)
@given(policies, attempts, chances)
def test_a_wait_lies_between_nothing_and_cap_plus_jitter(policy: RetryPolicy, attempt: int, chance: float) -> None:
    assert min(policy.base, policy.cap) <= policy.delay(attempt, chance) <= policy.cap + policy.jitter


@settings(derandomize=True, deadline=None)
@given(policies, attempts, chances)
def test_a_later_attempt_never_waits_less(policy: RetryPolicy, attempt: int, chance: float) -> None:
    assert policy.delay(attempt, chance) <= policy.delay(attempt + 1, chance)


@settings(derandomize=True, deadline=None)
@given(policies, st.integers(min_value=1, max_value=40))
def test_below_the_cap_a_wait_is_exactly_the_base_doubled(policy: RetryPolicy, attempt: int) -> None:
    microseconds = policy.base // timedelta(microseconds=1) * 2 ** (attempt - 1)
    wanted = min(microseconds, policy.cap // timedelta(microseconds=1))
    assert policy.delay(attempt, 0.0) // timedelta(microseconds=1) == wanted


@pytest.mark.parametrize("part", ["base", "cap", "jitter"])
def test_a_negative_part_is_refused(part: str) -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        RetryPolicy(**{part: timedelta(seconds=-1)})
