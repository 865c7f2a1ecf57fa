"""Schedules: intervals by arithmetic, starts and ends, counting and going back without walking."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.model.time.cron_oracle import many

from headrace.errors import BadRequest
from headrace.model.time.cron import CronRule
from headrace.model.time.schedule import Cron, Every, Schedule, next_interval, previous_interval
from headrace.model.time.zone import zone

TICK = datetime.resolution
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
instants = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
intervals = st.timedeltas(TICK, timedelta(days=400))


def hourly(**limits: datetime) -> Schedule:
    return Schedule(Cron(CronRule.parse("0 * * * *"), zone("Europe/Berlin")), **limits)


@many(100)
@given(instants, intervals, instants)
def test_an_interval_is_exact_however_far_its_start(start: datetime, interval: timedelta, instant: datetime) -> None:
    following, newest = next_interval(start, interval, instant), previous_interval(start, interval, instant)
    assert following is not None
    assert following > instant
    assert (following - start) % interval == timedelta(0)
    if instant < start:
        assert (following, newest) == (start, None)
    else:
        assert following - interval == newest
        assert newest <= instant


def test_an_interval_does_not_follow_clocks() -> None:
    berlin = zone("Europe/Berlin")
    start = datetime(2026, 10, 24, 12, tzinfo=berlin)
    due = next_interval(start, timedelta(hours=24), datetime(2026, 10, 25, 11, 30, tzinfo=berlin))
    assert due == datetime(2026, 10, 25, 12, tzinfo=berlin).astimezone(UTC) + timedelta(hours=23)
    assert next_interval(start, timedelta(hours=24), start) == datetime(2026, 10, 25, 11, tzinfo=berlin)


def test_an_interval_beyond_the_calendar_has_no_next_time() -> None:
    assert next_interval(EPOCH, timedelta(days=10**6), datetime(9000, 1, 1, tzinfo=UTC)) is None
    assert next_interval(EPOCH, timedelta(days=1), datetime.max.replace(tzinfo=UTC)) is None


@many(60)
@given(instants, st.timedeltas(TICK, timedelta(seconds=100)), st.integers(-50, 50), st.integers(-50, 50))
def test_intervals_are_counted_as_a_walk_counts_them(start: datetime, interval: timedelta, a: int, b: int) -> None:
    first, until = start + a * interval / 3, start + b * interval / 3
    walked = [due for due in (start + k * interval for k in range(20)) if first <= due <= until]
    assert Schedule(Every(interval, start)).count_between(first, until) == len(walked)


@pytest.mark.parametrize("limit", [1, 5, 999])
@pytest.mark.parametrize("beat", [Every(HOUR, EPOCH), Cron(CronRule.parse("0 * * * *"), zone("UTC"))])
def test_a_count_beyond_the_limit_is_none(beat: Every | Cron, limit: int) -> None:
    schedule = Schedule(beat)
    assert schedule.count_between(EPOCH, EPOCH + (limit - 1) * HOUR, limit) == limit
    assert schedule.count_between(EPOCH, EPOCH + limit * HOUR, limit) is None
    assert schedule.count_between(EPOCH, EPOCH - HOUR, limit) == 0


def test_a_schedule_starts_at_its_start_and_ends_before_its_end() -> None:
    start, end = EPOCH + 5 * HOUR, EPOCH + 8 * HOUR
    schedule = hourly(starts_at=start, ends_at=end)
    assert schedule.next_after(EPOCH) == start
    assert schedule.next_after(end - HOUR - TICK) == end - HOUR
    assert schedule.next_after(end - HOUR) is None
    assert schedule.newest_at_or_before(start - TICK) is None
    assert schedule.newest_at_or_before(start) == start
    assert schedule.newest_at_or_before(end + 1000 * HOUR) == end - HOUR
    assert schedule.count_between(EPOCH, end + 9 * HOUR) == 3
    assert schedule.newest(10, until=end + HOUR) == [start, start + HOUR, start + 2 * HOUR]


def test_an_interval_may_start_before_its_schedule_does() -> None:
    schedule = Schedule(Every(HOUR, EPOCH), starts_at=EPOCH + HOUR / 2)
    assert schedule.next_after(EPOCH - HOUR) == EPOCH + HOUR
    assert schedule.newest_at_or_before(EPOCH) is None


def test_limits_in_an_hour_that_repeats_are_two_instants() -> None:
    berlin = zone("Europe/Berlin")
    start = datetime(2026, 10, 25, 2, 50, tzinfo=berlin, fold=0)
    end = datetime(2026, 10, 25, 2, 10, tzinfo=berlin, fold=1)
    assert hourly(starts_at=start, ends_at=end).newest(5, until=end) == [datetime(2026, 10, 25, 1, tzinfo=UTC)]


def test_the_newest_come_oldest_first_and_not_before_a_limit() -> None:
    schedule = hourly()
    until = EPOCH + 10 * HOUR + HOUR / 2
    assert schedule.newest(3, until) == [EPOCH + n * HOUR for n in (8, 9, 10)]
    assert schedule.newest(3, until, since=EPOCH + 10 * HOUR) == [EPOCH + 10 * HOUR]
    assert schedule.newest(0, until) == []


def test_bad_schedules_are_refused() -> None:
    with pytest.raises(BadRequest, match=r"^An interval must be more than zero\.$"):
        Every(timedelta(0), EPOCH)
    with pytest.raises(BadRequest, match=r"^A schedule must end after it starts\.$"):
        hourly(starts_at=EPOCH, ends_at=EPOCH)
    with pytest.raises(ValueError, match="has no time zone"):
        hourly(starts_at=datetime(2026, 1, 1))
