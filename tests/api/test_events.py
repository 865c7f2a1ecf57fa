"""Events over HTTP."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.triggers.test_runs import dispatch, pages
from tests.api.triggers.test_triggers import make

from headrace.service.events.service import SQL

EVENTS = "/api/v1/events"


async def emit(client: httpx.AsyncClient, name: str = "order.paid", **more: Any) -> str:
    answer = await client.post(EVENTS, json={"name": name, **more})
    assert answer.status_code == 201, answer.text
    assert set(answer.json()) == {"id"}
    return str(answer.json()["id"])


async def test_an_event_is_published_and_seen_with_what_came_of_it(api: Api, acme: httpx.AsyncClient) -> None:
    trigger = await make(acme, cron=None, event="order.*", definition="greet", payload={"name": "{{event.who}}"})
    event_id = await emit(acme, data={"who": "Ann"}, correlation_id="c-1")
    before = (await acme.get(f"{EVENTS}/{event_id}")).json()
    assert (before["tenant"], before["data"], before["deliveries"]) == ("acme", {"who": "Ann"}, [])
    await dispatch(api)
    event = (await acme.get(f"{EVENTS}/{event_id}")).json()
    (delivery,) = event["deliveries"]
    assert (delivery["trigger_id"], delivery["trigger"], delivery["outcome"]) == (trigger["id"], "hourly", "fired")
    job = (await acme.get(f"/api/v1/jobs/{delivery['job_id']}")).json()
    assert (job["payload"], job["correlation_id"], job["source_ref"]) == ({"name": "Ann"}, "c-1", event_id)
    assert (await acme.get(EVENTS)).json()["items"] == [event]


async def test_a_trigger_of_events_knows_its_jobs_and_each_job_its_trigger_and_its_event(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    trigger = await make(acme, cron=None, event="order.*")
    other = await make(acme, cron=None, event="order.paid", name="other")
    events = [await emit(acme, name) for name in ("order.paid", "order.new", "order.new")]
    await dispatch(api)
    for made, n in ((trigger, 3), (other, 1)):
        shown = (await acme.get(f"/api/v1/jobs/triggers/{made['id']}")).json()
        assert (shown["fires"], shown["runs"]) == (n, n)
        jobs = (await acme.get("/api/v1/jobs", params={"trigger": made["id"]})).json()["items"]
        assert sorted((job["trigger_id"], job["event_id"], job["source_ref"]) for job in jobs) == [
            (made["id"], event_id, event_id) for event_id in sorted(events[:n])
        ]
        queued = {"trigger": made["id"], "status": "queued"}
        assert len((await acme.get("/api/v1/jobs", params=queued)).json()["items"]) == n
    for event_id, n in zip(events, (2, 1, 1), strict=True):
        jobs = (await acme.get("/api/v1/jobs", params={"event": event_id})).json()["items"]
        assert [job["event_id"] for job in jobs] == [event_id] * n
    one = {"event": events[0], "trigger": other["id"], "status": "queued"}
    assert len((await acme.get("/api/v1/jobs", params=one)).json()["items"]) == 1
    bulk = {"action": "cancel", "filter": {**one, "status": ["queued"]}, "dry_run": True}
    counted = await acme.post("/api/v1/jobs/bulk", json=bulk)
    assert counted.json()["matching"] == 1
    assert (await globex.get("/api/v1/jobs", params={"trigger": trigger["id"]})).json()["items"] == []


async def test_a_repeated_request_with_its_key_is_the_same_event(
    acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    header = {"Idempotency-Key": "order 7"}
    body = {"name": "order.paid", "data": {"n": 7}}
    first = await acme.post(EVENTS, json=body, headers=header)
    again = await acme.post(EVENTS, json=body, headers=header)
    assert (first.status_code, again.status_code, again.json()) == (201, 200, first.json())
    in_body = await acme.post(EVENTS, json={**body, "idempotency_key": "order 7"})
    assert (in_body.status_code, in_body.json()) == (200, first.json())
    other = await acme.post(EVENTS, json={**body, "data": {"n": 8}}, headers=header)
    assert (other.status_code, other.json()["detail"]) == (
        409,
        'idempotency key "order 7" was used before with another event name or data. Use a new key for a new request.',
    )
    assert (await acme.post(EVENTS, json=body, headers={"Idempotency-Key": "k" * 501})).status_code == 422
    assert (await globex.post(EVENTS, json=body, headers=header)).status_code == 201
    assert [event["id"] for event in (await acme.get(EVENTS)).json()["items"]] == [first.json()["id"]]


async def test_events_come_newest_first_in_pages_and_by_name(acme: httpx.AsyncClient) -> None:
    ids = [await emit(acme, f"order.{n % 2}") for n in range(7)]
    assert sorted(event["id"] for event in await pages(acme, EVENTS, 3)) == sorted(ids)
    assert len((await acme.get(EVENTS, params={"name": "order.1"})).json()["items"]) == 3
    for wrong in ({"limit": 0}, {"nam": "a"}):
        assert (await acme.get(EVENTS, params=wrong)).status_code == 422


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "a b"}, "name"),
        ({"name": "a.*"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "a" * 201}, "name"),
        ({"name": "a", "data": [1]}, "data"),
        ({"name": "a", "data": {"text": "a\0b"}}, "data"),
        ({"name": "a", "tenant": "globex"}, "tenant"),
        ({}, "name"),
    ],
)
async def test_what_is_no_event_is_refused_with_its_field(
    acme: httpx.AsyncClient, body: dict[str, Any], field: str
) -> None:
    refused = await acme.post(EVENTS, json=body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field), refused.text
    assert (await acme.get(EVENTS)).json()["items"] == []


async def test_data_that_is_too_large_is_refused(acme: httpx.AsyncClient) -> None:
    for noise, status in ((str(uuid4()) * 40_000, 422), ("".join(map(chr, range(0x4E00, 0x9FFF))) * 20, 413)):
        refused = await acme.post(EVENTS, json={"name": "large", "data": {"noise": noise}})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (status, "data")


async def test_another_tenants_events_are_not_there_and_reach_no_trigger(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    await make(globex, cron=None, event="*")
    event_id = await emit(acme)
    await dispatch(api)
    assert (await acme.get(f"{EVENTS}/{event_id}")).json()["deliveries"] == []
    nobodys = str(uuid4())
    foreign, absent = await globex.get(f"{EVENTS}/{event_id}"), await globex.get(f"{EVENTS}/{nobodys}")
    assert foreign.status_code == absent.status_code == 404
    assert foreign.text.replace(event_id, nobodys) == absent.text
    assert (await globex.get(EVENTS)).json()["items"] == []
    assert [event["id"] for event in (await admin.get(EVENTS)).json()["items"]] == [event_id]


async def test_who_may_emit_and_what_is_written_down(api: Api, acme: httpx.AsyncClient) -> None:
    event_id = await emit(acme)
    async with api.hr.database.pool.acquire() as conn:
        row = await conn.fetchrow("select who, action, detail from headrace.audit where target = $1", event_id)
    assert row is not None
    assert (row["who"], row["action"]) == ("token tenant_admin of acme", "events.emit")
    async with await api.caller("tenant_viewer", "acme") as viewer, await api.caller("worker") as worker:
        assert (await viewer.get(f"{EVENTS}/{event_id}")).status_code == 200
        assert (await viewer.post(EVENTS, json={"name": "a"})).status_code == 403
        assert (await worker.get(EVENTS)).status_code == 403


async def test_a_tenants_events_are_found_without_a_look_at_those_of_others(api: Api) -> None:
    async with api.owner() as conn, conn.transaction():
        await conn.execute(
            "insert into headrace.event (id, tenant_id, name, data)"
            " select headrace._first_id(now() - n * interval '1 second'), tenant.id, 'a.b', '{}'"
            "   from generate_series(1, 20000) as n"
            "   join headrace.tenant on tenant.name = case n % 5000 when 7 then 'acme' else 'globex' end"
        )
        await conn.execute("analyze headrace.event")
        tenant_id = await conn.fetchval("select id from headrace.tenant where name = 'acme'")
        await conn.execute(f"set local role headrace_tenant; set local headrace.tenant_id = '{tenant_id}'")
        plan = await conn.fetch(f"explain analyze {SQL['read_events']}", tenant_id, None, None, None, 50)
    text = "\n".join(row[0] for row in plan)
    of_events = re.search(r"Index Scan using event_tenant on event .*?(?=->|\Z)", text, re.DOTALL)
    assert of_events is not None, text
    assert "Rows Removed" not in of_events[0], text
