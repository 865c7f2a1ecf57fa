"""Tokens over HTTP: shown once, known by their hash, gone within a second."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api
from tests.waiting import until

from headrace.api.app import create_app
from headrace.api.auth import KNOWN_FOR

TOKENS = "/api/v1/admin/tokens"


async def make(admin: httpx.AsyncClient, **body: Any) -> dict[str, Any]:
    answer = await admin.post(TOKENS, json={"name": "ci", "role": "tenant_admin", "tenant": "acme", **body})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_a_token_is_shown_once_and_only_its_hash_is_kept(api: Api, admin: httpx.AsyncClient) -> None:
    made = await make(admin)
    token = made.pop("token")

    assert token.startswith("hr_")
    assert len(token) > 40
    listed = (await admin.get(TOKENS)).json()
    assert made in listed["items"]
    assert token not in (await admin.get(TOKENS)).text
    assert token not in (await admin.get("/api/v1/admin/audit")).text
    async with api.hr.database.pool.acquire() as conn:
        kept = await conn.fetch("select t.hash, t::text as row from headrace.token as t")
    assert hashlib.sha256(token.encode()).digest() in [row["hash"] for row in kept]
    assert not any(token in row["row"] or token.encode().hex() in row["row"] for row in kept)


async def test_a_token_opens_what_its_role_may(api: Api, admin: httpx.AsyncClient) -> None:
    token = (await make(admin, role="tenant_viewer"))["token"]
    async with api.with_token(token) as viewer:
        assert (await viewer.get("/api/v1/jobs")).status_code == 200
        assert (await viewer.post("/api/v1/jobs", json={"definition": "work"})).status_code == 403


async def test_its_last_use_is_noted(api: Api, admin: httpx.AsyncClient) -> None:
    made = await make(admin)
    assert made["last_used_at"] is None
    async with api.with_token(made["token"]) as client:
        await client.get("/api/v1/jobs")

    [noted] = [token for token in (await admin.get(TOKENS)).json()["items"] if token["id"] == made["id"]]

    assert datetime.now(UTC) - datetime.fromisoformat(noted["last_used_at"]) < timedelta(minutes=1)


async def test_a_revoked_token_opens_nothing_within_a_second_in_another_process_too(
    api: Api, admin: httpx.AsyncClient
) -> None:
    made = await make(admin)
    elsewhere = Api(api.hr, create_app(api.hr))
    async with elsewhere.with_token(made["token"]) as client:
        assert (await client.get("/api/v1/jobs")).status_code == 200

        revoked = await admin.delete(f"{TOKENS}/{made['id']}")

        assert revoked.status_code == 200
        assert revoked.json()["revoked_at"] is not None

        async def refused() -> bool:
            return (await client.get("/api/v1/jobs")).status_code == 401

        await until("the token opens nothing", refused)
    assert KNOWN_FOR < 1
    again = await admin.delete(f"{TOKENS}/{made['id']}")
    assert again.json()["revoked_at"] == revoked.json()["revoked_at"]


async def test_an_expired_token_opens_nothing(api: Api, admin: httpx.AsyncClient) -> None:
    made = await make(admin, expires_at=(datetime.now(UTC) + timedelta(hours=1)).isoformat())
    async with api.hr.database.pool.acquire() as conn:
        await conn.execute(
            "update headrace.token set expires_at = now() - interval '1 second' where id = $1", made["id"]
        )

    async with api.with_token(made["token"]) as client:
        answer = await client.get("/api/v1/jobs")

    expired = {token["id"]: token["expired"] for token in (await admin.get(TOKENS)).json()["items"]}
    assert (made["expired"], expired[made["id"]]) == (False, True)
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("header", ["Basic {}", "Token {}", "{}", "Bearer", "Bearer {}x", "Bearer hr_no", "bearer\t{}"])
async def test_anything_but_a_good_bearer_token_is_401(api: Api, header: str) -> None:
    token = await api.token("super_admin")

    async with api.with_token(None, Authorization=header.format(token)) as client:
        answer = await client.get(TOKENS)

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert token not in answer.text


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"role": "tenant_admin", "tenant": None}, "tenant"),
        ({"role": "super_admin"}, "tenant"),
        ({"role": "worker", "tenant": "acme"}, "tenant"),
        ({"role": "root"}, "role"),
        ({"queues": ["mail"]}, "queues"),
        ({"role": "worker", "tenant": None, "queues": []}, "queues"),
        ({"role": "worker", "tenant": None, "queues": ["a b"]}, "queues.0"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2101-01-01T00:00:00"}, "expires_at"),
        ({"expires_at": "9999-12-31T23:59:59-12:00"}, "expires_at"),
        ({"expires_at": "2101-01-01T00:00:00Z", "expires_after_seconds": 60}, "expires_after_seconds"),
        ({"name": ""}, "name"),
        ({"scope": "all"}, "scope"),
    ],
)
async def test_what_is_not_valid_is_named(admin: httpx.AsyncClient, body: Any, field: str) -> None:
    answer = await admin.post(TOKENS, json={"name": "x", "role": "tenant_admin", "tenant": "acme", **body})

    assert answer.status_code == 422, answer.text
    assert [error["field"] for error in answer.json()["errors"]] == [field]


async def test_a_tenant_or_token_that_is_not_there(admin: httpx.AsyncClient) -> None:
    body = {"name": "x", "role": "tenant_admin", "tenant": "nobody"}

    assert (await admin.post(TOKENS, json=body)).status_code == 404
    assert (await admin.delete(f"{TOKENS}/00000000-0000-7000-8000-000000000000")).status_code == 404
    assert (await admin.delete(f"{TOKENS}/1")).status_code == 422


async def test_making_and_revoking_are_in_the_audit(admin: httpx.AsyncClient) -> None:
    made = await make(admin)
    await admin.delete(f"{TOKENS}/{made['id']}")

    items = (await admin.get("/api/v1/admin/audit", params={"target": made["id"]})).json()["items"]

    assert [item["detail"].get("revoked") for item in items] == [True, None]
