"""How many jobs to fetch ahead: none for slow jobs, hundreds for fast ones."""

from __future__ import annotations

FETCH_AHEAD_SECONDS = 0.05
MOST_AHEAD = 2000
WINDOW = 0.25


class Prefetch:
    """Jobs ended a second, lately. Time is an argument."""

    def __init__(self) -> None:
        self._rate = 0.0
        self._ended = 0
        self._since: float | None = None

    def ended(self, jobs: int, now: float) -> None:
        """Count jobs that ended; once a window the rate follows, half of it new."""
        if self._since is None:
            self._since = now
        self._ended += jobs
        elapsed = now - self._since
        if elapsed >= WINDOW:
            self._rate = (self._rate + self._ended / elapsed) / 2
            self._ended, self._since = 0, now

    def fetch_ahead(self, now: float) -> int:
        """What will be wanted within the next moment, if things go on like this."""
        self.ended(0, now)
        return min(MOST_AHEAD, int(self._rate * FETCH_AHEAD_SECONDS))
