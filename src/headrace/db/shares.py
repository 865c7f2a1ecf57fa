"""The share of one tenant in a pool of connections: its other requests wait, and the rest is for other tenants."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary


class Shares:
    """At most half of a pool for each tenant, in the order in which its requests came."""

    def __init__(self, pool_size: int) -> None:
        self._most = max(1, pool_size // 2)
        # One lives as long as a request of its tenant waits for it or holds it.
        self._of: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, tenant: str) -> asyncio.Semaphore:
        """The places of a tenant. Who holds one waits for no second one, so all come to their turn."""
        return self._of.setdefault(tenant, asyncio.Semaphore(self._most))
