"""Tenants over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from tests.api.conftest import Api

TENANTS = "/api/v1/admin/tenants"


async def test_a_tenant_is_made_read_and_changed(admin: httpx.AsyncClient) -> None:
    body = {"name": "initech", "title": "Initech", "limits": {"max_queued": 5, "requests_per_minute": 600}}
    made = await admin.post(TENANTS, json=body)

    assert made.status_code == 201, made.text
    own: dict[str, Any] = {"max_running": None, "queues": [], "most_urgent_priority": None}
    limits = {"max_queued": 5, "max_payload_bytes": None, "requests_per_minute": 600, **own}
    rest = {"weight": 1, "paused": False, "pause": None}
    assert made.json() | {"created_at": ""} == {**body, **rest, "limits": limits, "created_at": ""}
    assert (await admin.get(f"{TENANTS}/initech")).json() == made.json()

    changed = await admin.patch(f"{TENANTS}/initech", json={"limits": {"max_queued": None, "max_payload_bytes": 100}})

    assert changed.json()["title"] == "Initech"
    wanted = {"max_queued": None, "max_payload_bytes": 100, "requests_per_minute": 600, **own}
    assert changed.json()["limits"] == wanted
    renamed = (await admin.patch(f"{TENANTS}/initech", json={"title": "Initech Ltd"})).json()
    assert (renamed["title"], renamed["limits"]) == ("Initech Ltd", changed.json()["limits"])


async def test_the_list_goes_on_with_its_cursor(admin: httpx.AsyncClient) -> None:
    first = (await admin.get(TENANTS, params={"limit": 2})).json()
    rest = (await admin.get(TENANTS, params={"limit": 2, "cursor": first["next_cursor"]})).json()

    assert [tenant["name"] for tenant in first["items"] + rest["items"]] == ["acme", "default", "globex"]
    assert rest["next_cursor"] is None


async def test_a_name_is_taken_once(admin: httpx.AsyncClient) -> None:
    answer = await admin.post(TENANTS, json={"name": "acme"})

    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "no blanks"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "x\n"}, "name"),
        ({}, "name"),
        ({"name": "x", "title": "a\u0000b"}, "title"),
        ({"name": "x", "limits": {"max_queued": 0}}, "limits.max_queued"),
        ({"name": "x", "limits": {"max_queued": 2**31}}, "limits.max_queued"),
        ({"name": "x", "limits": {"max_payload_bytes": 1}}, "limits.max_payload_bytes"),
        ({"name": "x", "limits": {"max_payload_bytes": 1_048_577}}, "limits.max_payload_bytes"),
        ({"name": "x", "limits": {"requests_per_minute": -1}}, "limits.requests_per_minute"),
        ({"name": "x", "limits": {"max_jobs": 1}}, "limits.max_jobs"),
        ({"name": "x", "id": 7}, "id"),
    ],
)
async def test_what_is_not_valid_is_named(admin: httpx.AsyncClient, body: Any, field: str) -> None:
    answer = await admin.post(TENANTS, json=body)

    assert answer.status_code == 422, answer.text
    assert [error["field"] for error in answer.json()["errors"]] == [field]


async def test_a_tenant_that_is_not_there(admin: httpx.AsyncClient) -> None:
    assert (await admin.get(f"{TENANTS}/nobody")).status_code == 404
    assert (await admin.patch(f"{TENANTS}/nobody", json={"title": "x"})).status_code == 404


async def test_a_tenants_limits_hold(api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient) -> None:
    await admin.patch(f"{TENANTS}/acme", json={"limits": {"max_payload_bytes": 20}})

    refused = await acme.post("/api/v1/jobs", json={"definition": "greet", "payload": {"name": "x" * 100}})

    assert (refused.status_code, refused.json()["code"]) == (413, "payload_too_large")


async def test_every_change_is_in_the_audit(admin: httpx.AsyncClient) -> None:
    await admin.post(TENANTS, json={"name": "initech"})
    await admin.patch(f"{TENANTS}/initech", json={"limits": {"max_queued": 7}})

    changed, made = (await admin.get("/api/v1/admin/audit", params={"target": "initech"})).json()["items"]

    assert (made["action"], made["who"], made["role"]) == ("tenants.change", "token super_admin of None", "super_admin")
    assert changed["detail"]["before"]["max_queued"] is None
    assert changed["detail"]["after"]["max_queued"] == 7
