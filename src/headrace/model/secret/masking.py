"""Secrets do not leave: whatever a run says has them replaced before it is cut or stored."""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_left
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

MASK = b"***"
# Shorter ones occur by chance: they are masked as whole fields, never inside a text.
SHORTEST = 6
SHORTEST_LINE = 8
# Beyond either nothing is looked for, and everything is masked: to look for 85,000 texts takes seconds to prepare.
MOST_TEXTS = 1000
MOST_CHARACTERS = 100_000
ALL_MASKED = "*** (there are too many secrets to look for: everything is masked)"

_SAID = re.compile(rb"[^\r\n]+")
_ESCAPE = re.compile("%[0-9A-F]{2}")


class Masker:
    """Replaces a set of secrets in texts and in streams of bytes, however they are written."""

    def __init__(self, secrets: Iterable[str]) -> None:
        texts = {secret for secret in secrets if len(_raw(secret)) >= SHORTEST}
        self.masks_all = len(texts) > MOST_TEXTS or sum(map(len, texts)) > MOST_CHARACTERS
        forms = () if self.masks_all else (form for text in texts for form in written_forms(text))
        self.patterns = sorted(set(forms))
        self.longest = max(map(len, self.patterns), default=0)
        self._first_bytes = frozenset(pattern[0] for pattern in self.patterns)
        self._search = _search_for(self.patterns) if self.patterns else None

    def __bool__(self) -> bool:
        return self.masks_all or self._search is not None

    def mask_text(self, text: str) -> str:
        """The text without the secrets."""
        if self.masks_all:
            return ALL_MASKED if text else text
        if self._search is None:
            return text
        return self.mask(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def mask(self, data: bytes) -> bytes:
        """The bytes without the secrets."""
        if self.masks_all:
            return _SAID.sub(MASK, data)
        if self._search is None:
            return data
        parts, at = [], 0
        for _, start, end in self._search.find_matches_as_indexes(data):
            parts += [data[at:start], MASK]
            at = end
        return b"".join([*parts, data[at:]]) if parts else data

    def safe_length(self, data: bytes) -> int:
        """How many bytes cannot be part of a secret that goes on in bytes to come."""
        if self._search is None:
            return len(data)
        held = self._held_from(data)
        for _, start, end in self._search.find_matches_as_indexes(data):
            # A match that reaches into what is held may yet turn out to be part of a longer one.
            if start < held < end:
                return start
        return held

    def _held_from(self, data: bytes) -> int:
        """Where the longest ending begins that a pattern begins with."""
        for at in range(max(0, len(data) - self.longest + 1), len(data)):
            if data[at] in self._first_bytes and self._begins_a_pattern(data[at:]):
                return at
        return len(data)

    def _begins_a_pattern(self, ending: bytes) -> bool:
        at = bisect_left(self.patterns, ending)
        # The pattern itself is a match and not a beginning; the next may be longer.
        return any(p.startswith(ending) and p != ending for p in self.patterns[at : at + 2])


class MaskedStream:
    """A stream of bytes without the secrets, also where one lies across two reads."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What can be said by now."""
        data = self._held + data
        safe = self._masker.safe_length(data)
        self._held = data[safe:]
        return self._masker.mask(data[:safe])

    def end(self) -> bytes:
        """The rest, when no more comes."""
        held, self._held = self._held, b""
        return self._masker.mask(held)


def written_forms(secret: str) -> set[bytes]:
    """The ways in which a secret is likely to be written; none for one that is too short to be told from chance."""
    raw = _raw(secret)
    if len(raw) < SHORTEST:
        return set()
    forms = {
        raw,
        json.dumps(secret)[1:-1].encode(),
        json.dumps(secret, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass"),
        raw.hex().encode(),
        raw.hex().upper().encode(),
        *_quoted(raw),
        *_base64(raw),
    }
    forms |= {line for line in raw.splitlines() if len(line) >= SHORTEST_LINE}
    return {form for form in forms if len(form) >= SHORTEST}


def _raw(secret: str) -> bytes:
    return secret.encode("utf-8", "surrogatepass")


def _search_for(patterns: list[bytes]) -> BytesAhoCorasick:
    # Of a few long patterns the usual choice makes a table that takes six times as long, and a kilobyte for each byte.
    return BytesAhoCorasick(patterns, matchkind=MatchKind.LeftmostLongest, implementation=Implementation.ContiguousNFA)


def _quoted(raw: bytes) -> Iterable[bytes]:
    for written in (quote(raw), quote(raw, safe=""), quote_plus(raw)):
        yield written.encode()
        # %2f and %2F are the same.
        yield _ESCAPE.sub(lambda escape: escape[0].lower(), written).encode()


def _base64(raw: bytes) -> Iterable[bytes]:
    """At each of the three places it may have inside a longer text, without the characters that mix with neighbours."""
    for offset in range(3):
        padded = b"\0" * offset + raw
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            text = encode(padded).rstrip(b"=")
            start = (0, 2, 3)[offset]
            end = len(text) if len(padded) % 3 == 0 else len(text) - 1
            yield text[start:end]
