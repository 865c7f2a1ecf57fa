"""Triggers by hand: rows of plain SQL, schedulers that tick when told, and time that passes by moving rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import pytest
from tests.engine import Engine
from tests.waiting import until

import headrace.worker.maintenance.maintenance
from headrace.db.connect import Connection
from headrace.model.job.outcome import Fail, Outcome, Succeeded
from headrace.triggers.compute import compute_due_times
from headrace.triggers.fire import fire_due, fire_pending
from headrace.triggers.rules import Rules

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
FAILED = Fail("no")
# Settings of a worker that only notifications wake.
UNASKED: dict[str, Any] = {"scheduler_tick_s": 3600.0, "poll_interval_ms": 3_600_000}


async def add(engine: Engine, name: str = "tick", *, definition: str = "work", **columns: Any) -> UUID:
    """A trigger written with a plain INSERT; its definition comes into being where it is missing."""
    await engine.define(definition)
    if isinstance(columns.get("payload"), dict):
        columns["payload"] = json.dumps(columns["payload"])
    names = ["name", *columns]
    places = ", ".join(f"${n}" for n in range(2, len(names) + 2))
    trigger_id: UUID = await engine.db.fetchval(
        f"insert into headrace.trigger (definition_id, {', '.join(names)})"
        f" select id, {places} from headrace.definition where key = $1 returning id",
        definition,
        name,
        *columns.values(),
    )
    return trigger_id


def nobody_looks_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers with the settings `UNASKED` look at nothing by themselves: what comes was heard of."""
    monkeypatch.setattr(headrace.worker.maintenance.maintenance, "LONGEST_SLEEP", 3600.0)


async def change(conn: Connection, trigger_id: UUID, **columns: Any) -> None:
    """A plain UPDATE."""
    sets = ", ".join(f"{name} = ${n}" for n, name in enumerate(columns, 2))
    await conn.execute(f"update headrace.trigger set {sets} where id = $1", trigger_id, *columns.values())


async def tick(engine: Engine, conn: Connection | None = None, rules: Rules | None = None) -> int:
    """What a scheduler does when it is woken; gives back how many triggers came to be looked at as due."""
    conn, rules = conn or engine.db, rules or Rules()
    await compute_due_times(conn, rules)
    return await fire_pending(conn, rules) + await fire_due(conn, rules)


async def move(engine: Engine, trigger_id: UUID, by: timedelta) -> None:
    """Move the next due time as a scheduler writes it: nobody takes this for a change of the rule."""
    await engine.db.execute(
        "update headrace.trigger set next_run_at = next_run_at + $2::interval, fire_at = fire_at + $2::interval"
        " where id = $1",
        trigger_id,
        by,
    )


async def row(engine: Engine, trigger_id: UUID) -> asyncpg.Record:
    """The trigger, with times that end nowhere as `finished`."""
    found = await engine.db.fetchrow(
        "select *, next_run_at = 'infinity' as finished from headrace.trigger where id = $1", trigger_id
    )
    assert found is not None
    return found


async def clock(engine: Engine) -> datetime:
    """The database's."""
    now: datetime = await engine.db.fetchval("select clock_timestamp()")
    return now


async def clear_of_the_next_minute(engine: Engine) -> datetime:
    """For what fires each minute: the clock, with some seconds left before the next."""

    async def has_time() -> bool:
        return (await clock(engine)).second < 50

    await until("the minute has a while to go", has_time)
    return await clock(engine)


async def shift_fires(engine: Engine, trigger_id: UUID, by: timedelta) -> None:
    """Move what was settled of a trigger in time."""
    # In two leaps, over the others: no line may for a moment have the due time of another.
    for shift in (-10_000 * HOUR, 10_000 * HOUR + by):
        await engine.db.execute(
            "update headrace.fire set due_at = due_at + $2::interval, until = until + $2::interval"
            " where trigger_id = $1",
            trigger_id,
            shift,
        )


