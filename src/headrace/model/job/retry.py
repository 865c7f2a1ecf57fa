"""How long to wait before the next attempt: pure, so that it can be tested exhaustively."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounded exponential backoff: `min(cap, base · 2^(n-1))` and a little chance."""

    base: timedelta = timedelta(seconds=5)
    cap: timedelta = timedelta(minutes=5)
    jitter: timedelta = timedelta(seconds=1)

    def __post_init__(self) -> None:
        if min(self.base, self.cap, self.jitter) < timedelta(0):
            raise ValueError("a retry policy's base, cap and jitter must not be negative")

    def delay(self, attempt: int, chance: float) -> timedelta:
        """The wait after the given attempt (1 is the first), with `chance` between 0 and 1 for the jitter."""
        # Doubling beyond the cap changes nothing, and would overflow in the end.
        doublings = min(attempt - 1, (self.cap // self.base).bit_length()) if self.base else 0
        return min(self.cap, self.base * (1 << doublings)) + self.jitter * chance
