"""Reading JSON that is stored: whatever it is, the answer that shows it does not fail."""

from __future__ import annotations

import json
import sys
from typing import Any

from headrace.model.payload.json_storage import CONTAINERS, levels

# Deeper than what is stored today: rows written with SQL or by older versions are shown as far as their readers go.
DEEPEST_SHOWN = 128
MARK = "unreadable"
TOO_DEEP = f"the stored JSON is nested deeper than {DEEPEST_SHOWN}"
LONG_NUMBER = f"the stored JSON has a number of more than {sys.get_int_max_str_digits():,} digits, or beyond a float"
INFINITE = float("inf")


class Unreadable(dict[str, Any]):
    """Stands for a stored value that cannot be shown, and says why."""

    def __init__(self, why: str) -> None:
        super().__init__({MARK: why})


def read_json(text: str) -> Any:
    """The value of a stored JSON text; never raises: an `Unreadable` where it is too deep or its numbers too long."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Unreadable(_reason(error))
    problem = _problem(value)
    return value if problem is None else Unreadable(problem)


def read_object(text: str) -> dict[str, Any]:
    """The same for what is an object; what else is stored is an `Unreadable` too."""
    value = read_json(text)
    return value if isinstance(value, dict) else Unreadable("the stored JSON is not an object")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"the stored text is not JSON: {error}"
    return TOO_DEEP if isinstance(error, RecursionError) else LONG_NUMBER


def _problem(value: Any) -> str | None:
    """Why a value cannot be shown though it was parsed."""
    for depth, level in enumerate(levels(value)):
        if INFINITE in level or -INFINITE in level:
            return LONG_NUMBER
        if depth == DEEPEST_SHOWN and any(isinstance(item, CONTAINERS) for item in level):
            return TOO_DEEP
    return None
