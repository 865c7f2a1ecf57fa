"""Settings of a definition as people type them: priority=10 timeout=30s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from headrace.cli.core.durations import duration
from headrace.cli.core.schema_args import read_boolean
from headrace.errors import BadRequest
from headrace.model.limits import MOST, read_rate

NONE = ("none", "null", "")


def _whole(low: int, high: int) -> Callable[[str, str], int]:
    def read(name: str, text: str) -> int:
        if not text.isdigit() or not low <= int(text) <= high:
            raise BadRequest(f"{name} is a whole number from {low} to {high}, not {text!r}")
        return int(text)

    return read


def _seconds(name: str, text: str) -> float:
    return duration(text, name)


def _or_none(read: Callable[[str, str], Any]) -> Callable[[str, str], Any]:
    return lambda name, text: None if text.lower() in NONE else read(name, text)


def _days(name: str, text: str) -> float:
    """Days as a number, or as a span such as 12h."""
    try:
        return float(text)
    except ValueError:
        return duration(text, name) / 86_400


def _text(_name: str, text: str) -> str:
    return text


READ: dict[str, Callable[[str, str], Any]] = {
    "enabled": read_boolean,
    "queue": _text,
    "priority": _whole(0, 1000),
    "max_attempts": _whole(1, 1000),
    "timeout_seconds": _or_none(_seconds),
    "retry_base_seconds": _seconds,
    "retry_cap_seconds": _seconds,
    "retry_jitter_seconds": _seconds,
    "max_concurrency": _or_none(_whole(1, MOST)),
    "concurrency_key": _or_none(_text),
    "max_concurrency_per_key": _or_none(_whole(1, MOST)),
    "rate_limit": _or_none(_whole(1, MOST)),
    "rate_period_seconds": _seconds,
    "rate_burst": _or_none(_whole(1, MOST)),
    "rate_per_key": read_boolean,
    "retention_days": _or_none(_days),
    "retention_count": _or_none(_whole(1, MOST)),
}
SHORT = {name.removesuffix("_seconds"): name for name in READ}
RATE = "rate_limit"


def read_settings(said: Sequence[str]) -> dict[str, Any]:
    """By the names of the API, or `BadRequest` before anything is sent."""
    changes: dict[str, Any] = {}
    for setting in said:
        name, equals, text = setting.partition("=")
        if not equals:
            raise BadRequest(f"a setting is NAME=VALUE, such as priority=10, not {setting!r}")
        full = SHORT.get(name.replace("-", "_"), name.replace("-", "_"))
        if full not in READ:
            close = get_close_matches(name, SHORT, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(SHORT)}"
            raise BadRequest(f"a definition has no setting {name!r}; {hint}")
        if full == RATE and "/" in text:
            changes[RATE], changes["rate_period_seconds"] = _rate(text)
        else:
            changes[full] = READ[full](name, text.strip())
    return changes


def _rate(text: str) -> tuple[int, float]:
    try:
        return read_rate(text)
    except ValueError as error:
        raise BadRequest(str(error)) from None
