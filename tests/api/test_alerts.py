"""Alerts over HTTP: rules, targets, what is wrong, and what was sent."""

from __future__ import annotations

import base64
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api

from headrace.alerts.delivery_job import DELIVER
from headrace.alerts.evaluate import evaluate_alerts
from headrace.rollups.fold import fold_deltas

RULES, TARGETS = "/api/v1/alerts/rules", "/api/v1/alerts/targets"
MAIL = {"name": "people", "kind": "email", "address": "ann@example.com"}
KEY = base64.b64encode(b"k" * 32).decode()


@pytest.fixture
async def sends(api: Api) -> None:
    """The job that sends notices is known."""
    await api.execute(
        "insert into headrace.definition (key, kind, app, hash, queue, system) values ($1, 'python', 'headrace', '-',"
        " 'headrace', true)",
        DELIVER,
    )


@pytest.fixture
def with_key(api: Api) -> None:
    """Secrets can be kept."""
    api.hr._settings = api.hr.settings.model_copy(update={"secret_key": KEY})


async def make(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def look(api: Api) -> None:
    async with api.hr.database.pool.acquire() as conn:
        await fold_deltas(conn)
        assert await evaluate_alerts(conn) is not None


async def let_die(api: Api, client: httpx.AsyncClient) -> str:
    """A job of the client's tenant that died."""
    job_id: str = (await client.post("/api/v1/jobs", json={"definition": "work"})).json()["id"]
    await api.end(job_id, "dead_letter")
    await api.execute(
        "insert into headrace.rollup (minute, tenant_id, definition_id, dead_letter)"
        " select date_trunc('minute', now()), tenant_id, definition_id, 1 from headrace.job where id = $1::text::uuid"
        " on conflict (minute, tenant_id, definition_id) do update set dead_letter = rollup.dead_letter + 1",
        job_id,
    )
    return job_id


async def test_a_rule_is_made_changed_turned_off_and_on_and_deleted(acme: httpx.AsyncClient) -> None:
    people = await make(acme, TARGETS, MAIL)
    rule = await make(
        acme, RULES, {"name": "rows", "kind": "failures_in_a_row", "parameters": {"n": 5}, "targets": [people["id"]]}
    )
    assert rule["tenant"] == "acme"
    assert rule["parameters"] == {"definition": None, "n": 5}
    path = f"{RULES}/{rule['id']}"
    answer = await acme.patch(path, json={"parameters": {"definition": "work"}, "quiet_from": "22:00"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "quiet_until", answer.text
    changed = (
        await acme.patch(
            path, json={"parameters": {"definition": "work"}, "quiet_from": "22:00", "quiet_until": "07:00"}
        )
    ).json()
    assert changed["parameters"] == {"definition": "work", "n": 5}
    assert (changed["quiet_from"], changed["quiet_until"], changed["targets"]) == ("22:00", "07:00", [people["id"]])
    assert (await acme.post(f"{path}/disable")).json()["enabled"] is False
    assert (await acme.post(f"{path}/enable")).json()["enabled"] is True
    assert [one["id"] for one in (await acme.get(RULES)).json()["items"]] == [rule["id"]]
    assert (await acme.delete(path)).status_code == 204
    assert (await acme.get(path)).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "r", "kind": "fire"}, "kind"),
        ({"name": "", "kind": "job_died"}, "name"),
        ({"name": "r", "kind": "job_died", "parameters": {"n": 3}}, "parameters"),
        ({"name": "r", "kind": "job_died", "parameters": {"within_seconds": 0}}, "parameters"),
        ({"name": "r", "kind": "job_died", "targets": ["00000000-0000-4000-8000-000000000000"]}, "targets"),
        ({"name": "r", "kind": "job_died", "repeat_seconds": 0}, "repeat_seconds"),
        ({"name": "r", "kind": "job_died", "timezone": "Mars"}, "timezone"),
        ({"name": "r", "kind": "job_died", "tenant": "globex"}, "tenant"),
    ],
)
async def test_what_is_wrong_with_a_rule_is_said_by_field(
    acme: httpx.AsyncClient, body: dict[str, Any], field: str
) -> None:
    answer = await acme.post(RULES, json=body)
    assert answer.status_code == 422, answer.text
    assert field in answer.text


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/x",
        "http://[::1]/",
        "http://0.0.0.0/",
        "http://2130706433/",
        "http://169.254.169.254/latest/meta-data",
        "http://localhost:8720/",
        "ftp://example.com/",
        "http://ann:secret@example.com/",
    ],
)
@pytest.mark.usefixtures("with_key")
async def test_a_webhook_that_leads_inside_is_refused_when_it_is_made_and_when_it_is_changed(
    acme: httpx.AsyncClient, address: str
) -> None:
    body = {"name": "hook", "kind": "webhook", "address": address}
    refused = await acme.post(TARGETS, json=body)
    assert refused.status_code == 422, refused.text
    assert "secret" not in refused.json()["detail"]
    made = await make(acme, TARGETS, {**body, "address": "https://example.com/hook"})
    changed = await acme.patch(f"{TARGETS}/{made['id']}", json={"address": address})
    assert changed.status_code == 422, changed.text


