"""What is above a limit, worked out from when runs started and ended. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar

Moment = TypeVar("Moment", datetime, int)


def most_at_once(runs: Iterable[tuple[Moment, Moment]]) -> int:
    """How many ran at the fullest instant; who ends when another starts had ended before."""
    changes = sorted(change for started, ended in runs for change in ((started, 1), (ended, -1)))
    now, most = 0, 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def above_rate(starts: list[datetime], *, a_second: float, burst: int) -> list[datetime]:
    """Starts for which a token bucket would have had no token."""
    above: list[datetime] = []
    if not starts:
        return above
    tokens, at = float(burst), starts[0]
    for start in starts:
        tokens = min(burst, tokens + (start - at).total_seconds() * a_second)
        at = start
        if tokens < 1 - 1e-3:
            above.append(start)
        tokens -= 1
    return above
