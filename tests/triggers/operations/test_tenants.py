"""Triggers of a tenant that may not run their definition: none is made, and those that exist make no jobs."""

from __future__ import annotations

import pytest
from tests.engine import Engine
from tests.queue.limits.limiting import tenant
from tests.triggers.emitting import Events
from tests.triggers.triggering import Line, add, hourly, live, row, tick
from tests.worker.running import app_on

from headrace.errors import Conflict

NARROWED = "update headrace.definition set tenants = '{acme}'"
NOT_ALLOWED = "tenant_not_allowed"


async def test_no_trigger_is_made_for_a_tenant_that_may_not_run_its_definition(engine: Engine) -> None:
    await tenant(engine, "acme")
    await engine.define()
    await engine.db.execute(NARROWED)
    async with app_on(engine.endpoint.url) as hr:
        await hr.control.triggers.create("nightly", "work", tenant="acme", cron="@daily")
        with pytest.raises(Conflict, match='tenant "default" may not run definition "work"'):
            await hr.control.triggers.create("nightly", "work", cron="@daily")


async def test_a_due_time_of_a_tenant_off_the_list_makes_no_job_and_says_why(engine: Engine) -> None:
    trigger = await hourly(engine)
    once = await add(engine, "once", trigger_type="init")
    await engine.db.execute(NARROWED)
    await trigger.come_due(1)
    await tick(engine)
    assert await trigger.fires() == [Line(trigger.hour(-1), "skipped", NOT_ALLOWED)]
    assert (await row(engine, once))["last_error"] == "it waits: tenant not allowed"
    assert await live(engine) == 0
    obstacles = await engine.db.fetch("select distinct obstacle from headrace.schedule_status")
    assert [found[0] for found in obstacles] == [NOT_ALLOWED]
    await engine.db.execute("update headrace.definition set tenants = '{acme, default}'")
    await trigger.next_hour()
    assert await trigger.reasons() == [NOT_ALLOWED, "fired"]


async def test_a_trigger_of_a_tenant_off_the_list_is_not_run_by_hand_either(engine: Engine) -> None:
    trigger = await hourly(engine)
    await engine.db.execute(NARROWED)
    async with app_on(engine.endpoint.url) as hr:
        triggers = hr.control.triggers
        assert (await triggers.get("hourly")).obstacle == NOT_ALLOWED
        with pytest.raises(Conflict, match="cannot run: its tenant may not run its definition"):
            await triggers.fire("hourly")
        with pytest.raises(Conflict, match="cannot run: its tenant may not run its definition"):
            await triggers.backfill("hourly", trigger.hour(-3), trigger.hour(-1))
    assert await live(engine) == 0


async def test_an_event_makes_no_job_for_a_tenant_off_the_list_and_says_why(engine: Engine) -> None:
    events = Events(engine)
    await events.tenant("acme")
    for owner in ("acme", "default"):
        await events.trigger(f"mail of {owner}", tenant=owner)
        await events.emit(tenant=owner)
    await engine.db.execute(NARROWED)
    await events.dispatch()
    assert await events.deliveries() == [
        ("mail of acme", "fired", None),
        ("mail of default", "skipped", NOT_ALLOWED),
    ]
    assert await live(engine) == 1
