"""Rule 11: of many events, in transactions that roll back or commit late, exactly the committed ones fire, once."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.chaos.world.faults import Herd, wait
from tests.chaos.world.processes import declare, until_live, workers_on
from tests.waiting import until

from headrace.db.connect import Connection, Endpoint
from headrace.triggers.change import create_trigger

EVENTS = 10_000 if os.environ.get("LONG_TESTS") else 2_000
EMITTERS = 4
LARGEST_TRANSACTION = 20
TRIGGERS: dict[str, dict[str, Any]] = {
    "exact": {"event": "order.paid", "payload": {"n": "{{event.n}}"}},
    "prefix": {"event": "order.*"},
    "all": {"event": "*", "payload": {"n": "{{event.n}}"}},
    "broken": {"event": "order.paid", "payload": {"n": "{{event.missing}}"}},
}
FIRES = {"exact", "prefix", "all"}
EMIT = "select headrace.emit('order.paid', jsonb_build_object('n', $1::int))"


class Emitter:
    """Emits in transactions of its own, of which a third roll back and some commit late."""

    def __init__(self, endpoint: Endpoint, seed: int) -> None:
        self._endpoint = endpoint
        self._chance = random.Random(seed)  # noqa: S311 - no secret
        self._transactions = 0
        self.emitted = 0
        self.committed: set[UUID] = set()

    async def emit(self, wanted: int) -> None:
        connection = await self._endpoint.connect("emitter")
        try:
            while self.emitted < wanted:
                n = min(self._chance.randint(1, LARGEST_TRANSACTION), wanted - self.emitted)
                await self._transaction(connection, n)
                self.emitted += n
        finally:
            await connection.close()

    async def _transaction(self, connection: Connection, n: int) -> None:
        transaction = connection.transaction()
        await transaction.start()
        ids = [await connection.fetchval(EMIT, k) for k in range(n)]
        # Meanwhile others take later ids and commit before us.
        await wait(self._chance.choice([0, 0, 0, 0.02, 0.3]))
        self._transactions += 1
        if self._transactions % 3 == 0:
            await transaction.rollback()
        else:
            await transaction.commit()
            self.committed.update(ids)


async def make_trouble(
    connection: Connection, herd: Herd, chance: random.Random, emitting: Sequence[asyncio.Task[None]]
) -> None:
    """Until all is emitted."""
    while not all(task.done() for task in emitting):
        await wait(chance.uniform(0.1, 0.6))
        match chance.choices(["kill", "stop", "cut"], [3, 2, 4])[0]:
            case "kill":
                herd.kill_one()
            case "stop":
                herd.stop_one()
            case _:
                await herd.cut_off_one(connection, "dispatcher")


@pytest.mark.timeout(300)
async def test_exactly_the_committed_events_fire_once_though_dispatchers_are_killed(
    connection: Connection, database_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(11)  # noqa: S311 - no secret
    await declare(connection, "fired")
    for name, settings in TRIGGERS.items():
        await create_trigger(connection, name, "fired", settings, tenant="default")
    emitters = [Emitter(Endpoint(database_url), seed) for seed in range(EMITTERS)]
    with workers_on(database_url, tmp_path, "tests.chaos.world.triggers_app:hr") as workers:
        herd = Herd(workers, 2, chance)
        await until_live(connection, 2)
        emitting = [asyncio.create_task(emitter.emit(EVENTS // EMITTERS)) for emitter in emitters]
        async with herd.going_on():
            await make_trouble(connection, herd, chance, emitting)
        await asyncio.gather(*emitting)
        await until("every event is handled", lambda: all_handled(connection))
        assert len(herd.alive()) == 2
    committed = set().union(*(emitter.committed for emitter in emitters))
    for what, n in (("kills", herd.kills), ("stops", herd.stops), ("cuts", herd.cuts), ("committed", len(committed))):
        record_property(what, n)
    assert EVENTS * 0.5 < len(committed) < EVENTS * 0.8
    assert min(herd.kills, herd.cuts) > 0
    await check_deliveries(connection, committed)
    await check_jobs(connection, committed)


async def all_handled(connection: Connection) -> bool:
    return bool(await connection.fetchval("select count(*) = 0 from headrace.event_inbox"))


async def check_deliveries(connection: Connection, committed: set[UUID]) -> None:
    assert {row[0] for row in await connection.fetch("select id from headrace.event")} == committed
    assert await connection.fetchval("select count(error) from headrace.event") == 0
    rows = await connection.fetch(
        "select d.event_id, t.name, d.outcome, d.reason"
        "  from headrace.delivery as d join headrace.trigger as t on t.id = d.trigger_id"
    )
    outcomes = [*((name, "fired", None) for name in FIRES), ("broken", "skipped", "template_error")]
    expected = {(event_id, *outcome) for event_id in committed for outcome in outcomes}
    assert len(rows) == len(expected)
    assert {tuple(row) for row in rows} == expected


async def check_jobs(connection: Connection, committed: set[UUID]) -> None:
    """One job for each delivery that fired, with a record and a place in the queue, and no other."""
    rows = await connection.fetch(
        "select source_ref, t.name from headrace.job"
        "  join headrace.queue on queue.job_id = job.id"
        "  join headrace.delivery as d on d.job_id = job.id and d.event_id = source_ref"
        "  join headrace.trigger as t on t.id = d.trigger_id where source = 'event'"
    )
    assert len(rows) == len(committed) * len(FIRES)
    assert {tuple(row) for row in rows} == {(event_id, name) for event_id in committed for name in FIRES}
    for table in ("job", "queue"):
        assert await connection.fetchval(f"select count(*) from headrace.{table}") == len(rows)
