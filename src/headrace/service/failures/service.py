"""Errors: the newest failures, alike ones counted together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple
from uuid import UUID

from headrace.aside import by_size
from headrace.db.statements import statements
from headrace.model.job.error_fingerprint import fingerprint
from headrace.service.base import TenantService
from headrace.service.session import Scope

SQL = statements(__file__)
ErrorWindow = Literal["1h", "6h", "24h", "7d"]
WINDOWS: Mapping[ErrorWindow, timedelta] = {
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
}
# Attempts that are looked at; where there are more, the answer says how far back it looked.
MOST_ATTEMPTS = 5_000
MOST_KINDS = 200
# As many as one bulk operation takes.
MOST_JOBS = 1_000
STEPS = 36


class FailureSample(NamedTuple):
    """The newest attempt of a kind."""

    job_id: UUID
    run: int
    worker: str | None
    error: str
    traceback: str | None


@dataclass(slots=True)
class FailureGroup:
    """Failures that are alike. `retryable` are the jobs that it ended, the newest first."""

    fingerprint: str
    first_seen: datetime
    last_seen: datetime
    sample: FailureSample
    attempts: int = 0
    definitions: Counter[str] = field(default_factory=Counter)
    jobs: set[UUID] = field(default_factory=set)
    retryable: dict[UUID, str] = field(default_factory=dict)
    steps: list[int] = field(default_factory=lambda: [0] * STEPS)


class FailurePage(NamedTuple):
    """What failed since a time; `searched_to` is later than it where there was more than is looked at."""

    kinds: Sequence[FailureGroup]
    since: datetime
    until: datetime
    searched_to: datetime


class Failures(TenantService):
    """List."""

    async def list(
        self, window: ErrorWindow = "24h", *, definition: str | None = None, tenant: str | None = None
    ) -> FailurePage:
        """Kinds of failures, the one that was seen last first."""
        async with self._begin("errors.read", tenant) as scope:
            until = await scope.now()
            since = until - WINDOWS[window]
            rows = await _newest(scope, since)
        # Beside the loop, and with no connection in hand: that many errors take a quarter of a second.
        meant = [row for row in rows if _is_meant(row, definition)]
        kinds = (await by_size(sum(len(row["error"]) for row in meant), grouped, meant, since, until))[:MOST_KINDS]
        async with self._begin("errors.read", tenant) as scope:
            await _add_tracebacks(scope, kinds)
        cut = len(rows) == MOST_ATTEMPTS
        return FailurePage(kinds, since, until, rows[-1]["finished_at"] if cut else since)


async def _newest(scope: Scope, since: datetime) -> Sequence[Any]:
    if scope.tenant_id is None:
        return await scope.conn.fetch(SQL["newest_errors_of_all"], since, MOST_ATTEMPTS)
    return await scope.conn.fetch(SQL["newest_errors"], scope.tenant_id, since, MOST_ATTEMPTS)


def _is_meant(row: Any, definition: str | None) -> bool:
    """Headrace's own jobs are meant only by name."""
    return not row["system"] if definition is None else row["definition"] == definition


def grouped(rows: Sequence[Any], since: datetime, until: datetime) -> list[FailureGroup]:
    """Attempts, newest first, by what their errors have in common."""
    kinds: dict[str, FailureGroup] = {}
    for row in rows:
        alike, at = fingerprint(row["error"]), row["finished_at"]
        kind = kinds.get(alike)
        if kind is None:
            sample = FailureSample(row["job_id"], row["run"], row["worker"], row["error"], None)
            kind = kinds[alike] = FailureGroup(alike, at, at, sample)
        kind.first_seen = at
        kind.attempts += 1
        kind.definitions[row["definition"]] += 1
        kind.jobs.add(row["job_id"])
        if row["final"] is not None and len(kind.retryable) < MOST_JOBS:
            kind.retryable[row["job_id"]] = row["final"]
        kind.steps[min(STEPS - 1, int(STEPS * ((at - since) / (until - since))))] += 1
    return list(kinds.values())


async def _add_tracebacks(scope: Scope, kinds: Sequence[FailureGroup]) -> None:
    samples = [kind.sample for kind in kinds]
    rows = await scope.conn.fetch(
        SQL["tracebacks"], [one.job_id for one in samples], [one.run for one in samples], scope.tenant_id
    )
    tracebacks = {(row["job_id"], row["run"]): row["traceback"] for row in rows}
    for kind in kinds:
        kind.sample = kind.sample._replace(traceback=tracebacks.get((kind.sample.job_id, kind.sample.run)))
