"""How many jobs one answer may carry, so that their payloads fit into it."""

from __future__ import annotations

from collections.abc import Sequence


class ResponseBudget:
    """Learned from answer to answer: jobs that are claimed and do not fit must be given back, which costs."""

    def __init__(self, largest: int, *, most: int) -> None:
        self._largest = largest
        self._most = most
        self.jobs = most

    def cut(self, sizes: Sequence[int]) -> int:
        """How many of these payloads, of so many bytes each, fit; always one, however large."""
        fitting = total = 0
        for size in sizes:
            total += size
            if fitting and total > self._largest:
                self.jobs = fitting
                return fitting
            fitting += 1
        if total < self._largest // 2:
            self.jobs = min(2 * self.jobs, self._most)
        return fitting
