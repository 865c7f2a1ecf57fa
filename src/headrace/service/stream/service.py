"""The verb of the stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from headrace.service.base import TenantService
from headrace.service.stream.hub import Batch, Hub, Subscriber


class Stream(TenantService):
    """Follow what changes."""

    @asynccontextmanager
    async def follow(self, hub: Hub, since: str | None = None) -> AsyncIterator[tuple[Batch, Subscriber]]:
        """What changed since then, and a listener for what comes; `since` is the id of the last event heard."""
        async with self._begin("stream.follow") as scope:
            whose = scope.tenant_id
        # First listen and then look back: what happens between the two is told twice, and not never.
        with hub.listen(whose, self._principal.credential) as listener:
            first = await hub.catch_up(whose, None if since is None else _time_of(since))
            yield first, listener


def event_id(at: datetime) -> str:
    """How a time is written into an event."""
    return str(round(at.timestamp() * 1_000_000))


def _time_of(text: str) -> datetime:
    """The time in an id; one that is none of ours is long ago, and everything may have changed since."""
    try:
        return datetime.fromtimestamp(int(text) / 1_000_000, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
