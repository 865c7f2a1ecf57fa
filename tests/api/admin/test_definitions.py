"""Definitions over HTTP: what a tenant may run, and what a super-admin sets."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api
from tests.waiting import until
from tests.worker.running import finished, running

from headrace.db.connect import Connection
from headrace.worker.process.database_worker import WorkerProcess

DEFINITIONS = "/api/v1/definitions"
ADMIN = "/api/v1/admin/jobs/definitions"


@pytest.fixture
async def sql_function(connection: Connection) -> None:
    await connection.execute(
        "create or replace function public.totals(payload jsonb) returns jsonb language sql as "
        "$$ select '{\"success\": true}'::jsonb $$"
    )


async def test_a_tenant_sees_what_it_may_run_with_schemas(api: Api, acme: httpx.AsyncClient) -> None:
    items = (await acme.get(DEFINITIONS)).json()["items"]
    keys = [one["key"] for one in items]
    assert keys == sorted(keys)
    assert {"greet", "work"} <= set(keys)
    greet = (await acme.get(f"{DEFINITIONS}/greet")).json()
    assert greet in items
    assert set(greet["payload_schema"]["properties"]) == {"name", "times"}
    assert "app" not in greet
    await api.execute("update headrace.definition set enabled = false where key = 'greet'")
    await api.execute("update headrace.definition set deleted_from_code_at = now() where key = 'work'")
    left = [one["key"] for one in (await acme.get(DEFINITIONS)).json()["items"]]
    assert not {"greet", "work"} & set(left)
    for key in ("greet", "work", "nothing"):
        assert (await acme.get(f"{DEFINITIONS}/{key}")).status_code == 404


async def test_the_list_goes_on_with_its_cursor(acme: httpx.AsyncClient) -> None:
    whole = (await acme.get(DEFINITIONS)).json()
    assert whole["next_cursor"] is None
    first = (await acme.get(DEFINITIONS, params={"limit": 1})).json()
    rest = (await acme.get(DEFINITIONS, params={"cursor": first["next_cursor"]})).json()
    assert first["items"] + rest["items"] == whole["items"]


async def test_a_super_admin_sees_all_with_overrides(api: Api, admin: httpx.AsyncClient) -> None:
    await api.execute("update headrace.definition set deleted_from_code_at = now() where key = 'work'")
    changed = await admin.patch(f"{ADMIN}/greet", json={"priority": 7, "timeout_seconds": 30})
    assert changed.status_code == 200, changed.text
    assert changed.json()["overrides"] == {
        "priority": {"declared": 100, "current": 7},
        "timeout_seconds": {"declared": None, "current": 30},
    }
    items = {one["key"]: one for one in (await admin.get(ADMIN)).json()["items"]}
    assert items["greet"] == changed.json()
    assert (items["greet"]["kind"], items["greet"]["app"], items["greet"]["workers"]) == ("python", "test", [])
    assert items["work"]["deleted_from_code_at"] is not None
    # A sync leaves an operator's word alone.
    await api.hr.sync_definitions(complete=False)
    assert (await admin.get(f"{ADMIN}/greet")).json()["priority"] == 7


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"priority": -1}, "priority"),
        ({"priority": None}, "priority"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_attempts": 1001}, "max_attempts"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"queue": "a b"}, "queue"),
        ({"queue": None}, "queue"),
        ({"enabled": "perhaps"}, "enabled"),
        ({"retry_base_seconds": -1}, "retry_base_seconds"),
        ({"retry_cap_seconds": 1e12}, "retry_cap_seconds"),
        ({"retry_jitter_seconds": "x"}, "retry_jitter_seconds"),
        ({"retention_days": -1}, "retention_days"),
        ({"retention_count": 0}, "retention_count"),
        ({"retention_count": 1.5}, "retention_count"),
        ({"key": "other"}, "key"),
        ({"payload_schema": {}}, "payload_schema"),
    ],
)
async def test_a_setting_that_will_not_do_is_refused(
    admin: httpx.AsyncClient, changes: dict[str, Any], field: str
) -> None:
    before = (await admin.get(f"{ADMIN}/greet")).json()
    refused = await admin.patch(f"{ADMIN}/greet", json={"enabled": False, **changes})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field), refused.text
    assert (await admin.get(f"{ADMIN}/greet")).json()["enabled"] == before["enabled"]


async def test_a_change_reaches_a_running_worker(api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient) -> None:
    @api.hr.job("slow")
    async def slow() -> None:
        await asyncio.Event().wait()

    await api.hr.sync_definitions(complete=False)
    async with running(WorkerProcess(api.hr)):
        (worker,) = (await admin.get(f"{ADMIN}/slow")).json()["workers"]
        assert worker
        await api.set_tenant("acme", queues=["default"])
        changes = {"timeout_seconds": 0.2, "queue": "express", "max_attempts": 1}
        assert (await admin.patch(f"{ADMIN}/slow", json=changes)).status_code == 200

        async def timed_out() -> bool:
            job = (await acme.post("/api/v1/jobs", json={"definition": "slow", "queue": "default"})).json()
            await finished(api.hr, job["id"])
            return "timed out" in (await acme.get(f"/api/v1/jobs/{job['id']}")).json()["last_error"]

        await until("the worker has heard of the timeout", timed_out)
    assert (await acme.post("/api/v1/jobs", json={"definition": "slow"})).json()["queue"] == "express"


async def test_a_disabled_definition_takes_no_jobs(admin: httpx.AsyncClient, acme: httpx.AsyncClient) -> None:
    assert (await admin.patch(f"{ADMIN}/work", json={"enabled": False})).json()["enabled"] is False
    assert (await acme.post("/api/v1/jobs", json={"definition": "work"})).status_code == 409
    await admin.patch(f"{ADMIN}/work", json={"enabled": True})
    assert (await acme.post("/api/v1/jobs", json={"definition": "work"})).status_code == 201


@pytest.mark.usefixtures("sql_function")
async def test_a_sql_job_without_attempts_has_as_many_as_the_settings_say(api: Api, admin: httpx.AsyncClient) -> None:
    new = {"key": "totals", "function": "totals"}
    assert (await admin.post(ADMIN, json=new)).json()["max_attempts"] == 4
    api.hr.configure({"jobs.max_retries_default": 1})
    assert (await admin.post(ADMIN, json=new)).json()["max_attempts"] == 2


@pytest.mark.usefixtures("sql_function")
async def test_a_sql_job_is_defined(api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient) -> None:
    new = {"key": "totals", "function": "totals", "description": "Adds up.", "timeout_seconds": 9, "max_attempts": 2}
    made = await admin.post(ADMIN, json=new)
    assert made.status_code == 201, made.text
    definition = made.json()
    assert (definition["kind"], definition["function"], definition["max_attempts"]) == (
        "sql",
        "public.totals(jsonb)",
        2,
    )
    assert (await acme.get(f"{DEFINITIONS}/totals")).json()["description"] == "Adds up."
    for wrong, field in (
        ({**new, "function": "no_such"}, "function"),
        ({**new, "function": "pg_catalog.now"}, "function"),
        ({**new, "function": "a.b.c"}, "function"),
        ({**new, "key": "a b"}, "key"),
        ({**new, "max_attempts": 0}, "max_attempts"),
        ({**new, "timeout_seconds": 0}, "timeout_seconds"),
        ({**new, "kind": "command"}, "kind"),
    ):
        refused = await admin.post(ADMIN, json=wrong)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field), refused.text
    assert (await admin.post(ADMIN, json={**new, "key": "work"})).status_code == 409


async def test_one_definition_comes_with_how_it_has_been_doing(api: Api, admin: httpx.AsyncClient) -> None:
    quiet = (await admin.get(f"{ADMIN}/greet")).json()["statistics"]
    assert (quiet["runs"], quiet["p50_seconds"]) == (0, None)
    async with running(WorkerProcess(api.hr)):
        for name in ("Ann", "Bob"):
            await finished(api.hr, await api.hr.enqueue("greet", {"name": name}))

        async def counted() -> bool:
            found = (await admin.get(f"{ADMIN}/greet")).json()["statistics"]
            return bool(found["runs"] == 2 and sum(hour["succeeded"] for hour in found["hours"]) == 2)

        await until("the runs are counted", counted)
    statistics = (await admin.get(f"{ADMIN}/greet")).json()["statistics"]
    assert 0 <= statistics["p50_seconds"] <= statistics["p95_seconds"]


async def test_only_super_admins_come_in_and_what_they_change_is_written_down(
    api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient
) -> None:
    for role, tenant in (("tenant_admin", "acme"), ("tenant_viewer", "acme"), ("worker", None)):
        async with await api.caller(role, tenant) as client:  # type: ignore[arg-type] # of the three
            assert (await client.get(ADMIN)).status_code == 403
            assert (await client.get(f"{ADMIN}/greet")).status_code == 403
            assert (await client.patch(f"{ADMIN}/greet", json={"priority": 1})).status_code == 403
            assert (await client.post(ADMIN, json={"key": "a", "function": "b"})).status_code == 403
    for key in ("nothing", "a%20b"):
        assert (await admin.get(f"{ADMIN}/{key}")).status_code == 404
        assert (await admin.patch(f"{ADMIN}/{key}", json={"priority": 1})).status_code == 404
    # Also while at work for a tenant.
    await admin.patch(f"{ADMIN}/greet", json={"priority": 3}, headers={"X-Headrace-Tenant": "acme"})
    async with api.hr.database.pool.acquire() as conn:
        rows = await conn.fetch("select action, detail from headrace.audit where target = 'greet'")
    assert [(row["action"], json.loads(row["detail"])) for row in rows] == [("definitions.update", {"priority": 3})]
