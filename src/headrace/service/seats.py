"""How many streams may be open at a time: in a process, and of one tenant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from headrace.errors import TooMany

MOST_IN_ALL = 1000
MOST_OF_ONE = 200


class Seats:
    """Places for streams of one kind. `whose` is a tenant's number, or none for all tenants'."""

    def __init__(self) -> None:
        self._taken: Counter[int | None] = Counter()

    @contextmanager
    def take(self, whose: int | None) -> Iterator[None]:
        """A place for the length of the block, or `TooMany`."""
        if self._taken.total() >= MOST_IN_ALL or self._taken[whose] >= MOST_OF_ONE:
            raise TooMany("too many streams are open; try again later", after=30)
        self._taken[whose] += 1
        try:
            yield
        finally:
            self._taken[whose] -= 1
            if not self._taken[whose]:
                del self._taken[whose]
