"""Time zones as stretches of constant offset, with the moments in between at which clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from headrace.errors import BadRequest

# Beyond these there is no schedule: cron had not been invented, and dates end soon after.
EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
LATEST = datetime(9000, 1, 1, tzinfo=UTC)

# Shorter than any stretch on record: Freetown had one of four days in 1939, Recife one of seven in 2000.
LOOK = timedelta(days=3)
SECOND = timedelta(seconds=1)


class UnknownZone(BadRequest):
    """There is no time zone of that name."""

    code = "unknown_zone"


class Stretch(NamedTuple):
    """A span from one change of a zone's clocks to the next, or to the edge of the years looked at.

    Local times have no zone. `local_before` is what clocks were about to show at the start: if they then showed a later
    time there is a gap, if an earlier one, the hour from `local_start` to `local_before` repeats.
    """

    start: datetime
    end: datetime
    offset: timedelta
    local_start: datetime
    local_end: datetime
    local_before: datetime

    def local(self, instant: datetime) -> datetime:
        """What clocks show at an instant of this stretch."""
        return instant.replace(tzinfo=None) + self.offset

    def instant(self, local: datetime) -> datetime:
        """When clocks show a local time of this stretch."""
        return (local - self.offset).replace(tzinfo=UTC)


@lru_cache(maxsize=1024)
def zone(name: str) -> ZoneInfo:
    """The IANA time zone of that name."""
    if name not in _names():
        near = _near(name)
        hint = f"did you mean {' or '.join(near)}?" if near else "use a name like Europe/Berlin or UTC."
        raise UnknownZone(f"There is no time zone {name[:60]!r}; {hint}")
    return ZoneInfo(name)


def utc(moment: datetime) -> datetime:
    """The same instant in UTC; a time without a zone is refused, for it would be taken for this machine's."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC)


def stretch_at(tz: ZoneInfo, instant: datetime) -> Stretch:
    """The stretch that holds an instant, which is given in UTC."""
    within = min(max(instant, EARLIEST), LATEST)
    stretches = _stretches(tz, within.year)
    for stretch in reversed(stretches):
        if stretch.start <= within:
            return stretch
    return stretches[0]


def next_change(tz: ZoneInfo, after: datetime) -> datetime | None:
    """When clocks change next, or None if they do not before the next year is over."""
    stretch = stretch_at(tz, utc(after))
    return stretch.end if _offset(tz, stretch.end) != stretch.offset else None


def first_shown(tz: ZoneInfo, local: datetime) -> datetime:
    """When clocks first show a local time or, if it is skipped, jump past it."""
    instant = local.replace(tzinfo=tz, fold=0).astimezone(UTC)
    stretch = stretch_at(tz, instant)
    # Python places a skipped time by the offset before the gap, that is after the gap.
    return instant if stretch.local(instant) == local else stretch.start


def last_shown(tz: ZoneInfo, local: datetime) -> datetime:
    """When clocks last show a local time or, if it is skipped, jump past it."""
    instant = local.replace(tzinfo=tz, fold=1).astimezone(UTC)
    stretch = stretch_at(tz, instant)
    return instant if stretch.local(instant) == local else stretch.end


@lru_cache(maxsize=4096)
def _stretches(tz: ZoneInfo, year: int) -> tuple[Stretch, ...]:
    """The stretches of a year in order; a first or last one without a change ends a year earlier or later."""
    edges = {_january(year - 1), _january(year + 2)}
    for near in (year - 1, year, year + 1):
        edges.update(_changes(tz, near))
    ordered = sorted(edges)
    return tuple(
        _stretch(tz, start, end)
        for start, end in pairwise(ordered)
        if end > _january(year) and start < _january(year + 1)
    )


def _stretch(tz: ZoneInfo, start: datetime, end: datetime) -> Stretch:
    offset, naive = _offset(tz, start), start.replace(tzinfo=None)
    before = _offset(tz, start - SECOND)
    return Stretch(start, end, offset, naive + offset, end.replace(tzinfo=None) + offset, naive + before)


@lru_cache(maxsize=4096)
def _changes(tz: ZoneInfo, year: int) -> tuple[datetime, ...]:
    """When clocks change after the year begins, up to the moment it is over."""
    found = []
    low, end = _january(year), _january(year + 1)
    while low < end:
        high = min(low + LOOK, end)
        if _offset(tz, low) != _offset(tz, high):
            found.append(_change_between(tz, low, high))
        low = high
    return tuple(found)


def _change_between(tz: ZoneInfo, low: datetime, high: datetime) -> datetime:
    old = _offset(tz, low)
    while high - low > SECOND:
        middle = low + (high - low) // SECOND // 2 * SECOND
        if _offset(tz, middle) == old:
            low = middle
        else:
            high = middle
    return high


def _offset(tz: ZoneInfo, instant: datetime) -> timedelta:
    return instant.astimezone(tz).utcoffset() or timedelta(0)


def _january(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    # These two mean something else on every machine.
    return frozenset(available_timezones() - {"localtime", "Factory"})


def _near(name: str) -> list[str]:
    """Names that someone may have meant."""
    if len(name) > 60:
        return []
    lower = {known.lower(): known for known in sorted(_names())}
    wanted = name.strip().lower().replace(" ", "_")
    if wanted in lower:
        return [lower[wanted]]
    cities = [known for low, known in lower.items() if low.endswith(f"/{wanted}")]
    return cities[:3] or [lower[low] for low in get_close_matches(wanted, lower, n=3, cutoff=0.85)]
