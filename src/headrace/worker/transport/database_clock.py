"""The database's time without asking it: what it said last, and the seconds that have passed here since."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class DatabaseClock:
    """Set from answers of the database; this machine's own clock may be an hour off."""

    def __init__(self) -> None:
        self._said = (datetime.now(UTC), time.monotonic())

    def set(self, now: datetime) -> None:
        """The database has just said what time it is."""
        self._said = (now, time.monotonic())

    def now(self) -> datetime:
        """What it would say now, within a round trip."""
        said, when = self._said
        return said + timedelta(seconds=time.monotonic() - when)
