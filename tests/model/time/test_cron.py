"""Cron rules over the calendar: what is understood, what is refused and why, and every date against an oracle."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.model.time.cron_oracle import LONG, MINUTE, Oracle, dates, many, times_of_day

from headrace.errors import BadRequest
from headrace.model.time.cron import CronRule
from headrace.model.time.cron_fields import CronError

pytestmark = pytest.mark.timeout(3600 if LONG else 120)
UTC_ZONE = ZoneInfo("UTC")
DAY = timedelta(days=1)
DAYS_TAKEN = "it takes 1 to 31, L (the last day), LW (the last weekday), * for any, ranges, lists and steps."
REFUSED = [
    ("", "A cron rule has five fields (minute, hour, day of month, month, day of week), not 0."),
    ("* * * *", "A cron rule has five fields (minute, hour, day of month, month, day of week), not 4."),
    ("0 * * * * *", "A cron rule has five fields (minute, hour, day of month, month, day of week), not 6."),
    ("@daily @daily", "A cron rule has five fields (minute, hour, day of month, month, day of week), not 2."),
    ("* " * 100 + "*", "The cron rule has 201 characters; at most 200 are allowed."),
    ("9" * 5000, "The cron rule has 5,000 characters; at most 200 are allowed."),
    ("60 * * * *", "The minute '60' is not valid: it takes 0 to 59, * for any, ranges, lists and steps."),
    ("-1 * * * *", "The minute '-1' is not valid: it takes 0 to 59, * for any, ranges, lists and steps."),
    ("1, * * * *", "The minute '' is not valid: it takes 0 to 59, * for any, ranges, lists and steps."),
    ("MON * * * *", "The minute 'MON' is not valid: it takes 0 to 59, * for any, ranges, lists and steps."),
    ("* 24 * * *", "The hour '24' is not valid: it takes 0 to 23, * for any, ranges, lists and steps."),
    ("* * 0 * *", f"The day of month '0' is not valid: {DAYS_TAKEN}"),
    ("* * 15W * *", f"The day of month '15W' is not valid: {DAYS_TAKEN}"),
    ("* * L-2 * *", f"The day of month 'L-2' is not valid: {DAYS_TAKEN}"),
    ("* * L/2 * *", f"The day of month 'L/2' is not valid: {DAYS_TAKEN}"),
    ("* * * 13 *", "The month '13' is not valid: it takes 1 to 12 or JAN to DEC, * for any, ranges, lists and steps."),
    (
        "* * * * MON#6",
        "The day of week 'MON#6' is not valid: it takes 0 to 7 or SUN to SAT (0 and 7 are Sunday), 5L (the last Friday)"
        ", MON#2 (the second Monday), * for any, ranges, lists and steps.",
    ),
    ("* * ? * *", "The day of month '?' is not valid: write * for any."),
    ("*/70 * * * *", "The minute '*/70' is not valid: a step is 1 to 59."),
    ("*/0 * * * *", "The minute '*/0' is not valid: a step is 1 to 59."),
    ("* */24 * * *", "The hour '*/24' is not valid: a step is 1 to 23."),
    ("* * * * */8", "The day of week '*/8' is not valid: a step is 1 to 7."),
    ("5-5/9 * * * *", "The minute '5-5/9' is not valid: a range of one value has no steps."),
    (
        "* * * * FRI-MON",
        "The day of week 'FRI-MON' is not valid: the range runs backwards; write it as a list or as two ranges.",
    ),
    ("* * * * MON-SUN", "The day of week 'MON-SUN' is not valid: the range runs backwards; write it as a list or"),
    ("0 0 31 2 *", "No date ever matches day of month '31', month '2' and day of week '*' together."),
    ("0 0 31 APR,JUN *", "No date ever matches day of month '31', month 'APR,JUN' and day of week '*' together."),
    ("0 0 */20 * MON#5", "No date ever matches day of month '*/20', month '*' and day of week 'MON#5' together."),
    (
        "@reboot",
        "The shorthand '@reboot' is not known; there are @yearly, @annually, @monthly, @weekly, @daily, @midnight, "
        "@hourly.",
    ),
    ("* * * * ſun", "A cron rule has five fields of ASCII characters."),
    ("٣ * * * *", "A cron rule has five fields of ASCII characters."),
]


@pytest.mark.parametrize(("text", "sentence"), REFUSED, ids=lambda value: str(value)[:30])
def test_a_rule_is_refused_with_a_sentence_that_names_the_field_and_what_it_takes(text: str, sentence: str) -> None:
    with pytest.raises(CronError) as refused:
        CronRule.parse(text)
    assert str(refused.value).startswith(sentence)
    assert isinstance(refused.value, BadRequest)
    assert (refused.value.code, refused.value.status) == ("bad_cron", 400)


@pytest.mark.parametrize(
    "term", ["MONL", "L", "1#0", "1#", "#1", "8#1", "5L/2", "1#2/2", "5LL", "*/2/2", "1-2-3", "*-5", "*5"]
)
def test_a_term_that_no_field_takes_is_refused(term: str) -> None:
    for position in range(5):
        words = ["*"] * 5
        words[position] = term
        if (term, position) != ("L", 2):
            with pytest.raises(CronError, match="is not valid"):
                CronRule.parse(" ".join(words))


@pytest.mark.parametrize(
    ("shorthand", "text"),
    [
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("@monthly", "0 0 1 * *"),
        ("@weekly", "0 0 * * 0"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@hourly", "0 * * * *"),
    ],
)
def test_a_shorthand_stands_for_five_fields(shorthand: str, text: str) -> None:
    assert CronRule.parse(shorthand).expression == text
    assert CronRule.parse(f" {shorthand.upper()}\n").expression == text


@pytest.mark.parametrize(
    ("text", "is_fixed"),
    [
        ("30 2 * * *", True),
        ("0-59 2 * * *", True),
        ("0 0-23 * * *", True),
        ("5/10 1 * * *", True),
        ("*/10 2 * * *", False),
        ("30 */2 * * *", False),
        ("* * * * *", False),
        ("*,5 1 * * *", False),
        ("@hourly", False),
        ("@daily", True),
    ],
)
def test_a_rule_is_fixed_when_neither_minute_nor_hour_begins_with_a_star(text: str, is_fixed: bool) -> None:
    assert CronRule.parse(text).is_fixed is is_fixed


@pytest.mark.parametrize(
    ("text", "first"),
    [
        # Either day is enough, unless one begins with a star.
        ("0 0 13 * FRI", [date(2026, 1, 2), date(2026, 1, 9), date(2026, 1, 13), date(2026, 1, 16)]),
        ("0 0 1-7 * MON", [date(2026, 1, d) for d in (2, 3, 4, 5, 6, 7, 12)]),
        ("0 0 1-7 * */7", [date(2026, 1, 4), date(2026, 2, 1), date(2026, 3, 1)]),
        ("0 0 */2 * SUN", [date(2026, 1, 11), date(2026, 1, 25), date(2026, 2, 1)]),
        ("0 0 31 2 1", [date(2026, 2, d) for d in (2, 9, 16, 23)]),
        ("0 0 L * *", [date(2026, 1, 31), date(2026, 2, 28), date(2026, 3, 31)]),
        ("0 0 LW * *", [date(2026, 1, 30), date(2026, 2, 27), date(2026, 3, 31)]),
        ("0 0 * * 5L", [date(2026, 1, 30), date(2026, 2, 27), date(2026, 3, 27)]),
        ("0 0 * * MON#5", [date(2026, 3, 30), date(2026, 6, 29)]),
        ("0 0 29 2 *", [date(2028, 2, 29), date(2032, 2, 29)]),
        ("0 0 29 feb */7", [date(2032, 2, 29), date(2060, 2, 29), date(2088, 2, 29), date(2128, 2, 29)]),
    ],
)
def test_a_rule_names_these_days(text: str, first: list[date]) -> None:
    rule, found, moment = CronRule.parse(text), [], datetime(2026, 1, 1)
    for _ in first:
        moment = rule.next_naive(moment) or datetime.max
        found.append(moment.date())
    assert found == first


def test_a_leap_day_is_found_across_a_century_without_one() -> None:
    rule = CronRule.parse("*/5 * 29 2 *")
    assert rule.next_naive(datetime(2096, 2, 29, 23, 55)) == datetime(2104, 2, 29)
    assert rule.previous_naive(datetime(2104, 2, 29)) == datetime(2096, 2, 29, 23, 55)


@pytest.mark.parametrize("text", ["* * * * *", "0 0 29 2 *", "0 0 1 1 *"])
def test_the_calendar_ends_without_an_error(text: str) -> None:
    assert CronRule.parse(text).next_naive(datetime(9999, 12, 31, 23, 59)) is None
    assert CronRule.parse(text).previous_naive(datetime(1, 1, 1)) is None


@many(40)
@given(dates, st.dates(date(1990, 1, 1), date(2060, 1, 1)))
def test_every_date_of_two_years_is_the_oracles(text: str, start: date) -> None:
    oracle = Oracle(f"0 0 {text}", UTC_ZONE)
    days = [start + n * DAY for n in range(731)]
    expected = [datetime.combine(day, time()) for day in days if oracle.matches_date(day)]
    rule = parse_or_none(f"0 0 {text}")
    if rule is None:
        assert not expected
        return
    first, end = datetime.combine(start, time()), datetime.combine(days[-1], time())
    assert walk(rule, first, end) == expected
    assert walk_back(rule, first, end) == expected[::-1]
    assert rule.count_naive(first, end, 1000) == len(expected)


@many(15)
@given(times_of_day, st.times(), st.times())
def test_every_time_of_day_is_the_oracles(text: str, one: time, other: time) -> None:
    rule, oracle = CronRule.parse(f"{text} * * *"), Oracle(f"{text} * * *", UTC_ZONE)
    midnight = datetime(2026, 5, 5)
    minutes = [midnight + n * MINUTE for n in range(1441)]
    expected = [moment for moment in minutes if oracle.matches(moment)]
    assert walk(rule, midnight, minutes[-1]) == expected
    assert walk_back(rule, midnight, minutes[-1]) == expected[::-1]
    start, end = sorted((datetime.combine(midnight, one), datetime.combine(midnight, other)))
    assert rule.count_naive(start, end, 2000) == sum(start <= moment <= end for moment in expected)


@many(50)
@given(times_of_day, dates, st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1)))
def test_going_forward_and_back_again_returns(times: str, days: str, moment: datetime) -> None:
    rule = parse_or_none(f"{times} {days}")
    assume(rule)
    assert rule is not None
    following = rule.next_naive(moment)
    assert following is not None
    assert following > moment
    previous = rule.previous_naive(following)
    assert previous is not None
    assert previous <= moment
    assert rule.next_naive(previous) == following


def test_a_count_stops_soon_after_the_limit() -> None:
    rule = CronRule.parse("* * * * *")
    assert 1000 < rule.count_naive(datetime(2000, 1, 1), datetime(2026, 1, 1), 1000) <= 2440


def parse_or_none(text: str) -> CronRule | None:
    """The rule, or None if it has no date; any other refusal is a failure."""
    try:
        return CronRule.parse(text)
    except CronError as error:
        if "No date ever matches" in str(error):
            return None
        raise


def walk(rule: CronRule, first: datetime, end: datetime) -> list[datetime]:
    found, moment = [], rule.next_naive(first - MINUTE)
    while moment is not None and moment <= end:
        found.append(moment)
        moment = rule.next_naive(moment)
    return found


def walk_back(rule: CronRule, first: datetime, end: datetime) -> list[datetime]:
    found, moment = [], rule.previous_naive(end + MINUTE)
    while moment is not None and moment >= first:
        found.append(moment)
        moment = rule.previous_naive(moment)
    return found


def test_the_oracle_itself_knows_the_examples() -> None:
    oracle = Oracle("*/10 1 1-7 * SUN", ZoneInfo("America/New_York"))
    fires = oracle.fires(datetime(2026, 11, 1, 5, 30, tzinfo=UTC), datetime(2026, 11, 1, 6, 20, tzinfo=UTC))
    assert [(moment.hour, moment.minute) for moment in fires] == [(5, 30), (5, 40), (5, 50), (6, 0), (6, 10), (6, 20)]
