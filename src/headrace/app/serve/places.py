"""The places of a server's connections: a bounded number, and who goes when another comes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

from headrace.api.access_log import Caller

# A client that has just connected may be about to send its credential.
YOUNG_SECONDS = 1.0


class Place(Protocol):
    """What a connection says of itself."""

    @property
    def since(self) -> float: ...
    @property
    def caller(self) -> Caller: ...
    @property
    def is_idle(self) -> bool: ...
    def end(self) -> None: ...


class Places:
    """Connections by age, strangers apart: the one that goes is found without a look at all of them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._strangers: OrderedDict[Place, None] = OrderedDict()
        self._known: OrderedDict[Place, None] = OrderedDict()

    @property
    def full(self) -> bool:
        """Whether a new connection has to take the place of another."""
        return len(self._strangers) + len(self._known) >= self.most

    def enter(self, place: Place, now: float) -> bool:
        """Take a place, another's if need be; or not, when recognised callers are being answered on all."""
        if self.full:
            other = self._missed_least(now)
            if other is None:
                return False
            self.leave(other)
            other.end()
        self._strangers[place] = None
        return True

    def leave(self, place: Place) -> None:
        """Its place is free."""
        self._strangers.pop(place, None)
        self._known.pop(place, None)

    def _missed_least(self, now: float) -> Place | None:
        """Old strangers go first, then recognised callers that ask for nothing, then young strangers."""
        stranger = self._oldest_stranger()
        if stranger is not None and now - stranger.since > YOUNG_SECONDS:
            return stranger
        return next((known for known in self._known if known.is_idle), stranger)

    def _oldest_stranger(self) -> Place | None:
        while self._strangers:
            oldest = next(iter(self._strangers))
            if not oldest.caller.recognised:
                return oldest
            del self._strangers[oldest]
            self._known[oldest] = None
        return None
