"""Due times of a range: all of them, or where there are too many some from all over it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from headrace.model.time.cron import CronRule
from headrace.model.time.schedule import Cron, Every, Schedule
from headrace.model.time.zone import zone
from headrace.service.triggers.forecast import spread

MONDAY = datetime(2030, 1, 7, tzinfo=UTC)
WEEK = timedelta(days=7)


def of(rule: str) -> Schedule:
    return Schedule(Cron(CronRule.parse(rule), zone("UTC")))


def test_few_times_are_all_there() -> None:
    found = spread(of("0 3 * * *"), MONDAY, MONDAY + WEEK, 168)
    assert found.times == tuple(MONDAY + timedelta(days=n, hours=3) for n in range(7))
    assert found.rhythm is None


def test_each_hour_of_a_week_is_few_enough() -> None:
    found = spread(of("30 * * * *"), MONDAY, MONDAY + WEEK, 168)
    assert (len(found.times), found.rhythm) == (168, None)


@pytest.mark.parametrize("schedule", [of("* * * * *"), Schedule(Every(timedelta(minutes=1), MONDAY))])
def test_many_times_are_thinned_over_the_whole_range(schedule: Schedule) -> None:
    found = spread(schedule, MONDAY, MONDAY + WEEK, 168)
    assert 160 <= len(found.times) <= 169
    assert found.rhythm == timedelta(minutes=1)
    assert MONDAY + WEEK - found.times[-1] < timedelta(hours=2)
    gaps = [b - a for a, b in zip(found.times, found.times[1:], strict=False)]
    assert max(gaps) < timedelta(hours=2)


def test_what_is_thinned_leaves_out_the_hours_in_which_nothing_runs() -> None:
    found = spread(of("* 9-16 * * *"), MONDAY, MONDAY + WEEK, 168)
    assert {time.hour for time in found.times} == set(range(9, 17))
    assert {time.weekday() for time in found.times} == set(range(7))
