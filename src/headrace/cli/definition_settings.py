"""Settings of a definition as people type them: priority=10 timeout=30s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from headrace.cli.durations import duration
from headrace.cli.typed import read_boolean
from headrace.errors import BadRequest

NONE = ("none", "null", "")


def _whole(low: int, high: int) -> Callable[[str, str], int]:
    def read(name: str, text: str) -> int:
        if not text.isdigit() or not low <= int(text) <= high:
            raise BadRequest(f"{name} is a whole number from {low} to {high}, not {text!r}")
        return int(text)

    return read


def _timeout(name: str, text: str) -> float | None:
    return None if text.lower() in NONE else _seconds(name, text)


def _seconds(name: str, text: str) -> float:
    return duration(text, name)


def _text(_name: str, text: str) -> str:
    return text


READ: dict[str, Callable[[str, str], Any]] = {
    "enabled": read_boolean,
    "queue": _text,
    "priority": _whole(0, 1000),
    "max_attempts": _whole(1, 1000),
    "timeout_seconds": _timeout,
    "retry_base_seconds": _seconds,
    "retry_cap_seconds": _seconds,
    "retry_jitter_seconds": _seconds,
}
SHORT = {name.removesuffix("_seconds"): name for name in READ}


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
        changes[full] = READ[full](name, text.strip())
    return changes
