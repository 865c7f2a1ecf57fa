"""Triggers over HTTP: made, found, changed, turned on and off, deleted, refused."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest
from tests.api.conftest import Api

TRIGGERS = "/api/v1/jobs/triggers"
ON_FOLDER = {
    "name": "Resync on folder change",
    "trigger_type": "event",
    "event": "provider.folder.updated",
    "definition": "greet",
    "payload": {"name": "{{event.folder_path}}"},
    "dedupe_window_seconds": 120,
}
NIGHTLY = {
    "name": "Nightly sync",
    "trigger_type": "schedule",
    "cron": "0 2 * * *",
    "timezone": "America/New_York",
    "definition": "greet",
    "payload": {"name": "/"},
}


async def make(client: httpx.AsyncClient, **settings: Any) -> dict[str, Any]:
    """A schedule of `work`, unless told otherwise."""
    body = {"name": "hourly", "cron": "@hourly", "definition": "work", **settings}
    answer = await client.post(TRIGGERS, json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


async def audited(api: Api, target: str) -> list[tuple[str, str, str]]:
    """(who, verb, what) of each change, in order."""
    async with api.hr.database.pool.acquire() as conn:
        rows = await conn.fetch(
            "select who, action, detail ->> 'did' from headrace.audit where target = $1 order by id", target
        )
    return [(row[0], row[1], row[2]) for row in rows]


async def test_an_event_trigger_and_a_schedule_are_made_and_read_back(acme: httpx.AsyncClient) -> None:
    for body in (ON_FOLDER, NIGHTLY):
        answer = await acme.post(TRIGGERS, json=body)
        assert answer.status_code == 201, answer.text
        trigger = answer.json()
        assert trigger == trigger | body
        assert (trigger["tenant"], trigger["enabled"], trigger["fires"]) == ("acme", True, 0)
        assert trigger["created_by"] == "token tenant_admin of acme"
        assert (await acme.get(f"{TRIGGERS}/{trigger['id']}")).json() == trigger


async def test_every_other_setting_is_accepted(api: Api, acme: httpx.AsyncClient) -> None:
    settings = {
        "every_seconds": 60.0,
        "starts_at": "2030-01-01T00:00:00Z",
        "ends_at": "2031-01-01T00:00:00Z",
        "max_fires": 5,
        "queue": "slow",
        "priority": 7,
        "max_attempts": 2,
        "catch_up": "all",
        "catch_up_cap": 3,
        "misfire_grace_seconds": 5.0,
        "overlap": "queue_one",
        "jitter_seconds": 2.0,
        "dedupe_window_seconds": 30.0,
        "pause_on_failures": 4,
        "enabled": False,
    }
    await api.set_tenant("acme", queues=["slow"], most_urgent_priority=7)
    trigger = await make(acme, cron=None, **settings)
    assert trigger == trigger | settings
    init = await make(acme, name="once", cron=None, trigger_type="init", init_version="2")
    assert init["init_version"] == "2"


MANY_CALLS = f"not_null({','.join(['length(tenant)'] * 20)})"
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"cron": "0 2 * *"}, "cron"),
    ({"cron": "99 2 * * *"}, "cron"),
    ({"timezone": "Mars/Base"}, "timezone"),
    ({"payload": {"name": "{{event.a"}}, "payload"),
    ({"payload": {"surprise": 1}}, "payload"),
    ({"payload": [1]}, "payload"),
    ({"cron": None, "trigger_type": "event", "event": "a b"}, "event"),
    ({"cron": None, "trigger_type": "event", "event": "a", "condition": "event.a ||"}, "condition"),
    ({"cron": None, "trigger_type": "event", "event": "a", "condition": MANY_CALLS}, "condition"),
    ({"condition": "event.a"}, "condition"),
    ({"cron": None}, "cron"),
    ({"trigger_type": "never"}, "trigger_type"),
    ({"overlap": "never"}, "overlap"),
    ({"catch_up": "some"}, "catch_up"),
    ({"priority": 1001}, "priority"),
    ({"jitter_seconds": -1}, "jitter_seconds"),
    ({"queue": "a b"}, "queue"),
    ({"cron": None, "every_seconds": 0.001}, "every_seconds"),
    ({"starts_at": "2030-01-01T00:00:00"}, "starts_at"),
    ({"starts_at": "2030-01-01T00:00:00Z", "ends_at": "2029-01-01T00:00:00Z"}, "ends_at"),
    ({"starts_at": "0001-01-01T00:00:00+14:00"}, "starts_at"),
    ({"ends_at": "9999-12-31T23:59:59-14:00"}, "ends_at"),
    ({"name": ""}, "name"),
    ({"name": "x" * 201}, "name"),
    ({"crom": "* * * * *"}, "crom"),
    ({"tenant": "globex"}, "tenant"),
]


@pytest.mark.parametrize(("wrong", "field"), REFUSED)
async def test_what_will_not_do_is_refused_with_its_field(
    acme: httpx.AsyncClient, wrong: dict[str, Any], field: str
) -> None:
    answer = await acme.post(TRIGGERS, json={**NIGHTLY, "payload": {"name": "/"}, **wrong})
    assert answer.status_code == 422, answer.text
    assert field in [error["field"] for error in answer.json()["errors"]]
    assert (await acme.get(TRIGGERS)).json()["items"] == []


async def test_a_name_that_is_taken_and_a_definition_that_is_none(
    acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    await make(acme)
    again = await acme.post(TRIGGERS, json={"name": "hourly", "cron": "@daily", "definition": "work"})
    assert (again.status_code, again.json()["errors"][0]["field"]) == (409, "name")
    none = await acme.post(TRIGGERS, json={"name": "b", "cron": "@daily", "definition": "nothing"})
    assert (none.status_code, none.json()["errors"][0]["field"]) == (404, "definition")
    assert (await make(globex))["tenant"] == "globex"


async def test_a_list_goes_by_name_with_filters_and_a_cursor(acme: httpx.AsyncClient) -> None:
    for name in ("c", "a", "e", "b", "d"):
        await make(acme, name=name)
    await make(acme, name="off", enabled=False, definition="greet", payload={"name": "x"})
    await make(acme, name="on event", cron=None, event="order.paid")
    names = []
    cursor: str | None = None
    for _ in range(4):
        page = (await acme.get(TRIGGERS, params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
        names += [one["name"] for one in page["items"]]
        cursor = page["next_cursor"]
    assert names == ["a", "b", "c", "d", "e", "off", "on event"]
    assert cursor is None
    for filters, found in (
        ({"enabled": "false"}, ["off"]),
        ({"definition": "greet"}, ["off"]),
        ({"trigger_type": "event"}, ["on event"]),
        ({"event": "order.paid"}, ["on event"]),
        ({"event": "order"}, []),
    ):
        items = (await acme.get(TRIGGERS, params=filters)).json()["items"]
        assert [one["name"] for one in items] == found
    for wrong in ({"limit": 0}, {"enable": "true"}, {"trigger_type": "never"}):
        assert (await acme.get(TRIGGERS, params=wrong)).status_code == 422


async def test_a_change_holds_and_one_that_will_not_do_changes_nothing(acme: httpx.AsyncClient) -> None:
    trigger = await make(acme)
    place = f"{TRIGGERS}/{trigger['id']}"
    changed = await acme.patch(place, json={"cron": None, "every_seconds": 60, "enabled": False})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["every_seconds"], changed.json()["cron"]) == (60, None)
    assert changed.json()["enabled"] is False
    refused = await acme.patch(place, json={"every_seconds": 0, "enabled": True})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "every_seconds")
    assert (await acme.get(place)).json() == changed.json()
    for body in ({"name": "other"}, {"definition": "greet"}, {"id": str(uuid4())}):
        assert (await acme.patch(place, json=body)).status_code == 422


async def test_it_is_turned_off_with_a_note_and_on_again(acme: httpx.AsyncClient) -> None:
    place = f"{TRIGGERS}/{(await make(acme))['id']}"
    off = (await acme.post(f"{place}/disable", json={"note": "holidays"})).json()
    assert (off["enabled"], off["pause_note"], off["next_run_at"]) == (False, "holidays", None)
    assert (await acme.post(f"{place}/disable")).json()["pause_note"] == "holidays"
    on = (await acme.post(f"{place}/enable")).json()
    assert (on["enabled"], on["pause_note"]) == (True, None)


async def test_a_deleted_one_is_gone_and_its_fires_stay(acme: httpx.AsyncClient) -> None:
    place = f"{TRIGGERS}/{(await make(acme))['id']}"
    await acme.post(f"{place}/fire")
    assert (await acme.delete(place)).status_code == 204
    assert (await acme.get(place)).status_code == 404
    assert (await acme.delete(place)).status_code == 404
    assert len((await acme.get(f"{place}/fires")).json()["items"]) == 1


async def test_what_code_declares_can_be_reset_but_not_deleted(admin: httpx.AsyncClient, api: Api) -> None:
    @api.hr.job("report", cron="0 3 * * *")
    async def report() -> None:
        """Reports."""

    await api.hr.sync_definitions(complete=False)
    (declared,) = (await admin.get(TRIGGERS, params={"definition": "report"})).json()["items"]
    place = f"{TRIGGERS}/{declared['id']}"
    changed = (await admin.patch(place, json={"cron": "0 4 * * *"})).json()
    assert changed["overrides"] == {"cron": {"declared": "0 3 * * *", "current": "0 4 * * *"}}
    assert (await admin.post(f"{place}/reset")).json()["overrides"] == {}
    assert (await admin.delete(place)).status_code == 409
    by_hand = await make(admin)
    assert (await admin.post(f"{TRIGGERS}/{by_hand['id']}/reset")).status_code == 409


async def test_every_change_is_audited_and_what_was_refused_is_not(api: Api, acme: httpx.AsyncClient) -> None:
    trigger = await make(acme)
    place = f"{TRIGGERS}/{trigger['id']}"
    await acme.patch(place, json={"priority": 500})
    await acme.patch(place, json={"timezone": "Mars/Base"})
    for verb in ("disable", "enable", "fire", "skip-next"):
        assert (await acme.post(f"{place}/{verb}")).status_code == 200, verb
    await acme.post(f"{place}/backfill", json={"from": "2030-01-01T00:00:00Z", "until": "2030-01-01T02:00:00Z"})
    await acme.delete(place)
    who = "token tenant_admin of acme"
    assert await audited(api, trigger["id"]) == [
        (who, "triggers.change", "create"),
        (who, "triggers.change", "update"),
        (who, "triggers.change", "disable"),
        (who, "triggers.change", "enable"),
        (who, "triggers.fire", "fire"),
        (who, "triggers.fire", "skip_next"),
        (who, "triggers.fire", "backfill"),
        (who, "triggers.change", "delete"),
    ]


ROUTES = (
    ("GET", "", None),
    ("PATCH", "", {"priority": 1}),
    ("DELETE", "", None),
    ("POST", "/enable", None),
    ("POST", "/disable", None),
    ("POST", "/reset", None),
    ("POST", "/fire", None),
    ("POST", "/skip-next", None),
    ("POST", "/backfill", {"from": "2030-01-01T00:00:00Z", "until": "2030-01-01T02:00:00Z"}),
    ("GET", "/preview", None),
    ("GET", "/fires", None),
    ("GET", "/deliveries", None),
)


async def test_another_tenants_trigger_is_as_if_it_were_not_there(
    acme: httpx.AsyncClient, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    trigger = await make(acme)
    assert (await globex.get(TRIGGERS)).json()["items"] == []
    for method, rest, body in ROUTES:
        foreign = await globex.request(method, f"{TRIGGERS}/{trigger['id']}{rest}", json=body)
        nobodys = uuid4()
        absent = await globex.request(method, f"{TRIGGERS}/{nobodys}{rest}", json=body)
        assert foreign.status_code == absent.status_code == 404, (method, rest, foreign.text)
        assert foreign.text.replace(trigger["id"], str(nobodys)) == absent.text
    assert (await acme.get(f"{TRIGGERS}/{trigger['id']}")).json() == trigger
    assert [one["name"] for one in (await admin.get(TRIGGERS)).json()["items"]] == ["hourly"]
    as_globex = {"X-Headrace-Tenant": "globex"}
    assert (await admin.get(f"{TRIGGERS}/{trigger['id']}", headers=as_globex)).status_code == 404


async def test_a_viewer_looks_and_changes_nothing(api: Api, acme: httpx.AsyncClient) -> None:
    trigger = await make(acme)
    async with await api.caller("tenant_viewer", "acme") as viewer, await api.caller("worker") as worker:
        for method, rest, body in ROUTES:
            answer = await viewer.request(method, f"{TRIGGERS}/{trigger['id']}{rest}", json=body)
            assert answer.status_code == (200 if method == "GET" else 403), (method, rest)
            assert (await worker.request(method, f"{TRIGGERS}/{trigger['id']}{rest}", json=body)).status_code == 403
        assert (await viewer.post(TRIGGERS, json=NIGHTLY)).status_code == 403
    async with api.with_token(None) as nobody:
        assert (await nobody.get(TRIGGERS)).status_code == 401
