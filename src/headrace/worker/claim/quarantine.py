"""A suspect's quarantine: how long others stand back for a job that a worker died under, and when the next may come."""

from __future__ import annotations

from headrace.model.job.record import ClaimedJob
from headrace.worker.transport.interface import Fence

FIRST_PATIENCE = 10.0
LONGEST_PATIENCE = 600.0


def patience_with(job: ClaimedJob) -> float:
    """For how long nothing starts beside it: what kills late is alone at last, since each run waits twice as long."""
    return min(LONGEST_PATIENCE, FIRST_PATIENCE * 2.0 ** min(max(job.run - 2, 0), 10))


class Quarantine:
    """At most half of a worker's time goes to suspects while others want it. Time is an argument."""

    def __init__(self) -> None:
        self._fence: Fence | None = None
        self._taken_at = 0.0
        self._rests_until = 0.0

    @property
    def fence(self) -> Fence | None:
        """Of the suspect that ran last, and may still run."""
        return self._fence

    def take(self, job: ClaimedJob, now: float) -> float:
        """It has come; gives back until when it may wait to be alone."""
        self._fence = (job.id, job.run)
        self._taken_at = now
        return now + patience_with(job)

    def end(self, now: float) -> None:
        """Others come in again, and for as long as they stood back no other suspect does."""
        self._rests_until = now + (now - self._taken_at)

    def rest(self, now: float) -> float:
        """In how many seconds the next suspect may come."""
        return max(0.0, self._rests_until - now)

    def nobody_else(self) -> None:
        """Nothing but suspects waits: no need to rest."""
        self._rests_until = 0.0
