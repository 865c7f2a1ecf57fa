"""What JSON may be like before it is parsed: how deep, how many values, how long a number, and no half characters."""

from __future__ import annotations

import re
from itertools import accumulate

from headrace.errors import BadRequest

DEEPEST = 64
LONGEST_NUMBER = 400
MOST_VALUES = 1_000_000
TOO_DEEP = f"JSON is nested more than {DEEPEST} deep"
LONG_NUMBER = f"a number has more than {LONGEST_NUMBER} digits"
# Each regular expression holds the interpreter's lock for its whole call: a piece takes one to nine milliseconds.
PIECE = 64 * 1024

# Quantifiers that never go back (`++`, `*+`): each byte is looked at once, and without a memory of it.
_HALF = rb"[dD][89a-fA-F]"
_PAIR = rb"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = rb"\\(?:[^u]|u(?!%b)[0-9a-fA-F]{4}|%b)" % (_HALF, _PAIR)
_LONGEST_ESCAPE = len(rb"\ud83d\ude00")
_OPENED = rb'"(?:[^"\\]++|%b)*+' % _ESCAPE
_STRING = rb'%b"' % _OPENED
_WHOLE = re.compile(rb'(?:[^"0-9]++|%b|[0-9]{1,%d}+(?![0-9]))*+' % (_STRING, LONGEST_NUMBER), re.DOTALL)
_OPEN_STRING = re.compile(_OPENED, re.DOTALL)
_STRINGS = re.compile(_STRING, re.DOTALL)
_CLOSED = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NO_STRUCTURE = bytes(set(range(256)) - set(b"[]{},"))
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_STEP = {ord("["): 1, ord("]"): -1}


class TooDeep(BadRequest):
    """The body is nested deeper than JSON may be here."""

    code, status = "too_deep", 422


class TooManyValues(BadRequest):
    """The body has more values than JSON may have here."""

    code, status = "too_many_values", 422


class NumberTooLong(BadRequest):
    """A number in the body has too many digits."""

    code, status = "number_too_long", 422


class NotUnicode(BadRequest):
    r"""The body has a \u escape that is no character: half of a surrogate pair, or without four hexadecimal digits."""

    code, status = "not_unicode", 422


class JsonBounds:
    """Takes a body in pieces, in one pass, and raises at the first byte that goes beyond a bound.

    Bytes that are no JSON are the parser's affair. The parser reads from the left too: until the first mistake both see
    the same strings and brackets, and the parser goes no further.
    """

    def __init__(self) -> None:
        self._carried = b""
        self._depth = 0
        self.values = 0

    def feed(self, piece: bytes) -> None:
        """The next bytes."""
        data = self._carried + piece
        whole = _WHOLE.match(data)
        end = 0 if whole is None else whole.end()
        self._count(data[:end])
        self._carried = self._carry(data, end)

    def finish(self) -> None:
        """There are no more bytes."""
        if _CLOSED.match(self._carried):
            raise NotUnicode

    def _carry(self, data: bytes, end: int) -> bytes:
        """What the next piece begins with: a number that may go on, or a string that is still open."""
        if data[end : end + 1].isdigit():
            raise NumberTooLong(LONG_NUMBER)
        opened = _OPEN_STRING.match(data, end)
        if opened is None:
            digits = data[-LONGEST_NUMBER:]
            return digits[len(digits.rstrip(b"0123456789")) :]
        rest = data[opened.end() :]
        if len(rest) >= _LONGEST_ESCAPE:
            raise NotUnicode
        return b'"' + rest

    def _count(self, data: bytes) -> None:
        brackets = _STRINGS.sub(b"", data).translate(_BRACKETS, _NO_STRUCTURE)
        self.values += brackets.count(b",") + brackets.count(b"[")
        if self.values > MOST_VALUES:
            raise TooManyValues(f"JSON has more than {MOST_VALUES:,} values")
        steps = map(_STEP.__getitem__, brackets.replace(b",", b""))
        *_, self._depth = depths = list(accumulate(steps, initial=self._depth))
        if max(depths) > DEEPEST:
            raise TooDeep(TOO_DEEP)
