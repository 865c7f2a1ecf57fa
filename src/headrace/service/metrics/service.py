"""Metrics: what was counted, under a bounded number of names."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.service.base import ServerService
from headrace.service.permissions import authorise

SQL = statements(__file__)
MOST_TENANTS = 100
MOST_DEFINITIONS = 200
MOST_PAIRS = 1000
KNOWN_FOR = 1.0
OTHER = "_other"
STATES = ("live", "draining", "stale", "lost")
STATUSES = ("scheduled", "queued", "running")


class Shown:
    """The tenants and definitions that have names in metrics; the rest is one.

    Chosen by activity and then kept for the life of the process: were one to come, the rest would shrink, which for a
    counter means that it began anew.
    """

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], None] = {}
        self.tenants: dict[int, None] = {}
        self.definitions: dict[int, None] = {}

    @property
    def full(self) -> bool:
        """Whether there is no room for one more."""
        return len(self.pairs) >= MOST_PAIRS

    def choose(self, busiest: Sequence[tuple[int, int]]) -> None:
        """Take in those for whom there is room, the busiest first."""
        for tenant, definition in busiest:
            known_tenant = tenant in self.tenants or len(self.tenants) < MOST_TENANTS
            known_definition = definition in self.definitions or len(self.definitions) < MOST_DEFINITIONS
            if known_tenant and known_definition and not self.full:
                self.pairs[tenant, definition] = self.tenants[tenant] = self.definitions[definition] = None


class Total(NamedTuple):
    """All that ever happened to jobs of a tenant and definition."""

    tenant: str
    definition: str
    enqueued: float
    requeued: float
    succeeded: float
    failed: float
    canceled: float
    dead_letter: float
    retried: float
    timed_out: float
    lost: float


class Buckets(NamedTuple):
    """Values of a definition's runs: how many lay up to each bound, and above the last; and their sum."""

    definition: str
    counts: list[float]
    sum: float


class Measured(NamedTuple):
    """All that metrics show."""

    totals: list[Total]
    bounds: list[float]
    latency: list[Buckets]
    duration: list[Buckets]
    depth: dict[tuple[str, str], float]
    oldest_age: dict[str, float]
    workers: dict[str, int]
    scheduler_lag: float
    sample_age: float | None


class Scrapes:
    """What a process remembers from one scrape to the next: several readers cost no more than one."""

    def __init__(self) -> None:
        self.shown = Shown()
        self.reading = asyncio.Lock()
        self.known: Measured | None = None
        self.known_at = float("-inf")


class Metrics(ServerService):
    """Read what was counted."""

    async def read(self, scrapes: Scrapes) -> Measured:
        """Everything, as it was a second ago at most."""
        authorise(self._principal, "metrics.read")
        async with scrapes.reading:
            if scrapes.known is None or time.monotonic() - scrapes.known_at > KNOWN_FOR:
                scrapes.known = await self._measure(scrapes.shown)
                scrapes.known_at = time.monotonic()
            return scrapes.known

    async def _measure(self, shown: Shown) -> Measured:
        """At a cost that does not follow the number of jobs."""
        async with self._begin("metrics.read") as scope:
            conn = scope.conn
            if not shown.full:
                shown.choose([(row[0], row[1]) for row in await conn.fetch(SQL["busiest"], 2 * MOST_PAIRS)])
            tenants, definitions = list(shown.tenants), list(shown.definitions)
            pairs = [tenant for tenant, _ in shown.pairs], [definition for _, definition in shown.pairs]
            totals = [_total(row) for row in await conn.fetch(SQL["totals"], *pairs)]
            histograms = await conn.fetch(SQL["histograms"], definitions)
            depths = await conn.fetch(SQL["depth"], tenants)
            workers = dict.fromkeys(STATES, 0) | {row[0]: row[1] for row in await conn.fetch(SQL["workers"])}
            lag, sample_age = await _clocks(conn)
        return Measured(
            totals,
            histograms[0]["bounds"] if histograms else [],
            [_buckets(row, "latency") for row in histograms],
            [_buckets(row, "duration") for row in histograms],
            {(row["tenant"] or OTHER, row["status"]): row["jobs"] for row in depths},
            {row["tenant"] or OTHER: row["oldest_age"] for row in depths if row["oldest_age"] is not None},
            workers,
            lag,
            sample_age,
        )


async def _clocks(conn: Connection) -> tuple[float, float | None]:
    row: Any = await conn.fetchrow(SQL["clocks"])
    return row["scheduler_lag"], row["sample_age"]


def _total(row: Any) -> Total:
    tenant, definition, _, _, *counts = row
    return Total(tenant or OTHER, definition or OTHER, *counts)


def _buckets(row: Any, of: str) -> Buckets:
    # Beyond the end of a stored array there is nothing, which counts as none.
    return Buckets(row["definition"] or OTHER, [n or 0.0 for n in row[of]], row[f"{of}_sum"] or 0.0)
