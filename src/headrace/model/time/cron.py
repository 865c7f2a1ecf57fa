"""Five-field cron rules over the calendar alone: local times without a zone, which `cron_in_zone` places."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from datetime import datetime, time
from functools import lru_cache

from cronsim import CronSim, CronSimError

from headrace.model.time.cron_fields import FIELDS, CronError, check_field

MAX_LENGTH = 200
SHORTHANDS = {
    "@YEARLY": "0 0 1 1 *",
    "@ANNUALLY": "0 0 1 1 *",
    "@MONTHLY": "0 0 1 * *",
    "@WEEKLY": "0 0 * * 0",
    "@DAILY": "0 0 * * *",
    "@MIDNIGHT": "0 0 * * *",
    "@HOURLY": "0 * * * *",
}

# The rarest rule there is, 29 February on one weekday, comes at least every 40 years, and cronsim looks 50 ahead:
# a rule that finds nothing from here on has no day at all.
SOME_DAY = datetime(2000, 1, 1)
LAST_SECOND = time(23, 59, 59)


@dataclass(frozen=True, slots=True)
class CronRule:
    """A cron rule that was found valid. Each local time it names is a whole minute."""

    text: str
    expression: str
    is_fixed: bool
    """Whether it names times of day ("at half past two") rather than a rhythm ("every ten minutes")."""
    _minutes: tuple[int, ...] = field(repr=False, compare=False)
    _hours: tuple[int, ...] = field(repr=False, compare=False)
    # Cronsim finds the day; it would look for the time of day hour by hour and minute by minute.
    _days_ahead: CronSim = field(repr=False, compare=False)
    _days_back: CronSim = field(repr=False, compare=False)

    @classmethod
    def parse(cls, text: str) -> CronRule:
        """The rule a text says, or `CronError` naming the field and what it takes."""
        # First of all, for a hostile text may be long enough to make the parser itself fail.
        if len(text) > MAX_LENGTH:
            raise CronError(f"The cron rule has {len(text):,} characters; at most {MAX_LENGTH} are allowed.")
        return _parse(text)

    @property
    def needs_both_days(self) -> bool:
        """Whether day of month and day of week must both match (one begins with `*`), as in Debian's cron."""
        return self._days_ahead.day_and

    def next_naive(self, after: datetime) -> datetime | None:
        """The first local time later than this one."""
        if self._matches_date(after):
            past = self._count_of_day(after.time())
            if past < self._times_a_day:
                return self._time(after, past)
        day = _step(self._days_ahead, datetime.combine(after, LAST_SECOND))
        return None if day is None else self._time(day, 0)

    def previous_naive(self, before: datetime) -> datetime | None:
        """The last local time earlier than this one."""
        if self._matches_date(before):
            earlier = self._count_of_day(before.time(), itself=before.second + before.microsecond > 0)
            if earlier > 0:
                return self._time(before, earlier - 1)
        day = _step(self._days_back, datetime.combine(before, time()))
        return None if day is None else self._time(day, self._times_a_day - 1)

    def count_naive(self, first: datetime, until: datetime, limit: int) -> int:
        """How many local times there are from first to until; some number above the limit if more than that."""
        count = 0
        found = self.next_naive(before(first))
        # A day at a time: a rule for every minute costs no more than one for every day.
        while found is not None and found <= until and count <= limit:
            last = min(until, datetime.combine(found, time.max))
            count += self._count_of_day(last.time()) - self._count_of_day(found.time(), itself=False)
            found = self.next_naive(last)
        return count

    @property
    def _times_a_day(self) -> int:
        return len(self._hours) * len(self._minutes)

    def _matches_date(self, moment: datetime) -> bool:
        return moment.month in self._days_ahead.months and self._days_ahead.match_day(moment.date())

    def _count_of_day(self, until: time, *, itself: bool = True) -> int:
        """How many of a day's times come up to this one."""
        hours = bisect_left(self._hours, until.hour)
        if hours == len(self._hours) or self._hours[hours] != until.hour:
            return hours * len(self._minutes)
        minutes = (bisect_right if itself else bisect_left)(self._minutes, until.minute)
        return hours * len(self._minutes) + minutes

    def _time(self, day: datetime, index: int) -> datetime:
        """A time of that day by its place among all, counted from 0."""
        hour, minute = divmod(index, len(self._minutes))
        return day.replace(hour=self._hours[hour], minute=self._minutes[minute], second=0, microsecond=0)


def before(moment: datetime) -> datetime:
    """The instant just before, for asking what comes at this one or later."""
    return moment - datetime.resolution


@lru_cache(maxsize=4096)
def _parse(text: str) -> CronRule:
    words = text.upper().split() if text.isascii() else []
    if len(words) == 1 and words[0].startswith("@"):
        words = _long_form(words[0]).split()
    if len(words) != len(FIELDS):
        raise CronError(
            f"A cron rule has five fields (minute, hour, day of month, month, day of week), not {len(words)}."
            if text.isascii()
            else "A cron rule has five fields of ASCII characters."
        )
    for kind, word in zip(FIELDS, words, strict=True):
        check_field(kind, word)
    days = " ".join(words[2:])
    try:
        times = CronSim(" ".join(words), SOME_DAY)
        # Where the search for a day begins, so that it does not go on to search for the time.
        ahead, back = CronSim(f"0 0 {days}", SOME_DAY), CronSim(f"59 23 {days}", SOME_DAY, reverse=True)
    except CronSimError:
        raise _never(words) from None
    is_fixed = not words[0].startswith("*") and not words[1].startswith("*")
    minutes, hours = tuple(sorted(times.minutes)), tuple(sorted(times.hours))
    rule = CronRule(text, " ".join(words), is_fixed, minutes, hours, ahead, back)
    if rule.next_naive(SOME_DAY) is None:
        raise _never(words)
    return rule


def _long_form(word: str) -> str:
    if word not in SHORTHANDS:
        known = ", ".join(SHORTHANDS).lower()
        raise CronError(f"The shorthand {word.lower()!r} is not known; there are {known}.")
    return SHORTHANDS[word]


def _never(words: list[str]) -> CronError:
    return CronError(
        f"No date ever matches day of month {words[2]!r}, month {words[3]!r} and day of week {words[4]!r} together."
    )


def _step(parsed: CronSim, start: datetime) -> datetime | None:
    """One step of cronsim from here, without parsing again: that would take longer than the step."""
    sim = object.__new__(CronSim)
    sim.__dict__.update(parsed.__dict__)
    sim.dt = start
    try:
        return next(sim)
    except (StopIteration, OverflowError):
        return None
