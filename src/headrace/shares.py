"""The share of one tenant in what all of them use: its other requests wait, and the rest is for other tenants."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary


class Shares:
    """A few places for each tenant, or for each caller without one, in the order in which its requests came."""

    def __init__(self, most: int) -> None:
        self._most = most
        # One lives as long as a request of its tenant waits for it or holds it.
        self._of: WeakValueDictionary[str | None, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, whose: str | None) -> asyncio.Semaphore:
        """The places of one. A request that holds one waits for no second one, so all come to their turn."""
        return self._of.setdefault(whose, asyncio.Semaphore(self._most))
