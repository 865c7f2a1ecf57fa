"""Events by hand: triggers that wait for them, emits, and dispatchers that the test plays itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from tests.engine import Engine
from tests.waiting import until
from tests.worker.running import app_on

from headrace import Headrace
from headrace.db.connect import Connection, OwnConnection
from headrace.triggers.change import create_trigger
from headrace.triggers.compute import compute_due_times
from headrace.triggers.dispatch import dispatch_events
from headrace.triggers.fire import fire_due, fire_pending
from headrace.triggers.rules import Rules

DELIVERIES = """
    select coalesce(t.name, gone.name) as trigger, d.outcome, d.reason
      from headrace.delivery as d
      left join headrace.trigger as t on t.id = d.trigger_id
      left join headrace.deleted_trigger as gone on gone.id = d.trigger_id
      left join headrace.event as e on e.id = d.event_id
     where $1::uuid is null or d.event_id = $1
     order by 1, e.emitted_at, d.event_id
"""


class Fired(NamedTuple):
    """A job that an event made."""

    id: UUID
    payload: dict[str, Any]
    source: str
    source_ref: UUID
    correlation_id: str | None


class Events:
    """A database with the definition `work`, and everything that events do there."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.db = engine.db
        self.rules = Rules()

    async def trigger(
        self,
        name: str,
        on: str = "order.paid",
        payload: Mapping[str, Any] | None = None,
        *,
        tenant: str = "default",
        definition: str = "work",
        enabled: bool = True,
        **settings: Any,
    ) -> UUID:
        """A trigger that waits for events, made as an operator would."""
        await self.engine.define(definition)
        said = {"event": on, "payload": dict(payload or {}), **settings}
        return await create_trigger(self.db, name, definition, said, tenant=tenant, enabled=enabled)

    async def tenant(self, name: str) -> None:
        """One more tenant."""
        await self.db.execute("insert into headrace.tenant (name) values ($1)", name)

    async def emit(
        self, name: str = "order.paid", data: Mapping[str, Any] | None = None, tenant: str = "default"
    ) -> UUID:
        """One event through the SQL function."""
        event_id: UUID = await self.db.fetchval(
            "select headrace.emit($1, $2::jsonb, $3)", name, json.dumps(dict(data or {})), tenant
        )
        return event_id

    async def dispatch(self, conn: Connection | None = None, *, batch: int = 500) -> int:
        """Batch after batch, as a dispatcher does; gives back how many events there were."""
        handled = 0
        while n := await dispatch_events(conn or self.db, self.rules, batch=batch):
            handled += n
        return handled

    async def deliveries(self, event_id: UUID | None = None) -> list[tuple[str, str, str | None]]:
        """(trigger, outcome, reason) of each delivery, by trigger and event."""
        return [(row[0], row[1], row[2]) for row in await self.db.fetch(DELIVERIES, event_id)]

    async def detail(self, trigger: str) -> str:
        """What the only delivery to a trigger says."""
        (row,) = await self.db.fetch(
            "select detail from headrace.delivery where trigger_id = (select id from headrace.trigger where name = $1)",
            trigger,
        )
        return str(row[0])

    async def jobs(self) -> list[Fired]:
        """All jobs, in the order of their ids."""
        rows = await self.db.fetch(
            "select id, payload, source, source_ref, correlation_id from headrace.job order by created_at, id"
        )
        return [Fired(row[0], json.loads(row[1]), row[2], row[3], row[4]) for row in rows]

    async def payloads(self) -> list[dict[str, Any]]:
        """What the jobs were given."""
        return [job.payload for job in await self.jobs()]

    async def waiting(self) -> int:
        """Events that nobody has handled yet."""
        n: int = await self.db.fetchval("select count(*) from headrace.event_inbox")
        return n

    async def let_holds_end(self) -> None:
        """As if the seconds had passed for which dispatchers hold events, or for which events are postponed."""
        await self.db.execute("update headrace.event_inbox set not_before = clock_timestamp()")

    @asynccontextmanager
    async def another(self) -> AsyncIterator[OwnConnection]:
        """One more connection."""
        connection = await self.engine.endpoint.connect("another")
        try:
            yield connection
        finally:
            connection.terminate()


async def until_waits_for_a_lock(observer: Connection, waiter: Connection, task: asyncio.Task[Any]) -> None:
    """Return once the connection waits for somebody's lock; fails when what it does is over before that."""
    pid = waiter.get_server_pid()

    async def waits() -> bool:
        assert not task.done(), "it did not wait for anybody"
        return bool(await observer.fetchval("select cardinality(pg_blocking_pids($1)) > 0", pid))

    await until("it waits for a lock", waits)


@asynccontextmanager
async def open_app(engine: Engine, name: str = "test") -> AsyncIterator[Headrace]:
    """An open application with the job `work(n=0)`, without a worker."""
    hr = app_on(engine.endpoint.url, name)

    @hr.job
    async def work(n: int = 0) -> int:
        return n

    async with hr:
        yield hr


async def schedule_once(engine: Engine) -> None:
    """What a scheduler does when it is woken."""
    rules = Rules()
    await compute_due_times(engine.db, rules)
    await fire_pending(engine.db, rules)
    await fire_due(engine.db, rules)


async def make_due(engine: Engine, name: str, due_at: datetime) -> None:
    """Let a schedule be due since then."""
    await engine.db.execute(
        "update headrace.trigger set next_run_at = $2, fire_at = $2::timestamptz where name = $1", name, due_at
    )
