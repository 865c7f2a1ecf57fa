"""Which due times fire when a scheduler comes to look, and which are passed over.

The work does not grow with the outage: the newest due times are found from now backwards, and what is passed over
becomes one range that is never listed.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from headrace.model.time.schedule import Schedule

CatchUp = Literal["none", "latest", "all"]
Reason = Literal["missed", "superseded", "over_cap", "disabled", "window_ended"]

MISFIRE_GRACE = timedelta(seconds=60)
CAP = 100


class Due(NamedTuple):
    """A due time that fires. It is a catch-up if it was missed, or if others were due with it."""

    due_at: datetime
    catchup: bool


class Skipped(NamedTuple):
    """Due times that do not fire, from the first until the last of them. Above 1,000 they are not counted."""

    first: datetime
    until: datetime
    n: int | None
    reason: Reason


class Fires(NamedTuple):
    """What to do now, and when to look again; no `next_run_at` means never."""

    due: list[Due]
    skipped: Skipped | None
    next_run_at: datetime | None


class _Pending(NamedTuple):
    """The due times that have come: the first, the newest, and the one that comes next."""

    first: datetime
    newest: datetime
    following: datetime | None


def decide_fires(
    schedule: Schedule,
    *,
    next_run_at: datetime,
    now: datetime,
    catch_up: CatchUp,
    misfire_grace: timedelta = MISFIRE_GRACE,
    cap: int = CAP,
) -> Fires:
    """Which of the due times from `next_run_at` to now fire. With jitter, the grace must be longer by as much."""
    pending = _pending(schedule, next_run_at, now)
    if not isinstance(pending, _Pending):
        return Fires([], None, pending)
    missed = now - pending.newest > misfire_grace
    wanted = {"none": 0 if missed else 1, "latest": 1, "all": cap}[catch_up]
    fired = _newest(schedule, pending, wanted)
    reason: Reason = "over_cap" if catch_up == "all" else "superseded" if fired else "missed"
    catchup = missed or pending.first != pending.newest
    return Fires(
        [Due(due_at, catchup) for due_at in fired],
        _skipped(schedule, pending, fired, reason),
        pending.following,
    )


def pass_over(schedule: Schedule, *, next_run_at: datetime, now: datetime, reason: Reason = "disabled") -> Fires:
    """Fire nothing that was due until now: what enabling a trigger again does with its disabled time."""
    pending = _pending(schedule, next_run_at, now)
    if not isinstance(pending, _Pending):
        return Fires([], None, pending)
    return Fires([], _skipped(schedule, pending, [], reason), pending.following)


def _pending(schedule: Schedule, next_run_at: datetime, now: datetime) -> _Pending | datetime | None:
    """The due times that have come or, if none has, the next one."""
    # Not always `next_run_at` itself: a newer time zone database may have moved it, and the old time must not fire too.
    first = schedule.next_from(next_run_at)
    if first is None or first > now:
        return first
    following = schedule.next_after(first)
    if following is None or following > now:
        return _Pending(first, first, following)
    newest = schedule.newest_at_or_before(now)
    return _Pending(first, newest or first, schedule.next_after(now))


def _newest(schedule: Schedule, pending: _Pending, n: int) -> list[datetime]:
    """The newest n of the due times that have come, oldest first."""
    if n > 1 and pending.first != pending.newest:
        return schedule.newest(n, until=pending.newest, since=pending.first)
    return [pending.newest] if n > 0 else []


def _skipped(schedule: Schedule, pending: _Pending, fired: list[datetime], reason: Reason) -> Skipped | None:
    """All that has come and does not fire, as one range."""
    if fired and fired[0] == pending.first:
        return None
    until = schedule.newest_before(fired[0]) if fired else pending.newest
    if until is None or until < pending.first:
        return None
    return Skipped(pending.first, until, schedule.count_between(pending.first, until), reason)
