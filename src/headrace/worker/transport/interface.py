"""The seam between a worker and the control plane: what a worker asks, whichever way it takes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from headrace.model.job.record import ClaimedJob
from headrace.model.job.transition import Transition
from headrace.model.log.line import LogLine

Fence = tuple[UUID, int]


class TransportAway(Exception):
    """The control plane does not answer now; what was asked may or may not have happened."""


class OutcomeRefused(Exception):
    """The control plane will not store this batch as it is, because of what is in it."""


@dataclass(frozen=True, slots=True)
class Beat:
    """What a worker says of itself. After the last one the connection it came over may go."""

    running: int
    memory_bytes: int | None = None
    last: bool = False
    progress: Sequence[tuple[UUID, float | None, str | None]] = ()
    stood_still: float | None = None
    """For how many seconds no thread of this process could run, just now: why it was silent if it was called lost."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """What a worker hears back: whether it still counts as live, which runs should stop, and whether to drain."""

    live: bool
    stop: Sequence[Fence] = ()
    drain: bool = False


class Transport(Protocol):
    """How a worker reaches the control plane."""

    @property
    def worker_id(self) -> int:
        """Under which id it is registered now."""

    async def register(self) -> None:
        """Become a live worker under a new id."""

    async def claim(
        self, *, limit: int, suspects: int, held: Callable[[], Collection[Fence]], wait: float
    ) -> list[ClaimedJob]:
        """Up to `limit` jobs; waits for work up to `wait` seconds. `held` tells what the worker knows it holds."""

    async def heartbeat(self, beat: Beat) -> Pulse:
        """Renew the lease. Called from a thread of its own, on that thread's loop."""

    async def finish(self, transitions: Sequence[Transition]) -> set[Fence]:
        """Write how runs ended; gives back those no longer ours. `OutcomeRefused` when the batch cannot be stored."""

    async def write_logs(self, lines: Sequence[LogLine]) -> set[Fence]:
        """Keep lines of runs that are ours; gives back those that no longer are. A repeat is not kept twice."""

    def now(self) -> datetime:
        """The control plane's time, as far as it is known here."""

    def wake(self) -> None:
        """End a claim's wait: there is room or a reason to look."""

    async def close(self) -> None:
        """Stop being a worker."""
