"""What is compared at the end: what really happened, and what the database says. Plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from tests.chaos.storm.injector import Injected
from tests.chaos.storm.residents import Life
from tests.chaos.world.fires import History


class Run(NamedTuple):
    """A run that ended, by the database."""

    run: int
    outcome: str
    final: str | None
    spent: int
    started_at: datetime | None
    finished_at: datetime
    process: str | None
    error: str | None
    worker_id: int | None = None


@dataclass
class Job:
    """A job, by the database."""

    id: str
    definition: str
    token: str | None
    max_attempts: int
    scheduled_for: datetime | None = None
    key: int | None = None
    live: str | None = None
    """Its status in the queue, if it has not ended."""
    runs: list[Run] = field(default_factory=list)

    def finals(self) -> list[Run]:
        return [run for run in self.runs if run.final is not None]


class Noted(NamedTuple):
    """A line of a handler: which process ran which run of which job, and when by the machine's monotonic clock."""

    job: str
    run: int
    process: str
    at: int


@dataclass
class Truth:
    """What handlers and producers wrote down."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    """Token → job."""
    emitted: set[str] = field(default_factory=set)
    taken_back: set[str] = field(default_factory=set)
    cancel_asked: set[str] = field(default_factory=set)
    canceled: dict[str, float] = field(default_factory=dict)
    """Job → the database's time after the cancel was confirmed."""
    poisoned: set[str] = field(default_factory=set)
    started: list[Noted] = field(default_factory=list)
    finished: list[Noted] = field(default_factory=list)


@dataclass
class Evidence:
    """Everything about one storm."""

    lease: float
    truth: Truth
    jobs: dict[str, Job]
    lives: dict[str, Life]
    injected: Sequence[Injected] = ()
    histories: dict[str, History] = field(default_factory=dict)
    horizon: datetime | None = None
    sql_done: dict[str, int] = field(default_factory=dict)
    """How often the function of a SQL job was committed, by token."""
    stalls: Sequence[tuple[datetime, datetime]] = ()
    """When this machine gave nobody time."""
    stuck: Sequence[str] = ()
    """What the storm itself saw standing still."""
