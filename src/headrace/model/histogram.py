"""A histogram: how many values lay between which bounds, and what can be told from that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of values: below the first bound, from each bound to the next, and above the last."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    total: float  # the sum of the values

    @classmethod
    def of(cls, bounds: Sequence[float], counts: Sequence[int], total: float = 0.0) -> Histogram:
        """As stored, where zeros at the end are left out."""
        return cls(tuple(bounds), (*counts, *(0,) * (len(bounds) + 1 - len(counts))), total)

    @property
    def count(self) -> int:
        """How many values there were."""
        return sum(self.counts)

    @property
    def mean(self) -> float | None:
        """Their average, which is exact."""
        return self.total / self.count if self.count else None

    def percentile(self, share: float) -> float | None:
        """The value that this share (0 to 1) of all lie below, as if each bucket were evenly filled.

        Above the last bound nothing is known, so that is the most it says.
        """
        wanted = share * self.count
        if not self.count:
            return None
        edges = (0.0, *self.bounds)
        below = 0
        for (lower, upper), n in zip(pairwise(edges), self.counts, strict=False):
            if n and below + n >= wanted:
                return lower + (upper - lower) * max(0.0, wanted - below) / n
            below += n
        return edges[-1]

    def cumulative(self) -> list[int]:
        """How many values lay below each bound, and last how many there were: as Prometheus wants them."""
        return list(accumulate(self.counts))
