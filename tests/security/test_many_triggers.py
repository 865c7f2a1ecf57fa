"""A tenant with more triggers, or larger ones, than processes that serve all tenants can hold and look through."""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import httpx
import pytest
from tests.api.conftest import Api
from tests.api.test_events import EVENTS, emit
from tests.api.triggers.test_triggers import TRIGGERS, make
from tests.engine import Engine
from tests.triggers.triggering import add

import headrace.triggers.rules
from headrace.model.secret.encryption import NO_KEY
from headrace.service.jobs.secrets import read_secrets, read_secrets_within
from headrace.triggers.rules import Rules

LARGE = "x" * 900_000
LISTENER = {"cron": None, "event": "x", "definition": "greet"}
COPIES = (
    "insert into headrace.trigger"
    " select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'name', 'copy ' || n))).*"
    " from headrace.trigger as t, generate_series(1, $2) as n where t.id = $1::text::uuid"
)


@pytest.mark.parametrize(("payload", "copies"), [({"name": "Ann"}, 9_999), ({"name": LARGE}, 54)])
async def test_a_tenant_has_only_so_many_triggers_and_so_much_in_them(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, payload: dict[str, Any], copies: int
) -> None:
    made = await make(acme, definition="greet", payload=payload)
    await api.execute(COPIES, made["id"], copies)
    body = {"name": "one too many", "cron": "@daily", "definition": "greet", "payload": payload}
    refused = await acme.post(TRIGGERS, json=body)
    assert (refused.status_code, "the most of one tenant" in refused.json()["detail"]) == (409, True), refused.text
    schedule = "select headrace.schedule($1, 'greet', '@daily', payload => $2, tenant => $3)"
    async with api.owner() as conn:
        with pytest.raises(asyncpg.PostgresError, match="the most of one tenant"):
            await conn.fetchval(schedule, "one too many", json.dumps(payload), "acme")
        assert await conn.fetchval("select count(*) from headrace.trigger where name = 'one too many'") == 0
    assert (await globex.post(TRIGGERS, json=body)).status_code == 201


async def test_a_change_makes_no_payload_too_large(api: Api, acme: httpx.AsyncClient) -> None:
    large = await make(acme, definition="greet", payload={"name": LARGE})
    await api.execute(COPIES, large["id"], 54)
    small = await make(acme, name="small", definition="greet", payload={"name": "Ann"})
    refused = await acme.patch(f"{TRIGGERS}/{small['id']}", json={"payload": {"name": LARGE}})
    assert refused.status_code == 409, refused.text
    assert (await acme.patch(f"{TRIGGERS}/{small['id']}", json={"cron": "@daily"})).status_code == 200


async def test_an_event_with_too_many_large_triggers_to_read_is_masked_as_a_whole(
    api: Api, acme: httpx.AsyncClient
) -> None:
    await make(acme, **LISTENER, payload={"name": "{{event.name}}", "password": "{{event.k}}"})
    event_id = await emit(acme, "x", data={"k": "opensesame", "name": "Ann"})
    assert (await acme.get(f"{EVENTS}/{event_id}")).json()["data"] == {"k": "***", "name": "Ann"}
    large = await make(acme, **LISTENER, name="large", payload={"name": LARGE, "password": "{{event.k}}"})
    await api.execute(COPIES, large["id"], 19)
    other_id = await emit(acme, "y", data={"name": "Bob"})
    data = {event["id"]: event["data"] for event in (await acme.get(EVENTS)).json()["items"]}
    assert data == {event_id: {"k": "***", "name": "***"}, other_id: {"name": "Bob"}}


async def test_events_that_it_costs_too_much_to_look_through_are_masked(api: Api, acme: httpx.AsyncClient) -> None:
    listener = await make(acme, **LISTENER, payload={"password": "{{event.k}}"})
    await api.execute(COPIES, listener["id"], 999)
    for n in range(60):
        await emit(acme, "x", data={"k": "opensesame", "n": n})
    shown = [event["data"]["n"] for event in (await acme.get(EVENTS, params={"limit": 100})).json()["items"]]
    most = shown.index("***")
    assert 10 < most < 60
    assert shown == [*range(59, 59 - most, -1), *["***"] * (60 - most)]


async def test_an_event_shows_only_so_many_deliveries_and_says_that_there_are_more(
    api: Api, acme: httpx.AsyncClient
) -> None:
    events = [await emit(acme, "x", data={"n": n}) for n in range(8)][::-1]
    trigger = await make(acme, payload={})
    await api.execute(COPIES, trigger["id"], 1000)
    for event_id in events:
        await api.execute(
            "insert into headrace.delivery (event_id, trigger_id, outcome, reason)"
            " select $1::text::uuid, id, 'skipped', 'condition' from headrace.trigger limit $2",
            event_id,
            1001 if event_id == events[0] else 1000,
        )
    page = (await acme.get(EVENTS)).json()
    assert [event["id"] for event in page["items"]] == events[:4]
    assert [len(event["deliveries"]) for event in page["items"]] == [1000] * 4
    assert [event["more_deliveries"] for event in page["items"]] == [True, False, False, False]
    assert [event["data"] for event in page["items"]] == [{"n": "***"}, {"n": 6}, {"n": 5}, {"n": 4}]
    rest = (await acme.get(EVENTS, params={"cursor": page["next_cursor"]})).json()
    assert [event["id"] for event in rest["items"]] == events[4:]


async def test_payloads_of_jobs_are_looked_through_for_secrets_up_to_a_bound(engine: Engine) -> None:
    ids = [await engine.enqueue(payload=json.dumps({"password": f"secret {n}"})) for n in range(25)]
    some = await read_secrets_within(engine.db, NO_KEY, ids, most=1)
    assert some == {job_id: [f"secret {n}"] if n < 20 else None for n, job_id in enumerate(ids)}
    assert await read_secrets(engine.db, NO_KEY, ids) == {job_id: [f"secret {n}"] for n, job_id in enumerate(ids)}


async def test_rules_are_forgotten_when_their_payloads_are_many_megabytes(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headrace.triggers.rules, "MOST_TEXT_KEPT", 1_000_000)
    rules = Rules()
    known = []
    for n in range(4):
        await add(engine, f"t{n}", every_seconds=3600.0, payload={"text": "x" * 400_000})
        rows = await engine.db.fetch("select id, version from headrace.trigger order by name")
        await rules.load(engine.db, rows[-1:])
        known.append(len(rules.known(rows)))
    assert known == [1, 2, 3, 1]
