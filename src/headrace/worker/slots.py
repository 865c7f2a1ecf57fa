"""What a worker has in hand: jobs that run, and a few that wait for a free place."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from headrace.model.context import Context
from headrace.model.job import ClaimedJob
from headrace.worker.transport import Fence

StopReason = Literal["canceled", "timed out", "shutdown", "lost"]


@dataclass(slots=True, eq=False)
class Run:
    """One run under way."""

    job: ClaimedJob
    context: Context
    fence: Fence
    handler: Any = None
    task: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None
    stop_reason: StopReason | None = None
    ended: bool = False
    """Whether its handler has ended; what it said may still be on its way."""
    sealed: str | None = None
    """Why its secret fields cannot be read here."""
    detail: dict[str, Any] | None = None
    """What is known of it beside its outcome."""
    span: Any = None
    """Its own, where spans are kept."""


@dataclass(slots=True)
class Slots:
    """Places for runs. `stuck` places hold threads that were given up and could not be ended."""

    concurrency: int
    running: dict[Fence, Run] = field(default_factory=dict)
    waiting: deque[ClaimedJob] = field(default_factory=deque)
    stuck: int = 0

    @property
    def free(self) -> int:
        return self.concurrency - self.stuck - len(self.running)

    @property
    def empty(self) -> bool:
        return not self.running and not self.waiting

    def has_suspect(self) -> bool:
        """Whether a job that a worker died under is in hand: then no second one."""
        return any(run.job.suspect for run in self.running.values()) or any(job.suspect for job in self.waiting)

    def fences(self) -> Iterator[Fence]:
        """Everything in hand."""
        yield from self.running
        yield from ((job.id, job.run) for job in self.waiting)
