"""Init: once ever, or once for each version, whoever comes first."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from tests.at_once import Another
from tests.engine import Engine
from tests.triggers.triggering import add, change, end_jobs, jobs, live, move, reasons, row, tick


async def test_it_fires_once_ever(engine: Engine) -> None:
    trigger_id = await add(engine, trigger_type="init")
    await tick(engine)
    (job,) = await jobs(engine, trigger_id)
    assert job["source"] == "scheduler"
    found = await row(engine, trigger_id)
    assert (found["finished"], found["fires"]) == (True, 1)
    assert await tick(engine) == 0


async def test_turning_it_off_and_on_does_not_fire_it_again(engine: Engine) -> None:
    trigger_id = await add(engine, trigger_type="init")
    await tick(engine)
    for enabled in (False, True):
        await change(engine.db, trigger_id, enabled=enabled)
    await tick(engine)
    assert await reasons(engine, trigger_id) == ["fired", "already_fired"]
    assert (await row(engine, trigger_id))["finished"]


async def test_a_new_version_fires_once_and_going_back_does_not(engine: Engine) -> None:
    trigger_id = await add(engine, trigger_type="init", init_version="1")
    await tick(engine)
    for version in ("2", "1", "2", "3"):
        await change(engine.db, trigger_id, init_version=version)
        await tick(engine)
    assert await reasons(engine, trigger_id) == ["fired", "fired", "already_fired", "already_fired", "fired"]
    assert len(await jobs(engine, trigger_id)) == 3


async def test_what_fired_is_remembered_though_its_fire_was_pruned(engine: Engine) -> None:
    trigger_id = await add(engine, trigger_type="init")
    await tick(engine)
    await engine.db.execute("delete from headrace.fire")
    await change(engine.db, trigger_id, next_run_at=None)
    await tick(engine)
    assert await reasons(engine, trigger_id) == ["already_fired"]


async def test_one_that_is_off_fires_when_it_is_turned_on(engine: Engine) -> None:
    trigger_id = await add(engine, trigger_type="init", enabled=False)
    assert await tick(engine) == 0
    await change(engine.db, trigger_id, enabled=True)
    await tick(engine)
    assert await reasons(engine, trigger_id) == ["fired"]


async def test_many_schedulers_at_once_fire_each_version_once(engine: Engine, another: Another) -> None:
    trigger_id = await add(engine, trigger_type="init", init_version="1")
    connections = [await another() for _ in range(6)]
    for n, version in enumerate(("2", "1", "3", "2"), 1):
        await asyncio.gather(*(tick(engine, conn) for conn in connections))
        await change(connections[n], trigger_id, init_version=version)
    await asyncio.gather(*(tick(engine, conn) for conn in connections))
    await tick(engine)
    assert await live(engine) == 3
    assert await end_jobs(engine) == 3


async def test_it_waits_for_its_definition_and_says_so(engine: Engine) -> None:
    trigger_id = await add(engine, trigger_type="init")
    await engine.db.execute("update headrace.definition set enabled = false")
    await tick(engine)
    found = await row(engine, trigger_id)
    assert (found["finished"], found["last_error"]) == (False, "it waits: definition disabled")
    assert await reasons(engine, trigger_id) == []
    await engine.db.execute("update headrace.definition set enabled = true")
    assert await tick(engine) == 0  # it looks again in a minute
    await move(engine, trigger_id, -timedelta(minutes=1))
    await tick(engine)
    assert await reasons(engine, trigger_id) == ["fired"]
    assert (await row(engine, trigger_id))["last_error"] is None


async def test_a_payload_that_cannot_be_made_does_not_use_it_up(engine: Engine) -> None:
    trigger_id = await add(engine, trigger_type="init", payload={"n": "{{scheduled_for.n}}"})
    await tick(engine)
    assert "found nothing" in (await row(engine, trigger_id))["last_error"]
    await change(engine.db, trigger_id, payload="{}")
    await move(engine, trigger_id, -timedelta(minutes=1))
    await tick(engine)
    assert await reasons(engine, trigger_id) == ["fired"]
