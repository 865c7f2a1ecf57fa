"""How many requests a tenant may make: the rate limit of the API."""

from __future__ import annotations

import time

from headrace.errors import TooMany


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
