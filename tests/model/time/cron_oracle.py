"""When a cron rule fires, found by looking at every minute: slow, obvious, and without the code it checks.

Nothing here comes from cronsim or from `headrace`. The calendar is matched field by field, and the zone rule is read
off a walk over UTC minutes on which clocks are seen to repeat or to jump. The strategies below draw rules to ask about.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import settings
from hypothesis import strategies as st

# A few seconds by default, always the same questions; `LONG_TESTS=1` asks many more, and new ones each time.
LONG = bool(os.environ.get("LONG_TESTS"))
MINUTE = timedelta(minutes=1)
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
NAMES = {name: str(n) for words, low in ((WEEKDAYS, 0), (MONTHS, 1)) for n, name in enumerate(words, low)}


@cache
def numbers(text: str, low: int, high: int) -> frozenset[int]:
    """The plain numbers a field names; terms with L or # are left to the day."""
    found: set[int] = set()
    for term in text.split(","):
        if "L" in term.replace("JUL", "") or "#" in term:
            continue
        span, _, step = term.partition("/")
        first, _, last = span.partition("-")
        if span == "*":
            start, end = low, high
        else:
            start = int(NAMES.get(first, first))
            end = int(NAMES.get(last, last)) if last else high if step else start
        found.update(range(start, end + 1, int(step or 1)))
    return frozenset(found)


def last_day(day: date) -> date:
    following = day.replace(day=28) + timedelta(days=4)
    return following - timedelta(days=following.day)


def matches_day_of_month(text: str, day: date) -> bool:
    if day.day in numbers(text, 1, 31):
        return True
    end = last_day(day)
    last_working = max(d for d in (end - timedelta(days=n) for n in range(3)) if d.isoweekday() <= 5)
    terms = text.split(",")
    return ("L" in terms and day == end) or ("LW" in terms and day == last_working)


def matches_day_of_week(text: str, day: date) -> bool:
    weekday = day.isoweekday() % 7
    numbered = numbers(text, 0, 7)
    if weekday in numbered or (weekday == 0 and 7 in numbered):
        return True
    for term in text.split(","):
        if "#" in term:
            name, nth = term.split("#")
            same_month = (day - timedelta(weeks=int(nth) - 1)).month == day.month
            first_week = (day - timedelta(weeks=int(nth))).month != day.month
            if weekday == int(NAMES.get(name, name)) % 7 and same_month and first_week:
                return True
        elif term.endswith("L") and weekday == int(term[:-1]) % 7 and (day + timedelta(weeks=1)).month != day.month:
            return True
    return False


