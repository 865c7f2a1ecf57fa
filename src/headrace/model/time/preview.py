"""A schedule in plain words: what its rule says, and its next due times with a note where clocks change."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from cron_descriptor import Options, get_description  # type: ignore[import-untyped]

from headrace.model.time.cron import CronRule, before
from headrace.model.time.cron_fields import FIELDS, HOUR, MINUTE, WEEKDAY, Field
from headrace.model.time.schedule import Cron, Schedule, look_until
from headrace.model.time.zone import Stretch, stretch_at

WORDS = Options(locale_code="en_US", use_24hour_time_format=True)
MIDNIGHT = "At 00:00"
FEW = 6
EVEN = {MINUTE: 60, HOUR: 24}


class Preview(NamedTuple):
    """A due time to come, in UTC, and what clocks do to it."""

    due_at: datetime
    note: str | None


@lru_cache(maxsize=10_000)
def describe(rule: CronRule) -> str:
    """The rule in plain words. Remembered: finding them takes a millisecond, and a list of triggers wants many."""
    minute, hour, day, month, weekday = (
        _plain(field, text) for field, text in zip(FIELDS, rule.expression.split(), strict=True)
    )
    times = _times(minute, hour)
    days = [
        " or ".join(_days(f"{part} * *") for part in _parts(day) if part != "*"),
        " or ".join(_days(f"* * {part}") for part in _parts(weekday) if part != "*"),
    ]
    both = ", but only " if rule.needs_both_days else ", or "
    months = get_description(f"0 0 * {month} *", WORDS).removeprefix(MIDNIGHT)
    return f"{times}{', ' if any(days) else ''}{both.join(filter(None, days))}{months}"


def describe_interval(interval: timedelta) -> str:
    """The interval in plain words."""
    seconds = interval.total_seconds()
    parts = []
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        n, seconds = divmod(seconds, size)
        parts += [f"{n:g} {unit}s" if n != 1 else unit] * (n > 0)
    parts += [f"{seconds:g} seconds" if seconds != 1 else "second"] * (seconds > 0)
    # "Every minute", but "every 1 minute and 30 seconds".
    words = parts if len(parts) == 1 else [part if part[0].isdigit() else f"1 {part}" for part in parts]
    return f"Every {' and '.join(words)}"


def preview(schedule: Schedule, after: datetime, n: int) -> list[Preview]:
    """The next n due times, each with a note if clocks change there; as far as 100 years from the first."""
    first = schedule.next_after(after) if n > 0 else None
    if first is None:
        return []
    return [
        Preview(due, _note(schedule.beat, due) if isinstance(schedule.beat, Cron) else None)
        for due in islice(schedule.due_between(first, look_until(first)), n)
    ]


def _plain(field: Field, text: str) -> str:
    """A field in a form that the descriptor gets right: any step that does not come out even becomes a list."""
    terms = text.split(",")
    if "*" in terms:
        return "*"
    if len(terms) == 1 and text.startswith("*/") and field in EVEN and EVEN[field] % int(text[2:]) == 0:
        return text
    return ",".join(_written_out(field, term) for term in terms)


def _written_out(field: Field, term: str) -> str:
    span, _, step = term.partition("/")
    if not step:
        return term
    first, _, last = span.partition("-")
    low = field.value(first) or field.low
    high = (field.value(last) if last else None) or field.high
    numbers = range(low, high + 1, int(step))
    # Sunday is both 0 and 7.
    return ",".join(dict.fromkeys(str(n % 7 if field is WEEKDAY else n) for n in numbers))


def _times(minute: str, hour: str) -> str:
    if f"{minute},{hour}".replace(",", "").isdigit():
        times = [f"{int(h):02}:{int(m):02}" for h in hour.split(",") for m in minute.split(",")]
        if 1 < len(times) <= FEW:
            return f"At {', '.join(times[:-1])} and {times[-1]}"
    text: str = get_description(f"{minute} {hour} * * *", WORDS)
    return text


def _parts(text: str) -> list[str]:
    """The plain terms together and each special one alone: the descriptor knows those, but not in a list."""
    terms = text.split(",")
    special = [term for term in terms if "L" in term or "#" in term]
    plain = ",".join(dict.fromkeys(term for term in terms if term not in special))
    return ([plain] if plain else []) + special


def _days(fields: str) -> str:
    text: str = get_description(f"0 0 {fields}", WORDS).removeprefix(f"{MIDNIGHT}, ").removeprefix("only ")
    return text if text.startswith(("on ", "between ")) else f"on {text}"


def _note(beat: Cron, due: datetime) -> str | None:
    """What clocks do to a due time."""
    stretch = stretch_at(beat.tz, due)
    local = stretch.local(due)
    if local < stretch.local_before:
        return f"clocks go back: second {local:%H:%M}"
    if beat.rule.is_fixed and local >= stretch_at(beat.tz, stretch.end).local_start:
        return f"clocks go back: first {local:%H:%M}, the second does not count"
    return _note_after_gap(beat.rule, stretch, local)


def _note_after_gap(rule: CronRule, stretch: Stretch, local: datetime) -> str | None:
    """For the first due time after clocks went forward: what became of those in the gap."""
    first = rule.next_naive(before(stretch.local_before))
    if first is None or first >= stretch.local_start:
        return None
    last = rule.previous_naive(stretch.local_start) or first
    # A gap may take a whole day, as in Apia in 2011.
    style = "%H:%M" if first.date() == local.date() else "%d %b %H:%M"
    gone = first.strftime(style) if first == last else f"{first.strftime(style)}–{last:%H:%M}"
    if rule.is_fixed:
        return f"clocks go forward: moved from {gone} to {local:%H:%M}" if local == stretch.local_start else None
    is_next = rule.next_naive(before(stretch.local_start)) == local
    return f"clocks go forward: {gone} is skipped" if is_next else None