@pytest.mark.usefixtures("with_key")
async def test_the_key_of_a_webhook_is_shown_once_and_kept_encrypted(api: Api, acme: httpx.AsyncClient) -> None:
    made = await make(acme, TARGETS, {"name": "hook", "kind": "webhook", "address": "https://example.com/a/s3cret"})
    assert made["key"].startswith("whsec_")
    assert (made["signed"], made["address"]) == (True, "https://example.com/a/***")
    for answer in (await acme.get(TARGETS), await acme.get(f"{TARGETS}/{made['id']}")):
        assert made["key"] not in answer.text
        assert "s3cret" not in answer.text
    async with api.hr.database.pool.acquire() as conn:
        stored = await conn.fetchval("select row_to_json(t)::text from headrace.alert_target as t")
        audit = await conn.fetchval("select string_agg(detail::text, ' ') from headrace.audit")
    assert made["key"] not in stored
    assert made["key"] not in audit
    assert "s3cret" not in audit
    again = (await acme.patch(f"{TARGETS}/{made['id']}", json={"signing": "new"})).json()
    assert again["key"] != made["key"]
    off = (await acme.patch(f"{TARGETS}/{made['id']}", json={"signing": "off"})).json()
    assert (off["signed"], off["key"]) == (False, None)


async def test_without_a_secret_key_a_webhook_cannot_be_signed_and_the_sentence_says_so(
    acme: httpx.AsyncClient,
) -> None:
    body = {"name": "hook", "kind": "webhook", "address": "https://example.com/"}
    refused = await acme.post(TARGETS, json=body)
    assert refused.status_code == 409, refused.text
    assert "HEADRACE_SECRET_KEY" in refused.json()["detail"]
    assert (await make(acme, TARGETS, {**body, "sign": False}))["signed"] is False


