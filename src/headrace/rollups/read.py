"""Read: what happened, from rollups, at a cost that does not follow the number of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.histogram import Histogram

SQL = statements(__file__)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOST_STEPS = 5000


class Counts(NamedTuple):
    """What happened. The first two: jobs that came in; the next four: jobs that ended so; the rest: runs."""

    enqueued: int = 0
    requeued: int = 0
    succeeded: int = 0
    failed: int = 0
    canceled: int = 0
    dead_letter: int = 0
    runs: int = 0
    retried: int = 0
    timed_out: int = 0
    lost: int = 0
    snoozed: int = 0
    released: int = 0


class Step(NamedTuple):
    """A stretch of time that begins at `at`; `depth` is the most that were seen waiting."""

    at: datetime
    counts: Counts
    depth: int
    latency: Histogram
    duration: Histogram


class Total(NamedTuple):
    """Since the beginning, for one tenant and definition; never goes down."""

    tenant_id: int
    tenant: str
    definition_id: int
    definition: str
    counts: Counts
    latency: Histogram
    duration: Histogram


class LaneDepth(NamedTuple):
    """Live jobs of one tenant, queue, definition and status; of queued ones since when the oldest waits."""

    tenant_id: int
    tenant: str
    queue: str
    definition_id: int
    definition: str
    status: str
    jobs: int
    oldest_queued_at: datetime | None


class Busy(NamedTuple):
    """A definition that ran: how often, how often badly, how long, and when."""

    definition: str
    kind: str
    runs: int
    bad: int
    duration: Histogram
    steps: list[int]


class Depth(NamedTuple):
    """How many live jobs there were, and when that was; never sampled means never."""

    sampled_at: datetime | None
    lanes: list[LaneDepth]


async def summary(conn: Connection, *, tenant_id: int | None, since: datetime) -> Counts:
    """All that happened since then, to the minute."""
    since = _floor(since, MINUTE)
    row = await conn.fetchrow(SQL["summary"], tenant_id, since, _floor(since + HOUR - MINUTE, HOUR))
    return _counts(row)


async def series(
    conn: Connection,
    *,
    tenant_id: int | None = None,
    definition_id: int | None = None,
    since: datetime,
    until: datetime,
    step: timedelta,
) -> list[Step]:
    """What happened in each step, the first of which has `since` in it. A step is some minutes or some hours long."""
    if step < MINUTE or step % MINUTE:
        raise ValueError(f"a step must be a whole number of minutes: {step}")
    since = _floor(since, step)
    if (until - since) / step > MOST_STEPS:
        raise ValueError(f"more than {MOST_STEPS} steps of {step}: choose longer steps")
    hourly = not step % HOUR
    bounds = await histogram_bounds(conn)
    rows = await conn.fetch(SQL["series"], tenant_id, definition_id, since, until, step, hourly)
    return [Step(row["step"], _counts(row), row["depth"] or 0, *_histograms(bounds, row)) for row in rows]


async def busiest(
    conn: Connection, *, tenant_id: int | None, since: datetime, until: datetime, hourly: bool, limit: int, steps: int
) -> list[Busy]:
    """The definitions with the most runs, most first."""
    bounds = await histogram_bounds(conn)
    rows = await conn.fetch(SQL["busiest"], tenant_id, since, until, limit, hourly, steps)
    return [
        Busy(row["definition"], row["kind"], row["runs"], row["bad"], _histogram(bounds, row, "duration"), row["steps"])
        for row in rows
    ]


async def usual_of_all(conn: Connection, *, tenant_id: int | None) -> dict[str, Histogram]:
    """How long runs took in the last seven days, by key of definition."""
    bounds = await histogram_bounds(conn)
    rows = await conn.fetch(SQL["usual_of_all"], tenant_id)
    return {row["definition"]: _histogram(bounds, row, "duration") for row in rows if row["duration_buckets"]}


async def totals(conn: Connection) -> list[Total]:
    """All that ever happened, for each tenant and definition."""
    bounds = await histogram_bounds(conn)
    return [
        Total(
            row["tenant_id"],
            row["tenant"],
            row["definition_id"],
            row["definition"],
            _counts(row),
            *_histograms(bounds, row),
        )
        for row in await conn.fetch(SQL["totals"])
    ]


async def depth(conn: Connection, *, tenant_id: int | None = None) -> Depth:
    """The queue as it was when it was last sampled, as a rule a few seconds ago."""
    sampled_at = await conn.fetchval(SQL["sampled_at"])
    return Depth(sampled_at, [LaneDepth(*row) for row in await conn.fetch(SQL["depth"], tenant_id)])


async def usual_durations(
    conn: Connection, definition_ids: Sequence[int], *, tenant_id: int | None = None
) -> dict[int, Histogram]:
    """How long runs took in the last seven days, by definition; none for one that did not run."""
    bounds = await histogram_bounds(conn)
    rows = await conn.fetch(SQL["usual_durations"], definition_ids, tenant_id)
    return {row["definition_id"]: _histogram(bounds, row, "duration") for row in rows if row["duration_buckets"]}


async def histogram_bounds(conn: Connection) -> list[float]:
    """The bounds between buckets, in seconds."""
    bounds: list[float] = await conn.fetchval(SQL["histogram_bounds"])
    return bounds


def _counts(row: Any) -> Counts:
    return Counts(*(row[name] or 0 for name in Counts._fields))


def _histograms(bounds: Sequence[float], row: Any) -> tuple[Histogram, Histogram]:
    return _histogram(bounds, row, "latency"), _histogram(bounds, row, "duration")


def _histogram(bounds: Sequence[float], row: Any, of: str) -> Histogram:
    return Histogram.of(bounds, row[f"{of}_buckets"], row[f"{of}_sum"] or 0.0)


def _floor(at: datetime, step: timedelta) -> datetime:
    return at - (at - EPOCH) % step
