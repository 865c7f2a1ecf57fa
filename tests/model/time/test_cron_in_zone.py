"""Cron rules where clocks change: every answer against a walk over the minutes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.model.time.cron_oracle import LONG, ZONES, Oracle, clock_changes, many, rules, zones_and_years

from headrace.model.time.cron import CronRule
from headrace.model.time.cron_fields import CronError
from headrace.model.time.cron_in_zone import count_cron, next_cron, previous_cron
from headrace.model.time.zone import zone

pytestmark = pytest.mark.timeout(3600 if LONG else 120)
HOUR = timedelta(hours=1)
TICK = datetime.resolution
BATTERY = [
    "* * * * *",
    "*/10 * * * *",
    "*/10 3 * * *",
    "*/7 0-3 * * *",
    "0 * * * *",
    "30 */2 * * *",
    "45 1 * * *",
    "0 2 * * *",
    "30 2 * * *",
    "0 3 * * *",
    "15,45 0-4 * * *",
    "0-59 2 * * *",
    "0 0 * * *",
    "59 23 * * *",
    "0 0 1 * *",
    "30 2 * * SUN",
]


@cache
def changes(name: str, year: int) -> list[datetime]:
    """The changes of a year, or its middle if there is none."""
    start = datetime(year, 1, 1, tzinfo=UTC)
    return clock_changes(zone(name), start, start.replace(year=year + 1)) or [start + timedelta(days=180)]


def check_around(text: str, name: str, change: datetime, questions: list[timedelta]) -> None:
    """Iterate over a change of clocks both ways, then ask from instants near it."""
    rule, tz = CronRule.parse(text), zone(name)
    start, end = change - 12 * HOUR, change + 28 * HOUR
    fires = Oracle(rule.expression, tz).fires(start, end)
    first, last = change - 2 * HOUR, change + 2 * HOUR
    assert forward(rule, name, first - TICK, last) == [fire for fire in fires if first <= fire <= last]
    assert backward(rule, name, first, last) == [fire for fire in reversed(fires) if first <= fire <= last]
    for question in questions:
        check_question(rule, name, fires, change + question, start, end)


def check_question(
    rule: CronRule, name: str, fires: list[datetime], instant: datetime, start: datetime, end: datetime
) -> None:
    tz = zone(name)
    later = [fire for fire in fires if fire > instant]
    answer = next_cron(rule, tz, instant.astimezone(tz))
    assert answer == later[0] if later else answer is None or answer > end
    earlier = [fire for fire in fires if fire <= instant]
    answer = previous_cron(rule, tz, instant.astimezone(tz))
    assert answer == earlier[-1] if earlier else answer is None or answer < start
    assert count_cron(rule, tz, start, instant, 10_000) == len(earlier)
    assert count_cron(rule, tz, instant + TICK, end, 10_000) == len(later)


def forward(rule: CronRule, name: str, after: datetime, end: datetime) -> list[datetime]:
    found, due = [], next_cron(rule, zone(name), after)
    while due is not None and due <= end:
        found.append(due)
        due = next_cron(rule, zone(name), due)
    return found


def backward(rule: CronRule, name: str, start: datetime, until: datetime) -> list[datetime]:
    found, due = [], previous_cron(rule, zone(name), until)
    while due is not None and due >= start:
        found.append(due)
        due = previous_cron(rule, zone(name), due - TICK)
    return found


@pytest.mark.parametrize(("name", "year"), [(name, year) for name, years in ZONES.items() for year in years])
def test_these_rules_are_right_at_every_change_of_these_zones(name: str, year: int) -> None:
    for number, change in enumerate(changes(name, year)):
        for text in BATTERY[number % 2 :: 2] if len(changes(name, year)) > 2 else BATTERY:
            check_around(text, name, change, [timedelta(minutes=n * 35, seconds=n) for n in range(-5, 6)])


@many(150)
@given(
    rules,
    zones_and_years,
    st.integers(0, 3),
    st.lists(st.timedeltas(-5 * HOUR, 5 * HOUR), min_size=4, max_size=8),
)
def test_any_rule_is_right_at_any_change(
    text: str, place: tuple[str, int], which: int, questions: list[timedelta]
) -> None:
    try:
        CronRule.parse(text)
    except CronError as error:
        assume("No date ever matches" not in str(error))
        raise
    near = changes(*place)
    check_around(text, place[0], near[which % len(near)], [*questions, timedelta(0), -TICK, TICK])


@many(60)
@given(rules, zones_and_years, st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)))
def test_the_newest_is_the_last_before_the_next(text: str, place: tuple[str, int], instant: datetime) -> None:
    try:
        rule, tz = CronRule.parse(text), zone(place[0])
    except CronError:
        assume(False)
    following, newest = next_cron(rule, tz, instant), previous_cron(rule, tz, instant)
    assert following is not None
    assert newest is not None
    assert newest <= instant < following
    assert next_cron(rule, tz, newest) == following
    assert previous_cron(rule, tz, following - TICK) == newest


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("text", "name", "after", "due"),
    [
        # Asked in the second 01:10, for a time that the first hour has had.
        ("45 1 * * *", "America/New_York", "2026-11-01T01:10-05:00", "2026-11-02T01:45-05:00"),
        ("45 1 * * *", "America/New_York", "2026-11-01T01:10-04:00", "2026-11-01T01:45-04:00"),
        ("*/15 1 * * *", "America/New_York", "2026-11-01T01:45-04:00", "2026-11-01T01:00-05:00"),
        ("30 2 * * *", "America/New_York", "2026-03-08T01:59-05:00", "2026-03-08T03:00-04:00"),
        ("30 2 * * *", "America/New_York", "2026-03-08T03:00-04:00", "2026-03-09T02:30-04:00"),
        ("*/30 2 * * *", "America/New_York", "2026-03-08T01:59-05:00", "2026-03-09T02:00-04:00"),
        ("*/10 * * * *", "America/New_York", "2026-03-08T01:50-05:00", "2026-03-08T03:00-04:00"),
        # Clocks jump from 02:00 to 02:30, and from 02:00 back to 01:30.
        ("*/10 3 * * *", "Australia/Lord_Howe", "2026-10-04T01:55+10:30", "2026-10-04T03:00+11:00"),
        ("*/10 2 * * *", "Australia/Lord_Howe", "2026-10-04T01:55+10:30", "2026-10-04T02:30+11:00"),
        ("15 2 * * *", "Australia/Lord_Howe", "2026-10-04T01:55+10:30", "2026-10-04T02:30+11:00"),
        ("45 1 * * *", "Australia/Lord_Howe", "2026-04-05T01:35+10:30", "2026-04-06T01:45+10:30"),
        # A day that never was.
        ("0 9 * * *", "Pacific/Apia", "2011-12-29T23:59-10:00", "2011-12-31T00:00+14:00"),
        ("0 9 30 12 *", "Pacific/Apia", "2011-12-29T23:59-10:00", "2011-12-31T00:00+14:00"),
        ("0 */9 30 12 *", "Pacific/Apia", "2011-12-29T23:59-10:00", "2012-12-30T00:00+14:00"),
        # Rare dates, found without walking there.
        ("*/5 * 29 2 *", "Europe/Berlin", "2024-02-29T23:55+01:00", "2028-02-29T00:00+01:00"),
        ("30 2 29 3 *", "Europe/Berlin", "2026-03-28T12:00+01:00", "2026-03-29T03:00+02:00"),
    ],
)
def test_a_rule_that_clocks_disturb_fires_next_at(text: str, name: str, after: str, due: str) -> None:
    assert next_cron(CronRule.parse(text), zone(name), at(after)) == at(due)


def test_two_fixed_times_in_one_gap_become_one() -> None:
    fires = forward(
        CronRule.parse("15,45 2 * * *"), "Europe/Berlin", at("2026-03-29T00:00+01:00"), at("2026-03-30T00:00+02:00")
    )
    assert fires == [at("2026-03-29T03:00+02:00")]


def test_a_time_moved_onto_another_fires_once() -> None:
    rule = CronRule.parse("0 2,3 * * *")
    day = (at("2026-03-29T00:00+01:00"), at("2026-03-30T00:00+02:00"))
    assert forward(rule, "Europe/Berlin", *day) == [at("2026-03-29T03:00+02:00")]
    assert count_cron(rule, zone("Europe/Berlin"), *day, 10) == 1


@pytest.mark.parametrize("text", ["30 2 * * *", "*/5 * * * *", "0 0 29 2 *"])
def test_the_ends_of_time_have_no_due_time_and_no_error(text: str) -> None:
    rule, tz = CronRule.parse(text), zone("Europe/Berlin")
    assert next_cron(rule, tz, datetime.max.replace(tzinfo=UTC)) is None
    assert previous_cron(rule, tz, datetime.min.replace(tzinfo=UTC)) is None
    assert next_cron(rule, tz, datetime.min.replace(tzinfo=UTC)) is not None
    assert previous_cron(rule, tz, datetime.max.replace(tzinfo=UTC)) is not None


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        next_cron(CronRule.parse("* * * * *"), zone("UTC"), datetime(2026, 1, 1))
