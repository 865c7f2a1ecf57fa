"""Triggers over HTTP: fired by hand, skipped, backfilled; fires, deliveries, previews and trials."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import httpx
from tests.api.conftest import Api
from tests.api.triggers.test_triggers import TRIGGERS, make

from headrace.triggers.dispatch import dispatch_events
from headrace.triggers.rules import Rules

RANGE = {"from": "2030-01-01T00:00:00Z", "until": "2030-01-01T04:00:00Z"}


async def dispatch(api: Api) -> None:
    """What a scheduler does."""
    async with api.hr.database.pool.acquire() as conn:
        await dispatch_events(conn, Rules())


async def pages(client: httpx.AsyncClient, address: str, limit: int) -> list[dict[str, Any]]:
    """All items, page by page."""
    items: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        page = (await client.get(address, params={"limit": limit} | ({"cursor": cursor} if cursor else {}))).json()
        assert len(page["items"]) <= limit
        items += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return items


async def test_it_runs_now_and_the_job_says_who_asked(acme: httpx.AsyncClient) -> None:
    trigger = await make(acme, definition="greet", payload={"name": "{{tenant}}"})
    ran = (await acme.post(f"{TRIGGERS}/{trigger['id']}/fire")).json()
    assert (ran["fired"], ran["reason"]) == (True, None)
    job = (await acme.get(f"/api/v1/jobs/{ran['job_id']}")).json()
    assert (job["payload"], job["source"], job["source_ref"]) == ({"name": "acme"}, "manual", trigger["id"])
    assert (job["tenant"], job["created_by"]) == ("acme", "token tenant_admin of acme")
    again = await acme.post(f"{TRIGGERS}/{trigger['id']}/fire", json={"overlap": "skip"})
    assert again.json() == {"fired": False, "job_id": ran["job_id"], "reason": "overlap"}
    assert (await acme.post(f"{TRIGGERS}/{trigger['id']}/fire", json={"overlap": "maybe"})).status_code == 422


async def test_an_event_trigger_is_not_run_by_hand(acme: httpx.AsyncClient) -> None:
    trigger = await make(acme, cron=None, event="order.paid")
    for verb in ("fire", "skip-next"):
        assert (await acme.post(f"{TRIGGERS}/{trigger['id']}/{verb}")).status_code == 409
    assert (await acme.post(f"{TRIGGERS}/{trigger['id']}/backfill", json=RANGE)).status_code == 409
    assert (await acme.get(f"{TRIGGERS}/{trigger['id']}/preview")).status_code == 409


async def test_the_next_due_time_is_skipped(acme: httpx.AsyncClient) -> None:
    place = f"{TRIGGERS}/{(await make(acme))['id']}"
    due = [time["due_at"] for time in (await acme.get(f"{place}/preview", params={"count": 2})).json()["times"]]
    assert (await acme.post(f"{place}/skip-next")).json() == {"skipped": due[0]}
    assert (await acme.get(place)).json()["next_run_at"] == due[1]
    (line,) = (await acme.get(f"{place}/fires")).json()["items"]
    assert (line["due_at"], line["outcome"], line["reason"]) == (due[0], "skipped", "skip_next")


async def test_a_backfill_makes_a_job_for_each_due_time(acme: httpx.AsyncClient) -> None:
    place = f"{TRIGGERS}/{(await make(acme))['id']}"
    made = (await acme.post(f"{place}/backfill", json=RANGE)).json()
    assert (len(made["job_ids"]), made["skipped"]) == (5, 0)
    first = (await acme.get(f"/api/v1/jobs/{made['job_ids'][0]}")).json()
    assert (first["scheduled_for"], first["source"]) == (RANGE["from"], "backfill")
    for wrong, field in (
        ({**RANGE, "cap": 4}, "until"),
        ({**RANGE, "cap": 0}, "cap"),
        ({"from": RANGE["until"], "until": RANGE["from"]}, "until"),
        ({**RANGE, "from": "2030-01-01T00:00:00"}, "from"),
        ({**RANGE, "from": "0001-01-01T00:00:00Z"}, "from"),
        ({**RANGE, "until": "9999-12-31T23:59:59-14:00"}, "until"),
        ({**RANGE, "overlap": "maybe"}, "overlap"),
        ({"until": RANGE["until"]}, "from"),
    ):
        refused = await acme.post(f"{place}/backfill", json=wrong)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field), refused.text


async def test_fires_come_in_pages_with_each_one_once(acme: httpx.AsyncClient) -> None:
    place = f"{TRIGGERS}/{(await make(acme))['id']}"
    for _ in range(2):  # the same due times under two occasions
        await acme.post(f"{place}/backfill", json=RANGE)
    whole = (await acme.get(f"{place}/fires")).json()
    assert (len(whole["items"]), whole["next_cursor"]) == (10, None)
    assert [line["due_at"] for line in whole["items"]] == sorted(
        (line["due_at"] for line in whole["items"]), reverse=True
    )
    for limit in (1, 3, 9, 10):
        assert await pages(acme, f"{place}/fires", limit) == whole["items"]


async def test_deliveries_come_in_pages_newest_first(api: Api, acme: httpx.AsyncClient) -> None:
    trigger = await make(acme, cron=None, event="order.*", definition="greet", payload={"name": "{{event.who}}"})
    for n in range(5):
        await acme.post("/api/v1/events", json={"name": "order.paid", "data": {"who": str(n)} if n else {}})
    await dispatch(api)
    place = f"{TRIGGERS}/{trigger['id']}/deliveries"
    items = (await acme.get(place)).json()["items"]
    assert [line["outcome"] for line in items] == ["fired"] * 4 + ["skipped"]
    assert items[4]["reason"] == "template_error"
    assert {line["event"] for line in items} == {"order.paid"}
    found = await pages(acme, place, 2)
    assert sorted(line["event_id"] for line in found) == sorted(line["event_id"] for line in items)


async def test_a_schedule_is_previewed_before_it_exists(acme: httpx.AsyncClient) -> None:
    address = f"{TRIGGERS}/preview"
    asked: dict[str, Any] = {"cron": "30 2 * * *", "timezone": "Europe/Zurich", "count": 400}
    answer = (await acme.get(address, params=asked)).json()
    assert answer["words"] == "At 02:30"
    assert len(answer["times"]) == 400
    assert any(time["note"] and "clocks go forward" in time["note"] for time in answer["times"])
    every = (await acme.get(address, params={"every_seconds": 90, "count": 2})).json()
    assert len(every["times"]) == 2
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"cron": "0 2 * *"}, "cron"),
        ({"cron": "@daily", "timezone": "Mars/Base"}, "timezone"),
        ({"every_seconds": 0}, "every_seconds"),
        ({"cron": "@daily", "count": 1001}, "count"),
        ({"cron": "@daily", "every_seconds": 5}, "cron"),
        ({}, "cron"),
        ({"crom": "@daily"}, "crom"),
        ({"cron": "@daily", "starts_at": "9999-12-31T23:59:59Z"}, "starts_at"),
    ]
    for wrong, field in refusals:
        refused = await acme.get(address, params=wrong)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field), refused.text


async def test_a_template_is_tried_with_a_sample_event(acme: httpx.AsyncClient) -> None:
    address = f"{TRIGGERS}/test-render"
    template = {"name": "{{event.path}}", "times": "{{event.n}}"}
    good = await acme.post(
        address,
        json={
            "payload": template,
            "data": {"path": "/a", "n": 2},
            "condition": "event.n > `1`",
            "definition": "greet",
        },
    )
    assert good.json() == {"payload": {"name": "/a", "times": 2}, "error": None, "condition_holds": True}
    for body, words in (
        ({"payload": template, "data": {"path": "/a"}}, "found nothing"),
        ({"payload": {"name": "{{event.path"}}, "never closed"),
        ({"payload": {}, "condition": "event.a ||"}, "not JMESPath"),
        ({"payload": {"name": 5}, "definition": "greet"}, "name"),
    ):
        tried = (await acme.post(address, json=body)).json()
        assert tried["payload"] is None
        assert words in tried["error"]
    # As if a trigger were given the event: what an event cannot hold is refused, and the work is counted.
    large = await acme.post(address, json={"payload": {}, "data": {"x": "y" * 1_000_000}})
    assert (large.status_code, large.json()["errors"][0]["field"]) == (422, "data")
    many = {"payload": {}, "data": {"x": [0] * 120_000}, "condition": "contains(event.x, 'a')"}
    assert "the budget of" in (await acme.post(address, json=many)).json()["error"]
    unknown = await acme.post(address, json={"payload": {}, "definition": "nothing"})
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (404, "definition")
    assert (await acme.post(address, json={"payload": {}, "tenant": "globex"})).status_code == 422


async def test_a_super_admin_makes_triggers_for_the_tenant_they_chose(admin: httpx.AsyncClient) -> None:
    chosen = await admin.post(
        TRIGGERS,
        json={"name": "a", "cron": "@daily", "definition": "work"},
        headers={"X-Headrace-Tenant": "acme"},
    )
    assert chosen.json()["tenant"] == "acme"
    assert (await make(admin))["tenant"] == "default"
    assert UUID(chosen.json()["id"])
