"""The memory for bodies of requests that are not answered yet: of all together, and what one caller may hold of it."""

from __future__ import annotations

from collections import Counter
from typing import Self

from headrace.errors import HeadraceError

# One tenant cannot keep the others out, nor can strangers.
SHARE_OF_ONE = 1 / 2
SHARE_OF_STRANGERS = 1 / 16
# The body of nearly every request is smaller. It is not counted, so a full server still takes it.
FREE = 64 * 1024
STRANGERS = None


class NoRoom(HeadraceError):
    """Too many large bodies are being received; try again later."""

    code, status = "busy", 503

    def headers(self) -> dict[str, str] | None:
        return {"Retry-After": "2"}


class BodyRoom:
    """How many bytes are held, and by whom."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: Counter[str | None] = Counter()

    @property
    def held(self) -> int:
        """By all together."""
        return self._held.total()

    def holding(self, caller: str | None) -> Holding:
        """For one request of a caller, or of a stranger."""
        return Holding(self, caller)

    def take(self, caller: str | None, size: int) -> None:
        """Hold more, or `NoRoom`."""
        share = SHARE_OF_STRANGERS if caller is STRANGERS else SHARE_OF_ONE
        if self.held + size > self._most or self._held[caller] + size > self._most * share:
            raise NoRoom
        self._held[caller] += size

    def give_back(self, caller: str | None, size: int) -> None:
        """Hold less."""
        self._held[caller] -= size
        if not self._held[caller]:
            del self._held[caller]


class Holding:
    """What one request holds, until its block ends."""

    def __init__(self, room: BodyRoom, caller: str | None) -> None:
        self._room, self._caller = room, caller
        self._size = self._counted = 0

    def take(self, size: int) -> None:
        """Count bytes that have arrived, or `NoRoom`."""
        self._size += size
        free = 0 if self._caller is STRANGERS else FREE
        more = max(0, self._size - free) - self._counted
        if more:
            self._room.take(self._caller, more)
            self._counted += more

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._counted:
            self._room.give_back(self._caller, self._counted)
