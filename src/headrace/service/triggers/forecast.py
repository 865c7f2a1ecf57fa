"""When a schedule will be due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from headrace.errors import BadRequest, Conflict
from headrace.model.time.preview import Preview, describe, describe_interval, preview
from headrace.model.time.schedule import Cron, Schedule
from headrace.model.trigger.declaration import complete_settings, read_settings
from headrace.model.trigger.record import Forecast, Trigger
from headrace.model.trigger.rule import Rule

MOST_PREVIEWED = 1000


class Spread(NamedTuple):
    """Due times of a range; with a rhythm, the time between the first two, where only some of them are there."""

    times: tuple[datetime, ...]
    rhythm: timedelta | None


def forecast(rule: Rule, first: datetime, n: int) -> Forecast:
    """The next n due times from an instant on."""
    if not 1 <= n <= MOST_PREVIEWED:
        raise BadRequest(f"A preview shows 1 to {MOST_PREVIEWED} times, not {n}.", field="count")
    if rule.schedule is None:
        raise Conflict(f'trigger "{rule.name}" is not a schedule: it has no times to preview')
    beat = rule.schedule.beat
    words = describe(beat.rule) if isinstance(beat, Cron) else describe_interval(beat.interval)
    return Forecast(words, list(_times_from(rule.schedule, first, n)))


@lru_cache(maxsize=1000)  # the same until it fires, and asked for by every look at a list
def _times_from(schedule: Schedule, first: datetime, n: int) -> tuple[Preview, ...]:
    return tuple(preview(schedule, first - datetime.resolution, n))


def forecast_trigger(trigger: Trigger, n: int, now: datetime) -> Forecast:
    """For one that exists, no more than will still fire."""
    rule = read_settings(trigger.name, trigger.settings)
    # Enabling counts from then on, so the time that a disabled one once waited for says nothing.
    first = trigger.next_run_at if trigger.enabled else None
    ahead = forecast(rule, first or now, n)
    left = n if rule.max_fires is None else max(0, rule.max_fires - trigger.fires)
    return ahead._replace(times=ahead.times[:left])


def due_between(trigger: Trigger, first: datetime, until: datetime, most: int) -> list[datetime]:
    """Its due times of a range, as its rule says, up to so many."""
    return list(islice(_schedule(trigger).due_between(first, until), most))


def spread_between(trigger: Trigger, first: datetime, until: datetime, most: int) -> Spread:
    """Its due times of a range; where there are more than so many, some of them from all over the range."""
    return spread(_schedule(trigger), first, until, most)


@lru_cache(maxsize=1000)  # triggers have rules in common
def spread(schedule: Schedule, first: datetime, until: datetime, most: int) -> Spread:
    """Due times of a range, thinned where there are more than so many."""
    times = tuple(islice(schedule.due_between(first, until), most + 1))
    if len(times) <= most:
        return Spread(times, None)
    step = (until - first) / most
    some, due = [], schedule.next_from(first)
    while due is not None and due <= until:
        some.append(due)
        due = schedule.next_from(max(due + datetime.resolution, first + ((due - first) // step + 1) * step))
    return Spread(tuple(some), times[1] - times[0])


def _schedule(trigger: Trigger) -> Schedule:
    schedule = read_settings(trigger.name, trigger.settings).schedule
    if schedule is None:
        raise Conflict(f'trigger "{trigger.name}" is not a schedule: it has no due times')
    return schedule


def forecast_settings(settings: Mapping[str, Any], n: int, now: datetime) -> Forecast:
    """For one that does not exist yet."""
    return forecast(read_settings("preview", complete_settings(settings), now=now), now, n)
