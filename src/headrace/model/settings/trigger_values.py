"""Which values a trigger's settings take: the table's own constraints, as sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, get_args

from headrace.errors import BadRequest
from headrace.model.time.zone import EARLIEST, LATEST
from headrace.model.trigger.catch_up import CatchUp
from headrace.model.trigger.overlap import Overlap
from headrace.model.trigger.rule import TriggerType

YEAR = 31_536_000
EVENT_NAME = re.compile(r"\*|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.\*)?")
QUEUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
WORDS = {"trigger_type": get_args(TriggerType), "catch_up": get_args(CatchUp), "overlap": get_args(Overlap)}
RANGES: Mapping[str, tuple[float, float]] = {
    "max_fires": (1, 2_147_483_647),
    "priority": (0, 1000),
    "max_attempts": (1, 1000),
    "catch_up_cap": (1, 1000),
    "misfire_grace_seconds": (0, YEAR),
    "jitter_seconds": (0, 86_400),
    "dedupe_window_seconds": (0.001, YEAR),
    "pause_on_failures": (1, 100),
}
RULES = {"schedule": (["cron"], ["every_seconds"]), "event": (["event"],), "init": ([],)}
TEXTS = ("cron", "timezone", "init_version", "condition", "queue")
NEVER_EMPTY = ("timezone", "init_version", "catch_up_cap", "misfire_grace_seconds", "jitter_seconds")
NOT_FOR_EVENTS = ("max_fires", "starts_at", "ends_at", "pause_on_failures")


def check_values(settings: Mapping[str, Any]) -> None:
    """`BadRequest` for the first setting whose value will not do, with what it takes."""
    for name, allowed in WORDS.items():
        if settings[name] not in allowed:
            raise BadRequest(f"{name} is one of {', '.join(allowed)}, not {settings[name]!r}.", field=name)
    for name in NEVER_EMPTY:
        if settings[name] is None:
            raise BadRequest(f"{name} must be said, or left out.", field=name)
    for name in TEXTS:
        if not isinstance(settings[name], str | None):
            raise BadRequest(f"{name} is text, not {settings[name]!r}.", field=name)
    for name, (low, high) in RANGES.items():
        _check_range(name, settings[name], low, high)
    for name in ("starts_at", "ends_at"):
        _check_time(name, settings[name])
    if settings["queue"] is not None and not QUEUE.fullmatch(settings["queue"]):
        raise BadRequest(f"queue {settings['queue']!r} is not a valid name.", field="queue")
    _check_rule(settings)


def _check_range(name: str, value: Any, low: float, high: float) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRequest(f"{name} is a number, not {value!r}.", field=name)
    if not low <= value <= high:
        raise BadRequest(f"{name} is {low:,} to {high:,}, not {value:g}.", field=name)


def _check_time(name: str, value: Any) -> None:
    if value is not None and not isinstance(value, datetime):
        raise BadRequest(f"{name} is a time, not {value!r}.", field=name)
    if value is not None and value.tzinfo is None:
        raise BadRequest(f"{name} needs a time zone, for example datetime.now(UTC).", field=name)
    if value is not None and not EARLIEST <= value <= LATEST:
        raise BadRequest(f"{name} lies between the years {EARLIEST.year} and {LATEST.year}, not {value}.", field=name)


def _check_rule(settings: Mapping[str, Any]) -> None:
    kind = settings["trigger_type"]
    rules = [name for name in ("cron", "every_seconds", "event") if settings[name] is not None]
    if rules not in RULES[kind]:
        raise BadRequest(
            "A trigger has one of cron, every_seconds and event, or is of type init; this one is of type "
            f"{kind} with {' and '.join(rules) or 'none of them'}.",
            field="trigger_type",
        )
    interval = settings["every_seconds"]
    if interval is not None:
        if isinstance(interval, bool) or not isinstance(interval, int | float):
            raise BadRequest(f"every_seconds is a number, not {interval!r}.", field="every_seconds")
        if not interval > 0:
            raise BadRequest(f"An interval must be more than zero, not {interval:g} s.", field="every_seconds")
        if settings["jitter_seconds"] >= interval:
            raise BadRequest(
                f"jitter_seconds must be less than the interval of {interval:g} s.", field="jitter_seconds"
            )
    if kind == "event":
        _check_event(settings)
    elif settings["condition"] is not None:
        raise BadRequest("Only an event trigger has a condition.", field="condition")


def _check_event(settings: Mapping[str, Any]) -> None:
    name = settings["event"]
    if not isinstance(name, str) or len(name) > 200 or not EVENT_NAME.fullmatch(name):
        raise BadRequest(
            f"The event name {name!r} is not valid: words of A-Z a-z 0-9 _ - with dots between them; "
            "the last may be *.",
            field="event",
        )
    said = [key for key in NOT_FOR_EVENTS if settings[key] is not None]
    said += ["overlap"] * (settings["overlap"] != "allow") + ["jitter_seconds"] * (settings["jitter_seconds"] != 0)
    if said:
        raise BadRequest(f"An event trigger has no {', '.join(said)}.", field=said[0])
