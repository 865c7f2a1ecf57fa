"""What errors have in common: their text without what differs from one job to the next."""

from __future__ import annotations

import re

# Longer texts differ in their ends, and nobody reads them in a list.
LONGEST = 300
# In this order: an id has numbers in it, and a quoted part may have ids.
LEFT_OUT: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("‹…›", re.compile(r"\"[^\"\n]{0,300}\"|(?<!\w)'[^'\n]{0,300}'(?!\w)|`[^`\n]{0,300}`")),
    ("‹id›", re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")),
    ("‹id›", re.compile(r"\b0[xX][0-9a-fA-F]+\b")),
    # Letters alone may be a word, and digits alone are a number.
    ("‹id›", re.compile(r"\b(?=[a-fA-F]{0,63}\d)(?=\d{0,63}[a-fA-F])[0-9a-fA-F]{8,64}\b")),
    ("‹n›", re.compile(r"\d+(?:[.,:]\d+)*")),
)


def fingerprint(error: str) -> str:
    """The first line of an error, with marks where numbers, ids, hex and quoted parts were."""
    line = error.strip().split("\n", 1)[0][:LONGEST]
    for mark, pattern in LEFT_OUT:
        line = pattern.sub(mark, line)
    return line