async def test_a_name_is_taken_within_its_tenant_alone(
    admin: httpx.AsyncClient, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    for client in (admin, acme, globex):
        await make(client, TARGETS, MAIL)
        await make(client, RULES, {"name": "died", "kind": "job_died"})
        assert (await client.post(TARGETS, json=MAIL)).status_code == 409
        assert (await client.post(RULES, json={"name": "died", "kind": "job_died"})).status_code == 409


async def test_a_rule_tells_targets_of_its_own_tenant_alone(
    admin: httpx.AsyncClient, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    theirs, servers = await make(globex, TARGETS, MAIL), await make(admin, TARGETS, MAIL)
    for target in (theirs, servers):
        answer = await acme.post(RULES, json={"name": "died", "kind": "job_died", "targets": [target["id"]]})
        assert answer.status_code == 422, answer.text
    mixed = await admin.post(RULES, json={"name": "died", "kind": "job_died", "targets": [theirs["id"]]})
    assert mixed.status_code == 422


@pytest.mark.usefixtures("sends")
async def test_the_servers_own_rules_and_alerts_are_for_super_admins_alone(
    api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient
) -> None:
    rule = await make(admin, RULES, {"name": "all", "kind": "job_died"})
    assert rule["tenant"] is None
    await let_die(api, acme)
    await look(api)
    (alert,) = (await admin.get("/api/v1/alerts")).json()["items"]
    assert (alert["tenant"], alert["rule"]) == (None, "all")
    assert (await acme.get("/api/v1/alerts")).json()["items"] == []
    for path in (f"{RULES}/{rule['id']}", f"/api/v1/alerts/{alert['id']}"):
        assert (await acme.get(path)).status_code == 404


@pytest.mark.usefixtures("sends")
async def test_an_alert_is_seen_acknowledged_and_closed(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    await make(acme, RULES, {"name": "died", "kind": "job_died"})
    job_id = await let_die(api, acme)
    await let_die(api, globex)
    await look(api)
    (alert,) = (await acme.get("/api/v1/alerts")).json()["items"]
    assert (alert["what"], alert["job_id"], alert["error"]) == ("1 job of work died", job_id, "Boom: it broke")
    assert (await globex.get("/api/v1/alerts")).json()["items"] == []
    path = f"/api/v1/alerts/{alert['id']}"
    assert (await globex.post(f"{path}/acknowledge")).status_code == 404
    assert (await acme.post(f"{path}/acknowledge")).json()["acknowledged_by"] == "token tenant_admin of acme"
    assert (await acme.post(f"{path}/close")).json()["closed_by"] == "token tenant_admin of acme"
    assert (await acme.post(f"{path}/close")).status_code == 409
    assert (await acme.get("/api/v1/alerts")).json()["items"] == []
    for state in ("closed", "all"):
        (seen,) = (await acme.get("/api/v1/alerts", params={"state": state})).json()["items"]
        assert seen["id"] == alert["id"]


@pytest.mark.usefixtures("sends")
async def test_a_test_notice_is_a_job_of_the_system_whoever_asks(
    api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient
) -> None:
    for client in (admin, acme):
        target = await make(client, TARGETS, MAIL)
        answer = await client.post(f"{TARGETS}/{target['id']}/test")
        assert answer.status_code == 202, answer.text
        async with api.hr.database.pool.acquire() as conn:
            tenant, payload = await conn.fetchrow(
                "select tenant.name, payload::text from headrace.alert_notice as notice"
                "  join headrace.job on job.id = job_id join headrace.tenant on tenant.id = job.tenant_id"
                " where notice.id = $1::text::uuid",
                answer.json()["notice_id"],
            )  # type: ignore[misc]
        owner = "null" if client is admin else '"acme"'
        assert (tenant, payload) == (
            "_headrace",
            f'{{"tenant": {owner}, "notice_id": "{answer.json()["notice_id"]}"}}',
        )
    assert (await acme.get("/api/v1/jobs")).json()["items"] == []
    page = await acme.get("/api/v1/alerts/deliveries", params={"notice_id": answer.json()["notice_id"]})
    assert page.json()["items"] == []


async def test_lists_come_in_pages(api: Api, acme: httpx.AsyncClient) -> None:
    for n in range(3):
        await make(acme, RULES, {"name": f"rule {n}", "kind": "job_died"})
        await make(acme, TARGETS, {**MAIL, "name": f"target {n}"})
    await api.execute(
        "insert into headrace.alert (rule_id, tenant_id, subject, since, last_seen, count)"
        " select id, tenant_id, 'work', now(), now(), 1 from headrace.alert_rule"
    )
    await api.execute(
        "with notice as (insert into headrace.alert_notice (tenant_id, target_id, event, body)"
        " select tenant_id, id, 'test', '{}' from headrace.alert_target returning id, tenant_id)"
        " insert into headrace.alert_delivery (notice_id, tenant_id, target, at, seconds)"
        " select id, tenant_id, 'x', now(), 0 from notice"
    )
    for path in (RULES, TARGETS, "/api/v1/alerts", "/api/v1/alerts/deliveries"):
        seen, cursor = [], None
        while True:
            page = (await acme.get(path, params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
            seen += [item["id"] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert len(seen) == len(set(seen)) == 3, path
