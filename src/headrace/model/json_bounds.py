"""How deep and how large JSON may be, found in its text before anything parses it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

# What is sent or stored: nobody writes JSON that is deeper, and every reader of it recurses.
DEEPEST = 64
LONGEST_NUMBER = 400
MOST_VALUES = 1_000_000
TOO_DEEP = f"JSON may be nested {DEEPEST} deep"
CONTAINERS = (dict, list, tuple)
LONG_NUMBER = f"numbers have at most {LONGEST_NUMBER} digits"

# Quantifiers that never go back (`++`, `*+`): in one pass, and without a memory of it. No list of all strings is ever
# made: of a body with millions of short ones it would be thirty times as large.
_STRING = rb'"(?:[^"\\]|\\.)*+"'
_STRINGS = re.compile(_STRING, re.DOTALL)
_PIECES = re.compile(rb'(?:[^"]++|%b){1,4096}+' % _STRING, re.DOTALL)
_SHORT_NUMBERS = re.compile(rb'(?:[^"0-9]++|%b|[0-9]{1,%d}+(?![0-9]))*+' % (_STRING, LONGEST_NUMBER), re.DOTALL)
_DIGITS = bytes(ord("0") if chr(byte).isdecimal() and byte < 128 else byte for byte in range(256))
_LONG_NUMBER = b"0" * (LONGEST_NUMBER + 1)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_NO_STRUCTURE = bytes(set(range(256)) - set(b"[]{},"))
# jsonb writes 1e5000 out, as 5,001 digits.
_EXPONENT = re.compile(r"[0-9][eE]\+?[0-9]{3}")


class Excess(NamedTuple):
    """What is too much, as a code and a sentence."""

    code: str
    text: str


def find_excess(body: bytes) -> Excess | None:
    """Why a text must not be parsed, or nothing. In a few passes over its bytes, without building anything."""
    if has_long_number(body):
        return Excess("number_too_long", LONG_NUMBER)
    if body.count(b"[") + body.count(b"{") > DEEPEST or body.count(b",") > MOST_VALUES:
        structure = _structure(body)
        if structure.count(b",") > MOST_VALUES:
            return Excess("too_many_values", f"a body has at most {MOST_VALUES:,} values")
        if _is_too_deep(structure.replace(b",", b"")):
            return Excess("too_deep", TOO_DEEP)
    if _SURROGATE.search(body) and not _is_unicode(body):
        return Excess("not_unicode", "the body has half of a surrogate pair, which is no text")
    return None


def storage_problem(text: str, limit: int) -> str | None:
    """Why a JSON text is not stored though PostgreSQL would take it: nobody could read it back."""
    if len(text) > limit:
        return f"the JSON text has {len(text):,} characters (at most {limit:,})"
    excess = find_excess(text.encode("utf-8", "surrogatepass"))
    if excess is not None:
        return excess.text
    return LONG_NUMBER if _EXPONENT.search(text) and _has_infinity(text) else None


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


def _items(within: Any) -> Iterable[Any]:
    return within.values() if isinstance(within, dict) else within


def has_long_number(body: bytes) -> bool:
    """Whether a JSON text has a number of more digits than are allowed."""
    if _LONG_NUMBER not in body.translate(_DIGITS):
        return False  # as in nearly every text; in others the digits may stand in a string
    short = _SHORT_NUMBERS.match(body)
    return short is not None and body[short.end() : short.end() + 1].isdigit()


def _structure(body: bytes) -> bytearray:
    """Its brackets and commas, without those in strings."""
    found = bytearray()
    for piece in _PIECES.finditer(body):
        found += _STRINGS.sub(b"", piece[0]).translate(None, _NO_STRUCTURE)
    return found


def _is_too_deep(brackets: bytearray) -> bool:
    """Deeper, or not balanced, which the parser would find too."""
    for _ in range(DEEPEST):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return bool(brackets)


def _is_unicode(body: bytes) -> bool:
    """Whether what is escaped comes in pairs; a body that is no JSON is the parser's affair."""
    try:
        json.dumps(json.loads(body), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    except (ValueError, RecursionError):
        return True
    return True


def _has_infinity(text: str) -> bool:
    """Whether a number is beyond what a float holds; a text that is no JSON is PostgreSQL's affair."""
    try:
        json.loads(text, parse_float=finite)
    except OverflowError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def finite(number: str) -> float:
    """A number with a fraction or an exponent, or `OverflowError`."""
    if abs(value := float(number)) == float("inf"):
        raise OverflowError(f"a number of {len(number):,} characters is beyond what a float holds")
    return value
