"""Numbers as a small picture of text."""

from __future__ import annotations

from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"
WIDEST = 60


def spark(values: Sequence[float], *, width: int = WIDEST) -> str:
    """A bar for each value, for groups of them where there are many; anything above nothing is seen."""
    if len(values) > width:
        size = -(-len(values) // width)
        values = [sum(values[n : n + size]) for n in range(0, len(values), size)]
    top = max(values, default=0)
    return "".join(BARS[0 if value <= 0 else max(1, round(value / top * 7))] for value in values)