@lru_cache(maxsize=16)
def clocks(tz: ZoneInfo, start: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
    """Each UTC minute from start to end, and what clocks show at it."""
    minutes = [start + n * MINUTE for n in range((end - start) // MINUTE + 1)]
    return [(minute, minute.astimezone(tz).replace(tzinfo=None)) for minute in minutes]


class Oracle:
    """One rule in one zone."""

    def __init__(self, text: str, tz: ZoneInfo) -> None:
        minute, hour, self.day, month, self.weekday = text.upper().split()
        self.tz = tz
        self.minutes, self.hours, self.months = numbers(minute, 0, 59), numbers(hour, 0, 23), numbers(month, 1, 12)
        self.is_fixed = minute[0] != "*" and hour[0] != "*"
        self.both = self.day[0] == "*" or self.weekday[0] == "*"
        self.matches_date = cache(self._matches_date)

    def _matches_date(self, day: date) -> bool:
        answers = (matches_day_of_month(self.day, day), matches_day_of_week(self.weekday, day))
        return day.month in self.months and (all(answers) if self.both else any(answers))

    def matches(self, local: datetime) -> bool:
        return local.minute in self.minutes and local.hour in self.hours and self.matches_date(local.date())

    def fires(self, start: datetime, end: datetime) -> list[datetime]:
        """Every time the rule fires from start to end, both whole minutes in UTC."""
        assert start.tzinfo is UTC
        return list(self._fixed(start, end) if self.is_fixed else self._wild(start, end))

    def _wild(self, start: datetime, end: datetime) -> Iterator[datetime]:
        return (instant for instant, local in clocks(self.tz, start, end) if self.matches(local))

    def _fixed(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """A time of day fires when clocks reach it for the first time, by a minute's step or by a jump."""
        # From two days before, to know what clocks have shown already.
        begin = start - timedelta(days=2)
        reached = begin.astimezone(self.tz).replace(tzinfo=None)
        for instant, local in clocks(self.tz, begin + MINUTE, end):
            fresh = []
            while reached < local:
                reached += MINUTE
                fresh.append(reached)
            if instant >= start and any(self.matches(moment) for moment in fresh):
                yield instant


def clock_changes(tz: ZoneInfo, start: datetime, end: datetime) -> list[datetime]:
    """When a zone's clocks change, found by looking twice a day and then at each minute."""
    found = []
    half_day = timedelta(hours=12)
    while start < end:
        if start.astimezone(tz).utcoffset() != (start + half_day).astimezone(tz).utcoffset():
            minute = start
            while minute.astimezone(tz).utcoffset() == start.astimezone(tz).utcoffset():
                minute += MINUTE
            found.append(minute)
        start += half_day
    return found


def many(examples: int) -> settings:
    """How many questions to ask."""
    return settings(derandomize=not LONG, deadline=None, max_examples=examples * 30 if LONG else examples)


# Half an hour, a whole day, a quarter of an hour, three hours, twice a year and back in Ramadan; one week only; the
# usual ones; none at all.
ZONES = {
    "Australia/Lord_Howe": [2008, 2026],
    "Pacific/Apia": [2011],
    "Antarctica/Casey": [2009, 2010, 2018, 2020],
    "Asia/Pyongyang": [2015, 2018],
    "America/Caracas": [2007, 2016],
    "Pacific/Chatham": [2026],
    "Africa/Casablanca": [2018, 2026],
    "America/Boa_Vista": [2000],
    "Asia/Gaza": [2040],
    "America/New_York": [2026],
    "Europe/Berlin": [2026],
    "UTC": [2026],
}
ALL_ZONES = sorted(available_timezones() - {"localtime", "Factory"})
zones_and_years = st.one_of(
    st.sampled_from([(name, year) for name, years in ZONES.items() for year in years]),
    st.tuples(st.sampled_from(ALL_ZONES), st.integers(2000, 2040)),
)


@st.composite
def plain_terms(draw: st.DrawFn, low: int, high: int, names: Sequence[str] = ()) -> str:
    """A number, a range, a step, or everything."""
    first, last = sorted((draw(st.integers(low, high)), draw(st.integers(low, high))))
    span = draw(st.sampled_from(["*", f"{first}", f"{first}-{last}" if first < last else f"{first}"]))
    if names and span != "*" and draw(st.booleans()):
        span = "-".join(names[n - low] for n in (first, last)[: span.count("-") + 1] if n - low < len(names)) or "*"
    step = draw(st.one_of(st.just(""), st.integers(1, high).map("/{}".format)))
    return span + step


def fields(term: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(term, min_size=1, max_size=3).map(",".join)


weekday_terms = st.one_of(
    plain_terms(0, 7, WEEKDAYS),
    st.integers(0, 7).map("{}L".format),
    st.builds("{}#{}".format, st.sampled_from(["SUN", "MON", "5", "7", "0"]), st.integers(1, 5)),
)
minutes = fields(plain_terms(0, 59))
hours = st.one_of(st.just("*"), fields(plain_terms(0, 4)), fields(plain_terms(0, 23)))
days = st.one_of(st.just("*"), fields(st.one_of(plain_terms(1, 31), st.sampled_from(["L", "LW"]))))
months = st.one_of(st.just("*"), fields(plain_terms(1, 12, MONTHS)))
weekdays = st.one_of(st.just("*"), fields(weekday_terms))
times_of_day = st.builds("{} {}".format, minutes, hours)
dates = st.builds("{} {} {}".format, days, months, weekdays)
# Most rules name every day: what matters in a zone happens within one.
rules = st.builds("{} {}".format, times_of_day, st.one_of(st.just("* * *"), st.just("* * *"), dates))
