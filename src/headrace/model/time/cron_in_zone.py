"""When a cron rule fires in a time zone, also while its clocks change.

A *fixed* rule (neither minute nor hour begins with `*`) names times of day, and each fires once: when clocks first show
it or, if they skip it, at the moment they jump past it. Any other rule is *wild*, names a rhythm, and fires whenever
clocks show a time that matches: in an hour that repeats twice, in one that is skipped not at all.
"""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from headrace.model.time.cron import CronRule, before
from headrace.model.time.zone import EARLIEST, LATEST, Stretch, first_shown, last_shown, stretch_at, utc

TICK = datetime.resolution


def next_cron(rule: CronRule, tz: ZoneInfo, after: datetime) -> datetime | None:
    """The first time a rule fires later than this instant, in UTC."""
    start = max(utc(after), EARLIEST)
    if start >= LATEST:
        return None
    return _next_fixed(rule, tz, start) if rule.is_fixed else _next_wild(rule, tz, start)


def previous_cron(rule: CronRule, tz: ZoneInfo, until: datetime) -> datetime | None:
    """The last time a rule fires at this instant or earlier, in UTC."""
    end = min(utc(until), LATEST)
    if end <= EARLIEST:
        return None
    return _previous_fixed(rule, tz, end) if rule.is_fixed else _previous_wild(rule, tz, end)


def count_cron(rule: CronRule, tz: ZoneInfo, first: datetime, until: datetime, limit: int) -> int:
    """How often a rule fires from first to until; some number above the limit if more often than that."""
    count = 0
    start, end = max(utc(first), EARLIEST), min(utc(until), LATEST)
    while start <= end and count <= limit:
        stretch = stretch_at(tz, start)
        last = min(end, before(stretch.end))
        count += _count_in_stretch(rule, stretch, start, last, limit - count)
        start = stretch.end
    return count


def _next_fixed(rule: CronRule, tz: ZoneInfo, after: datetime) -> datetime | None:
    stretch = stretch_at(tz, after)
    # In an hour that repeats, all of it has been shown before.
    shown = max(stretch.local(after), before(stretch.local_before))
    match = rule.next_naive(shown)
    if match is None:
        return None
    return stretch.instant(match) if match < stretch.local_end else first_shown(tz, match)


def _previous_fixed(rule: CronRule, tz: ZoneInfo, until: datetime) -> datetime | None:
    stretch = stretch_at(tz, until)
    match = rule.previous_naive(max(stretch.local(until) + TICK, stretch.local_before))
    if match is None:
        return None
    here = max(stretch.local_start, stretch.local_before)
    return stretch.instant(match) if match >= here else first_shown(tz, match)


def _next_wild(rule: CronRule, tz: ZoneInfo, after: datetime) -> datetime | None:
    stretch = stretch_at(tz, after)
    match = rule.next_naive(stretch.local(after))
    while match is not None and match >= stretch.local_end:
        # From a stretch's beginning no match comes before this one, so go where it is. But the search began in the
        # middle of the first stretch, and the one after that may repeat an earlier match: never go past a start unseen.
        start = stretch.end if stretch.start <= after else max(stretch.end, first_shown(tz, match))
        if start >= LATEST:
            return None
        stretch = stretch_at(tz, start)
        match = rule.next_naive(before(stretch.local(start)))
    return None if match is None else stretch.instant(match)


def _previous_wild(rule: CronRule, tz: ZoneInfo, until: datetime) -> datetime | None:
    stretch = stretch_at(tz, until)
    match = rule.previous_naive(stretch.local(until) + TICK)
    while match is not None and match < stretch.local_start:
        # The same as going forward, seen in a mirror.
        end = stretch.start if until < stretch.end else min(stretch.start, last_shown(tz, match) + TICK)
        if end <= EARLIEST:
            return None
        stretch = stretch_at(tz, before(end))
        match = rule.previous_naive(stretch.local(end))
    return None if match is None else stretch.instant(match)


def _count_in_stretch(rule: CronRule, stretch: Stretch, first: datetime, last: datetime, limit: int) -> int:
    """How often a rule fires between two instants of one stretch."""
    start, end = stretch.local(first), stretch.local(last)
    if not rule.is_fixed:
        return rule.count_naive(start, end, limit)
    moved = first == stretch.start and _moves_to_start(rule, stretch)
    return rule.count_naive(max(start, stretch.local_before), end, limit) + moved


def _moves_to_start(rule: CronRule, stretch: Stretch) -> bool:
    """Whether a skipped time fires at the start of the stretch, and none does that belongs there."""
    skipped = rule.next_naive(before(stretch.local_before))
    if skipped is None or skipped >= stretch.local_start:
        return False
    return rule.next_naive(before(stretch.local_start)) != stretch.local_start
