"""The rate limits of the API: requests of a tenant, and wrong credentials of an address."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from ipaddress import IPv6Address, IPv6Network, ip_address

from fastapi import Request

from headrace.errors import TooMany

# Wrong credentials of one address that are answered at once, and how many more each minute; later ones are held back.
WRONG_AT_ONCE = 20
WRONG_PER_MINUTE = 20
HOLD_SECONDS = 1.0
# Answers that are held back at a time; what is more is refused.
MOST_HELD = 200
MOST_HELD_OF_ONE = 10
MOST_ADDRESSES = 10_000


class RequestLimits:
    """A bucket for each tenant that holds a tenth of a minute's requests and refills steadily, in each process."""

    def __init__(self) -> None:
        self._buckets: dict[str, tuple[float, float]] = {}

    def spend(self, tenant: str, per_minute: int) -> None:
        """Take one request from the tenant's bucket, or raise `TooMany`."""
        now = time.monotonic()
        most = max(1.0, per_minute / 10)
        left, since = self._buckets.get(tenant, (most, now))
        left = min(most, left + (now - since) * per_minute / 60)
        if left < 1:
            raise TooMany(
                f'tenant "{tenant}" may make {per_minute} requests a minute', after=(1 - left) * 60 / per_minute
            )
        self._buckets[tenant] = (left - 1, now)


class WrongCredentials:
    """Slows down guesses. A credential is looked up first, and only a wrong one comes here: no good one ever waits."""

    def __init__(self) -> None:
        # For each address what is left, and since when. The address that is silent for longest is forgotten first.
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._held: Counter[str] = Counter()

    async def slow_down(self, address: str) -> None:
        """Return at once for the first ones and later for more; raise `TooMany` where many answers are held back."""
        if self._spend(address):
            return
        if self._held[address] >= MOST_HELD_OF_ONE or self._held.total() >= MOST_HELD:
            raise TooMany("too many wrong tokens from this address; send a good one", after=HOLD_SECONDS)
        self._held[address] += 1
        try:
            await asyncio.sleep(HOLD_SECONDS)
        finally:
            self._held -= Counter([address])  # keeps no address that has none

    def _spend(self, address: str) -> bool:
        now = time.monotonic()
        left, since = self._left.pop(address, (float(WRONG_AT_ONCE), now))
        left = min(WRONG_AT_ONCE, left + (now - since) * WRONG_PER_MINUTE / 60)
        self._left[address] = (max(0.0, left - 1), now)
        while len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


def client_of(request: Request) -> str:
    """The address of the client, of IPv6 the network: there each client has many addresses."""
    host = "" if request.client is None else request.client.host
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Network((int(address), 64), strict=False))
    return str(address)
