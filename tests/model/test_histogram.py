"""Histograms: what can be told from counts between bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.model.histogram import Histogram

BOUNDS = (1.0, 2.0, 4.0, 8.0)


def of(*values: float) -> Histogram:
    """A histogram of these values, counted here and not by the database."""
    counts = [0] * (len(BOUNDS) + 1)
    for value in values:
        counts[sum(value >= bound for bound in BOUNDS)] += 1
    return Histogram.of(BOUNDS, counts, sum(values))


def test_without_values_there_is_nothing_to_tell() -> None:
    empty = Histogram.of(BOUNDS, [])
    assert (empty.count, empty.mean, empty.percentile(0.5)) == (0, None, None)
    assert empty.counts == (0, 0, 0, 0, 0)


def test_zeros_at_the_end_may_be_left_out() -> None:
    assert Histogram.of(BOUNDS, [0, 3]).counts == (0, 3, 0, 0, 0)


def test_a_bucket_is_taken_as_evenly_filled() -> None:
    ten = Histogram.of(BOUNDS, [0, 0, 10, 0, 0])
    assert ten.percentile(0.5) == 3.0
    assert ten.percentile(0.25) == 2.5
    assert ten.percentile(1) == 4.0
    assert ten.percentile(0) == 2.0


def test_the_first_bucket_begins_at_nothing() -> None:
    assert Histogram.of(BOUNDS, [4]).percentile(0.5) == 0.5


def test_empty_buckets_are_stepped_over() -> None:
    assert Histogram.of(BOUNDS, [1, 0, 0, 1]).percentile(0.5) == 1.0
    assert Histogram.of(BOUNDS, [1, 0, 0, 1]).percentile(0.75) == 6.0


def test_above_the_last_bound_nothing_is_known() -> None:
    assert Histogram.of(BOUNDS, [0, 0, 0, 0, 5]).percentile(0.5) == 8.0
    assert of(100.0, 200.0).mean == 150.0


def test_cumulative_counts_end_with_all_of_them() -> None:
    assert of(0.5, 1.5, 1.6, 5.0, 99.0).cumulative() == [1, 3, 3, 4, 5]


@given(st.lists(st.floats(0, 7.99), min_size=1), st.floats(0, 1))
def test_a_percentile_lies_in_the_bucket_of_the_true_one(values: list[float], share: float) -> None:
    found = of(*values).percentile(share)
    below = sorted(values)[max(0, min(len(values) - 1, -int(-share * len(values) // 1) - 1))]
    edges = (0.0, *BOUNDS)
    lower = max(edge for edge in edges if edge <= below)
    upper = min(edge for edge in edges if edge > below)
    assert found == pytest.approx(min(max(found or 0.0, lower), upper))


@given(st.lists(st.floats(0, 20), min_size=1), st.lists(st.floats(0, 1), min_size=2))
def test_a_larger_share_never_lies_lower(values: list[float], shares: list[float]) -> None:
    found = [of(*values).percentile(share) or 0.0 for share in sorted(shares)]
    assert found == sorted(found)
