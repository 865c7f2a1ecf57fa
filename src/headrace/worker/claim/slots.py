"""What a worker has in hand: jobs that run, and a few that wait for a free place."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from headrace.context import Context
from headrace.model.job.record import ClaimedJob
from headrace.model.secret.masking import Masker
from headrace.worker.transport.interface import Fence

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
    settling: asyncio.Task[None] | None = None
    """Writes what it said. Apart from its own task, which a handler may cancel even after its end."""
    refusal: Exception | None = None
    """What ends it in place of its handler, such as secret fields that cannot be read here."""
    masker: Masker | None = None
    """What must not be seen of it, where that was looked for ahead."""
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
    suspects: deque[ClaimedJob] = field(default_factory=deque)
    """Jobs that a worker died under, which wait until nothing else runs here."""
    stuck: int = 0

    @property
    def free(self) -> int:
        return self.concurrency - self.stuck - len(self.running)

    @property
    def empty(self) -> bool:
        return not self.running and not self.waiting and not self.suspects

    def take(self, jobs: Iterable[ClaimedJob]) -> None:
        """These were claimed."""
        for job in jobs:
            (self.suspects if job.suspect else self.waiting).append(job)

    def forget_waiting(self) -> None:
        """What did not start is not ours any more."""
        self.waiting.clear()
        self.suspects.clear()

    def fences(self) -> Iterator[Fence]:
        """Everything in hand."""
        yield from self.running
        yield from ((job.id, job.run) for job in (*self.waiting, *self.suspects))
