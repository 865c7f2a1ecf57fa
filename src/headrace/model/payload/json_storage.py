"""Which JSON is stored: what could not be read back is refused where it comes in. Its bounds are those of bodies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from headrace.errors import BadRequest
from headrace.model.payload.json_bounds import DEEPEST, LONG_NUMBER, LONGEST_NUMBER, MOST_VALUES, JsonBounds

CONTAINERS = (dict, list, tuple)
# Characters, with its name or its comma; texts have their own.
FOR_A_VALUE = 8

_DIGITS = bytes(ord("0") if chr(byte).isdecimal() and byte < 128 else byte for byte in range(256))
_LONG_NUMBER = b"0" * (LONGEST_NUMBER + 1)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# jsonb writes 1e5000 out, as 5,001 digits.
_EXPONENT = re.compile(r"[0-9][eE]\+?[0-9]{3}")


def storage_problem(text: str, limit: int) -> str | None:
    """Why a JSON text is not stored though PostgreSQL would take it: nobody could read it back."""
    if len(text) > limit:
        return f"the JSON text has {len(text):,} characters (at most {limit:,})"
    body = text.encode("utf-8", "surrogatepass")
    if _may_go_too_far(body):
        try:
            check_bounds(body)
        except BadRequest as error:
            return str(error)
    return LONG_NUMBER if _EXPONENT.search(text) and _has_infinity(text) else None


def check_bounds(body: bytes) -> None:
    """Refuse a JSON text as the API refuses a body."""
    bounds = JsonBounds()
    bounds.feed(body)
    bounds.finish()


def has_long_digits(body: bytes) -> bool:
    """Whether a text has more digits in a row than a number may; they may stand in a string."""
    return _LONG_NUMBER in body.translate(_DIGITS)


def is_too_deep(value: Any) -> bool:
    """Whether a value is nested deeper than what is stored."""
    deepest = next(islice(levels(value), DEEPEST, None), ())
    return any(isinstance(item, CONTAINERS) for item in deepest)


def levels(value: Any) -> Iterator[list[Any]]:
    """The values by how deep they stand, each level a list; without recursion."""
    level = [value]
    while level:
        yield level
        level = [item for within in level if isinstance(within, CONTAINERS) for item in _items(within)]


def rough_size(value: Any, most: int) -> int:
    """About how many characters of JSON a value is; it is not looked through further than to `most`."""
    size = 0
    for level in levels(value):
        size += FOR_A_VALUE * len(level) + sum(len(item) for item in level if isinstance(item, str))
        if size > most:
            break
    return size


def _items(within: Any) -> Iterable[Any]:
    return within.values() if isinstance(within, dict) else within


def _may_go_too_far(body: bytes) -> bool:
    """A quick look: nearly no text has what could go beyond a bound."""
    return (
        body.count(b"[") + body.count(b"{") > DEEPEST
        or body.count(b",") > MOST_VALUES
        or has_long_digits(body)
        or _SURROGATE.search(body) is not None
    )


def _has_infinity(text: str) -> bool:
    """Whether a number is beyond what a float holds; a text that is no JSON is PostgreSQL's affair."""
    try:
        json.loads(text, parse_float=_finite)
    except OverflowError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def _finite(number: str) -> float:
    if abs(value := float(number)) == float("inf"):
        raise OverflowError
    return value
