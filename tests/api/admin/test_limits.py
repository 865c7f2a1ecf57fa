"""Limits and pauses over HTTP: set, shown, explained, refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from tests.api.conftest import Api

WORK = "/api/v1/admin/jobs/definitions/work"
QUEUE = "/api/v1/admin/queues/default"
ACME = "/api/v1/admin/tenants/acme"


async def enqueued(acme: httpx.AsyncClient, **body: Any) -> str:
    return str((await acme.post("/api/v1/jobs", json={"definition": "work", **body})).json()["id"])


async def why(acme: httpx.AsyncClient, job_id: str) -> dict[str, str]:
    found = (await acme.get(f"/api/v1/jobs/{job_id}/why")).json()["reasons"]
    return {reason["code"]: reason["detail"] for reason in found}


async def claim_one(api: Api) -> None:
    """A worker takes what its gates let through."""
    async with api.hr.database.pool.acquire() as conn:
        worker = await conn.fetchval(
            "insert into headrace.worker (name, hostname, pid, version, queues, definitions, concurrency, lease,"
            "  lease_expires_at) values ('w', 'h', 1, '0', '{*}', '{work}', 9, '1 hour', now() + interval '1 hour')"
            " returning id"
        )
        lanes = [row[0] for row in await conn.fetch("select id from headrace.lane")]
        came = await conn.fetch("select * from headrace._claim_gated($1, $2, 1, 1, 1000)", worker, lanes)
        assert came[0]["job_id"] is not None


async def test_limits_of_a_definition_are_set_shown_and_lifted(admin: httpx.AsyncClient) -> None:
    limits = {
        "max_concurrency": 3,
        "concurrency_key": "provider.id",
        "max_concurrency_per_key": 1,
        "rate_limit": 100,
        "rate_period_seconds": 60.0,
        "rate_burst": 10,
        "rate_per_key": True,
    }
    changed = (await admin.patch(WORK, json=limits)).json()
    assert {name: changed[name] for name in limits} == limits
    assert changed["overrides"]["max_concurrency"] == {"declared": None, "current": 3}
    lifted = (await admin.patch(WORK, json={"max_concurrency": None, "rate_limit": None, "rate_burst": None})).json()
    assert (lifted["max_concurrency"], lifted["rate_limit"]) == (None, None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"max_concurrency": 0}, "max_concurrency"),
        ({"max_concurrency_per_key": 1}, "concurrency_key"),
        ({"rate_per_key": True}, "concurrency_key"),
        ({"rate_burst": 5}, "rate_burst"),
        ({"concurrency_key": "join('-', [a, b])"}, "concurrency_key"),
        ({"rate_period_seconds": 0}, "rate_period_seconds"),
    ],
)
async def test_limits_that_make_no_sense_are_refused_with_the_field(
    admin: httpx.AsyncClient, body: dict[str, Any], field: str
) -> None:
    answer = await admin.patch(WORK, json=body)
    assert answer.status_code == 422, answer.text
    assert [error["field"] for error in answer.json()["errors"]] == [field]


async def test_a_job_says_which_limit_it_waits_for(api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient) -> None:
    await admin.patch(WORK, json={"max_concurrency": 1, "rate_limit": 1, "rate_period_seconds": 3600})
    await admin.patch(ACME, json={"limits": {"max_running": 1}})
    await admin.patch(QUEUE, json={"max_running": 1})
    async with api.hr.database.pool.acquire() as conn:
        await conn.execute("update headrace.regate set swept = true")
    await enqueued(acme)
    waiting = await enqueued(acme)
    await claim_one(api)
    said = await why(acme, waiting)
    assert said["definition_limit"] == 'All 1 places of the definition "work" are taken (1 running).'
    assert {"definition_limit", "tenant_limit", "queue_limit", "rate_limit"} <= set(said)
    assert "60 min" in said["rate_limit"] or "59 min" in said["rate_limit"] or "1 h" in said["rate_limit"]


async def test_a_job_says_which_pause_it_waits_for(admin: httpx.AsyncClient, acme: httpx.AsyncClient) -> None:
    job_id = await enqueued(acme)
    for path in (WORK, QUEUE, ACME):
        paused = (await admin.post(f"{path}/pause", json={"note": "the provider is down"})).json()
        assert paused["paused"]
        assert paused["pause"]["note"] == "the provider is down"
    said = await why(acme, job_id)
    assert {"definition_paused", "queue_paused", "tenant_paused"} <= set(said)
    assert said["tenant_paused"].endswith("the provider is down.")
    for path in (WORK, QUEUE, ACME):
        assert not (await admin.post(f"{path}/resume")).json()["paused"]
    assert not {"definition_paused", "queue_paused", "tenant_paused"} & set(await why(acme, job_id))


async def test_a_pause_that_ends_in_the_past_is_refused(admin: httpx.AsyncClient) -> None:
    for path in (WORK, ACME):
        answer = await admin.post(f"{path}/pause", json={"resume_at": "2001-01-01T00:00:00Z"})
        assert answer.status_code == 422
        assert [error["field"] for error in answer.json()["errors"]] == ["resume_at"]


async def test_how_a_queue_is_served_is_set_and_shown(admin: httpx.AsyncClient) -> None:
    changed = (await admin.patch(QUEUE, json={"fair": True, "max_running": 5})).json()
    assert changed["settings"] == {"max_running": 5, "fair": True, "ageing_seconds": 3600}
    changed = (await admin.patch(QUEUE, json={"max_running": None})).json()
    assert changed["settings"] == {"max_running": None, "fair": True, "ageing_seconds": 3600}
    new = (await admin.patch("/api/v1/admin/queues/new-one", json={"ageing_seconds": 0})).json()
    assert new["settings"]["ageing_seconds"] == 0
    assert (await admin.patch(QUEUE, json={"ageing_seconds": -1})).status_code == 422


async def test_changes_of_limits_are_on_record(admin: httpx.AsyncClient) -> None:
    await admin.patch(QUEUE, json={"fair": True})
    await admin.post(f"{ACME}/pause", json={"note": "bill"})
    said = [(row["action"], row["target"]) for row in (await admin.get("/api/v1/admin/audit")).json()["items"]]
    assert {("queues.change", "default"), ("tenants.pause", "acme")} <= set(said)
