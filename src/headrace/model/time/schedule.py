"""When a trigger is due: a cron rule in a zone or a fixed interval, from a start to an end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from headrace.errors import BadRequest
from headrace.model.time.cron import CronRule, before
from headrace.model.time.cron_in_zone import count_cron, next_cron, previous_cron
from headrace.model.time.zone import utc

COUNT_LIMIT = 1000
# How far previews and backfills look: a rule that nearly never matches is searched day by day.
LONGEST_LOOK = timedelta(days=36_525)


@dataclass(frozen=True, slots=True)
class Cron:
    """Due when clocks in a zone show what a cron rule names."""

    rule: CronRule
    tz: ZoneInfo

    def next_after(self, instant: datetime) -> datetime | None:
        return next_cron(self.rule, self.tz, instant)

    def newest_at_or_before(self, instant: datetime) -> datetime | None:
        return previous_cron(self.rule, self.tz, instant)

    def count(self, first: datetime, until: datetime, limit: int) -> int:
        return count_cron(self.rule, self.tz, first, until, limit)


@dataclass(frozen=True, slots=True)
class Every:
    """Due at the start and each interval after it, whatever clocks do."""

    interval: timedelta
    start: datetime

    def __post_init__(self) -> None:
        if self.interval <= timedelta(0):
            raise BadRequest("An interval must be more than zero.")

    def next_after(self, instant: datetime) -> datetime | None:
        return next_interval(self.start, self.interval, instant)

    def newest_at_or_before(self, instant: datetime) -> datetime | None:
        return previous_interval(self.start, self.interval, instant)

    def count(self, first: datetime, until: datetime, limit: int) -> int:
        begin = utc(self.start)
        earlier = max(0, -((begin - utc(first)) // self.interval))
        return max(0, (utc(until) - begin) // self.interval + 1 - earlier)


def look_until(first: datetime) -> datetime:
    """How far a look from an instant goes."""
    try:
        return utc(first) + LONGEST_LOOK
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def next_interval(start: datetime, interval: timedelta, after: datetime) -> datetime | None:
    """The first of start, start + interval, … that is later than this instant, in UTC."""
    begin, instant = utc(start), utc(after)
    if instant < begin:
        return begin
    try:
        return begin + ((instant - begin) // interval + 1) * interval
    except OverflowError:
        return None


def previous_interval(start: datetime, interval: timedelta, until: datetime) -> datetime | None:
    """The last of start, start + interval, … that is not later than this instant, in UTC."""
    begin, instant = utc(start), utc(until)
    return None if instant < begin else instant - (instant - begin) % interval


@dataclass(frozen=True, slots=True)
class Schedule:
    """Due times in order, none before `starts_at` and none at `ends_at` or later."""

    beat: Cron | Every
    starts_at: datetime | None = None
    ends_at: datetime | None = None

    def __post_init__(self) -> None:
        # Two times of one zone would be compared by what clocks show, which is wrong in an hour that repeats.
        for name, limit in (("starts_at", self.starts_at), ("ends_at", self.ends_at)):
            object.__setattr__(self, name, limit and utc(limit))
        if self.starts_at and self.ends_at and self.ends_at <= self.starts_at:
            raise BadRequest("A schedule must end after it starts.")

    def next_after(self, instant: datetime) -> datetime | None:
        """The first due time later than this instant."""
        if self.starts_at and instant < self.starts_at:
            instant = before(self.starts_at)
        due = self.beat.next_after(instant)
        return None if due is None or (self.ends_at and due >= self.ends_at) else due

    def next_from(self, instant: datetime) -> datetime | None:
        """The first due time at this instant or later."""
        return self.next_after(before(utc(instant)))

    def due_between(self, first: datetime, until: datetime) -> Iterator[datetime]:
        """The due times from first to until, one after another."""
        due = self.next_from(first)
        while due is not None and due <= until:
            yield due
            due = self.next_after(due)

    def newest_at_or_before(self, instant: datetime) -> datetime | None:
        """The last due time that is not later than this instant, found without walking there."""
        if self.ends_at and instant >= self.ends_at:
            instant = before(self.ends_at)
        due = self.beat.newest_at_or_before(instant)
        return None if due is None or (self.starts_at and due < self.starts_at) else due

    def newest_before(self, instant: datetime) -> datetime | None:
        """The last due time earlier than this instant."""
        return self.newest_at_or_before(before(utc(instant)))

    def count_between(self, first: datetime, until: datetime, limit: int = COUNT_LIMIT) -> int | None:
        """How many due times there are from first to until, or None if more than the limit."""
        if self.starts_at:
            first = max(first, self.starts_at)
        if self.ends_at:
            until = min(until, before(self.ends_at))
        count = self.beat.count(first, until, limit) if first <= until else 0
        return None if count > limit else count

    def newest(self, n: int, until: datetime, since: datetime | None = None) -> list[datetime]:
        """The last n due times up to an instant (and not before another), oldest first."""
        found: list[datetime] = []
        due = self.newest_at_or_before(until) if n > 0 else None
        while due is not None and (since is None or due >= since):
            found.append(due)
            due = self.newest_before(due) if len(found) < n else None
        return found[::-1]
