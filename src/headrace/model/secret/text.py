"""Secrets by the names of fields, found in JSON as text: only what stands under such a name is read."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator

from ahocorasick_rs import AhoCorasick

from headrace.model.secret.fields import looks_secret, texts_in

# A search holds the interpreter's lock for its whole call: a piece takes a millisecond, a payload may take thirty.
PIECE = 64 * 1024

# One of these is in each name that `looks_secret` finds, whatever its case. Not `key` alone, which is in most payloads.
_KEYS = ("api", "access", "private", "secret", "signing", "encryption", "client")
_PARTS = [f"{whose}{joint}key" for whose in _KEYS for joint in ("", "_", "-")]
_PARTS += ["pass", "secret", "token", "credential", "auth", "cookie", "session", "pin", "otp"]
_LONGEST = max(map(len, _PARTS))
_SEARCH = AhoCorasick(_PARTS)

# From inside a string to its end, and a colon if it was a name. Quantifiers that never go back: each byte is read once.
_REST = re.compile(r'((?:[^"\\]++|\\.)*+)"\s*+(:\s*+)?', re.DOTALL)
_LOWER = {ord(capital): ord(capital.lower()) for capital in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def secret_texts(text: str) -> Iterator[str]:
    """The texts and numbers that stand under names that look secret, however deep."""
    start = at = 0
    while start < len(text):
        for found in _parts_of_names(text, start):
            if found < at:
                continue  # within a string, or a value, that was looked at
            rest = _REST.match(text, found)
            if rest is None:
                return  # a string without an end: no JSON
            at = rest.end()
            if rest[2] is not None and looks_secret(_name(text, found, rest.end(1))):
                try:
                    value, at = _DECODER.raw_decode(text, at)
                except (ValueError, RecursionError):
                    continue
                yield from texts_in(value)
        start = max(start + PIECE, at)


def _parts_of_names(text: str, start: int) -> Iterator[int]:
    """Where in a piece such parts begin, in names or elsewhere."""
    piece = text[start : start + PIECE + _LONGEST - 1]
    lower = piece.lower()
    if len(lower) != len(piece):  # there are letters that are two when they are small
        lower = piece.translate(_LOWER)
    for _, at, _ in _SEARCH.find_matches_as_indexes(lower):
        yield start + at


def _name(text: str, within: int, end: int) -> str:
    """The whole name of which a part was found."""
    start = text.rfind('"', 0, within)
    while start > 0 and _is_escaped(text, start):
        start = text.rfind('"', 0, start)
    name = text[start + 1 : end]
    if "\\" in name:
        try:
            name = json.loads(f'"{name}"', strict=False)
        except ValueError:
            return name
    return name


def _is_escaped(text: str, at: int) -> bool:
    before = at
    while before > 0 and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def _whole_number(digits: str) -> int | str:
    """Also one that Python does not read: as it is written."""
    return digits if len(digits) > sys.get_int_max_str_digits() > 0 else int(digits)


_DECODER = json.JSONDecoder(parse_int=_whole_number)
