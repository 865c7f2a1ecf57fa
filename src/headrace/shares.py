"""The share of one tenant in what all of them use: its other requests wait, and the rest is for other tenants."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from headrace.errors import TooMany

# Requests of one tenant that wait for a place. Each holds a connection to the server and its body.
MOST_WAITING = 100


class Shares:
    """A few places for each tenant, or for each caller without one, in the order in which its requests came."""

    def __init__(self, most: int) -> None:
        self._most = most
        # One lives as long as a request of its tenant waits for it or holds it.
        self._of: WeakValueDictionary[str | None, asyncio.Semaphore] = WeakValueDictionary()
        self._waiting: Counter[str] = Counter()

    def of(self, whose: str | None) -> asyncio.Semaphore:
        """The places of one. A request that holds one waits for no second one, so all come to their turn."""
        return self._of.setdefault(whose, asyncio.Semaphore(self._most))

    @asynccontextmanager
    async def place(self, tenant: str) -> AsyncIterator[None]:
        """A place of the tenant, in its turn; or `TooMany` where as many requests wait already."""
        places = self.of(tenant)
        if self._waiting[tenant] >= MOST_WAITING:
            raise TooMany(f'{MOST_WAITING} requests of tenant "{tenant}" wait already: send fewer at a time')
        self._waiting[tenant] += 1
        try:
            await places.acquire()
        finally:
            self._waiting -= Counter([tenant])  # keeps no tenant of which none waits
        try:
            yield
        finally:
            places.release()
