"""Schedules with large payloads that are late: what is made at once has a bound, and others fire in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
from tests.api.conftest import Api
from tests.engine import Engine
from tests.triggers.triggering import SECOND, Hourly, hourly

from headrace.model.trigger.fire_plan import SHARE
from headrace.triggers.fire import fire_due
from headrace.triggers.rules import Rules

PAYLOAD = {"at": "{{scheduled_for}}", "text": "x" * 400_000}
START = datetime(2020, 1, 1, tzinfo=UTC)


async def test_a_backfill_of_too_much_text_is_refused_with_the_bound_and_makes_nothing(
    api: Api, acme: httpx.AsyncClient
) -> None:
    rule = {"name": "t", "definition": "greet", "trigger_type": "schedule", "every_seconds": 1, "enabled": False}
    payload = {"name": "{{scheduled_for}} " + "x" * 900_000}
    made = await acme.post("/api/v1/jobs/triggers", json={**rule, "payload": payload, "starts_at": START.isoformat()})
    path = f"/api/v1/jobs/triggers/{made.json()['id']}/backfill"

    async def backfill(seconds: int) -> httpx.Response:
        until = START + timedelta(seconds=seconds - 1)
        return await acme.post(path, json={"from": START.isoformat(), "until": until.isoformat(), "cap": 10_000})

    refused = await backfill(20)
    assert refused.status_code == 422, refused.text
    (error,) = refused.json()["errors"]
    assert (error["field"], "16,000,000 characters" in error["message"]) == ("until", True)
    async with api.owner() as conn:
        assert await conn.fetchval("select count(*) from headrace.job") == 0
    assert (await backfill(10)).status_code < 300


async def test_what_large_schedules_missed_is_made_up_in_pieces_while_others_fire(engine: Engine) -> None:
    acme = await engine.db.fetchval("insert into headrace.tenant (name) values ('acme') returning id")
    large = [await hourly(engine, f"large {n}", tenant_id=acme, catch_up="all", payload=PAYLOAD) for n in range(3)]
    other = await hourly(engine, "other", late=2 * SECOND)
    for trigger in large:
        await trigger.come_due(30)
    await other.come_due()

    rules = Rules()
    before = 0
    for turn in range(60):
        await fire_due(engine.db, rules, batch=2)
        text = await engine.db.fetchval("select coalesce(sum(length(payload::text)), 0) from headrace.job")
        assert text - before <= SHARE + 500_000
        if text == before:
            break
        before = text
        assert turn == 0 or await other.fired() == other.hours(-1)
    for trigger in large:
        assert await trigger.fired() == trigger.hours(*range(-30, 0))
        assert await trigger.reasons() == ["fired"] * 30
        found = await trigger.row()
        assert (found["fires"], found["next_run_at"]) == (30, trigger.next)


async def test_all_large_schedules_of_a_tenant_take_turns(engine: Engine) -> None:
    triggers: list[Hourly] = []
    for n in range(3):
        triggers.append(await hourly(engine, f"large {n}", catch_up="all", payload=PAYLOAD))
        await triggers[-1].come_due(30)
    rules = Rules()
    for _ in range(3):
        assert await fire_due(engine.db, rules) == 1
    counts = [len(await trigger.fired()) for trigger in triggers]
    assert min(counts) >= 10
