"""When a schedule will be due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from headrace.errors import BadRequest, Conflict
from headrace.model.preview import describe, describe_interval, preview
from headrace.model.schedule import Cron
from headrace.model.trigger import Rule
from headrace.model.trigger_record import Forecast, Trigger
from headrace.model.trigger_settings import complete_settings, read_settings

MOST_PREVIEWED = 1000


def forecast(rule: Rule, first: datetime, n: int) -> Forecast:
    """The next n due times from an instant on."""
    if not 1 <= n <= MOST_PREVIEWED:
        raise BadRequest(f"A preview shows 1 to {MOST_PREVIEWED} times, not {n}.", field="count")
    if rule.schedule is None:
        raise Conflict(f'trigger "{rule.name}" is not a schedule: it has no times to preview')
    beat = rule.schedule.beat
    words = describe(beat.rule) if isinstance(beat, Cron) else describe_interval(beat.interval)
    return Forecast(words, preview(rule.schedule, first - datetime.resolution, n))


def forecast_trigger(trigger: Trigger, n: int) -> Forecast:
    """For one that exists, no more than will still fire."""
    rule = read_settings(trigger.name, trigger.settings)
    # Enabling counts from then on, so the time that a disabled one once waited for says nothing.
    first = trigger.next_run_at if trigger.enabled else None
    ahead = forecast(rule, first or datetime.now(UTC), n)
    left = n if rule.max_fires is None else max(0, rule.max_fires - trigger.fires)
    return ahead._replace(times=ahead.times[:left])


def forecast_settings(settings: Mapping[str, Any], n: int) -> Forecast:
    """For one that does not exist yet."""
    now = datetime.now(UTC)
    return forecast(read_settings("preview", complete_settings(settings), now=now), now, n)