class Line(NamedTuple):
    """A fire."""

    due_at: datetime
    outcome: str
    reason: str | None = None
    until: datetime | None = None
    n: int | None = None
    by: str = "scheduler"
    detail: str | None = None


async def fires(engine: Engine, trigger_id: UUID) -> list[Line]:
    """What became of a trigger's due times, in order."""
    rows = await engine.db.fetch(
        "select due_at, outcome, reason, until, n, triggered_by, detail from headrace.fire where trigger_id = $1"
        " order by due_at, at",
        trigger_id,
    )
    return [Line(*found) for found in rows]


async def reasons(engine: Engine, trigger_id: UUID) -> list[str]:
    """Only the reason of each line, or that it fired."""
    return [line.reason or line.outcome for line in await fires(engine, trigger_id)]


async def jobs(engine: Engine, trigger_id: UUID) -> list[asyncpg.Record]:
    """The jobs that a trigger made, in the order of their due times."""
    return await engine.db.fetch(
        "select * from headrace.job where source_ref = $1 order by scheduled_for, id", trigger_id
    )


async def live(engine: Engine) -> int:
    """How many jobs are live."""
    return int(await engine.db.fetchval("select count(*) from headrace.queue"))


async def end_jobs(engine: Engine, outcome: Outcome | None = None) -> int:
    """Run what waits to its end; gives back how many jobs those were."""
    worker = await engine.worker()
    held = await engine.claim(worker, 1000)
    await engine.finish(worker, held, outcome or Succeeded())
    return len(held)


@dataclass
class Hourly:
    """A trigger for every hour. The newest due time lies some seconds back, so that none comes during a test."""

    engine: Engine
    id: UUID
    next: datetime
    """The first due time of the future; hour -1 is the newest of the past."""

    def hour(self, k: int) -> datetime:
        return self.next + k * HOUR

    def hours(self, *ks: int) -> list[datetime]:
        return [self.hour(k) for k in ks]

    async def come_due(self, n: int = 1) -> None:
        """As if nobody had looked since n due times ago; one that has finished stays so."""
        await self.engine.db.execute(
            "update headrace.trigger set next_run_at = $2, fire_at = $2 where id = $1 and next_run_at < 'infinity'",
            self.id,
            self.hour(-n),
        )

    async def fire(self, n: int = 1) -> None:
        """The same, and somebody looks."""
        await self.come_due(n)
        await tick(self.engine)

    async def pass_hour(self) -> None:
        """As if an hour passed: due times that were settled, or wait, lie so much further back."""
        await shift_fires(self.engine, self.id, -HOUR)
        await self.engine.db.execute(
            "update headrace.trigger set pending_due_at = pending_due_at - interval '1 hour' where id = $1", self.id
        )

    async def next_hour(self) -> None:
        """The next due time comes, and somebody looks."""
        await self.pass_hour()
        await self.fire()

    async def row(self) -> asyncpg.Record:
        return await row(self.engine, self.id)

    async def change(self, **columns: Any) -> None:
        await change(self.engine.db, self.id, **columns)

    async def fires(self) -> list[Line]:
        return await fires(self.engine, self.id)

    async def reasons(self) -> list[str]:
        return await reasons(self.engine, self.id)

    async def fired(self) -> list[datetime]:
        """The due times that have a job."""
        return [job["scheduled_for"] for job in await jobs(self.engine, self.id)]


async def hourly(engine: Engine, name: str = "hourly", *, late: timedelta = 5 * SECOND, **columns: Any) -> Hourly:
    """A new one, its next due time computed; the newest due time of the past came `late` ago."""
    start = await clock(engine) - 2000 * HOUR - late
    trigger_id = await add(engine, name, every_seconds=3600.0, starts_at=start, **columns)
    await compute_due_times(engine.db, Rules())
    return Hourly(engine, trigger_id, start + 2001 * HOUR)
