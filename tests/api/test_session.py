"""Signing in with a browser: a cookie that no script reads, that falls with its token, and is no use to other pages."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie

import httpx
import pytest
from tests.api.conftest import Api
from tests.waiting import until

from headrace import Principal
from headrace.api.app import create_app
from headrace.api.auth import KNOWN_FOR, SESSION_COOKIE
from headrace.service.principal import Role

SESSION = "/api/v1/session"
NOBODY = "00000000-0000-4000-8000-000000000000"
HERE = {"Origin": "http://headrace.test"}
NOT_HERE = [
    {},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://evil.test"},
    {"Origin": "http://headrace.test.evil.test"},
    {"Origin": "http://headrace.test:81"},
    {"Origin": "http://evil.test@headrace.test"},
]


async def sign_in(client: httpx.AsyncClient, token: str) -> httpx.Response:
    answer = await client.post(SESSION, json={"token": token}, headers=HERE)
    assert answer.status_code == 204, answer.text
    return answer


@asynccontextmanager
async def browser(
    api: Api, role: Role = "tenant_admin", tenant: str | None = "acme"
) -> AsyncIterator[httpx.AsyncClient]:
    """One that has signed in."""
    async with api.with_token(None) as client:
        await sign_in(client, await api.token(role, tenant))
        yield client


async def test_a_token_is_exchanged_for_a_cookie_that_scripts_cannot_read(api: Api) -> None:
    async with api.with_token(None) as client:
        answer = await sign_in(client, await api.token("tenant_admin", "acme"))

        cookie = SimpleCookie(answer.headers["set-cookie"])[SESSION_COOKIE]
        assert cookie["httponly"]
        assert cookie["samesite"].lower() == "strict"
        assert cookie["path"] == "/"
        assert not cookie["secure"]
        assert (await client.get("/api/v1/jobs")).status_code == 200
        async with api.hr.database.pool.acquire() as conn:
            kept = await conn.fetch("select hash, s::text as row from headrace.session as s")
        assert [row["hash"] for row in kept] == [hashlib.sha256(cookie.value.encode()).digest()]
        assert cookie.value not in kept[0]["row"]


async def test_over_tls_the_cookie_is_for_tls_only(api: Api) -> None:
    transport = httpx.ASGITransport(api.asgi)
    async with httpx.AsyncClient(transport=transport, base_url="https://headrace.test") as client:
        given = {"token": await api.token("tenant_viewer", "acme")}

        answer = await client.post(SESSION, json=given, headers={"Origin": "https://headrace.test"})

        assert SimpleCookie(answer.headers["set-cookie"])[SESSION_COOKIE]["secure"]
        plain = await client.post(SESSION, json=given, headers={"Origin": "http://headrace.test"})
        assert plain.status_code == 403


async def test_a_server_that_people_reach_by_https_says_so_to_browsers(api: Api) -> None:
    token = await api.token("tenant_viewer", "acme")
    for public_url, https in (("https://jobs.example.com", True), ("http://jobs.example.com", False), (None, False)):
        server = api.hr.settings.server.model_copy(update={"public_url": public_url})
        api.hr._settings = api.hr.settings.model_copy(update={"server": server})
        async with api.with_token(None) as client:
            answer = await sign_in(client, token)

        assert bool(SimpleCookie(answer.headers["set-cookie"])[SESSION_COOKIE]["secure"]) is https
        assert ("strict-transport-security" in answer.headers) is https


@pytest.mark.parametrize("token", ["hr_nothing", "x", "hr_" + "a" * 190])
async def test_a_token_that_is_not_good_is_a_fault_of_that_field(api: Api, token: str) -> None:
    async with api.with_token(None) as client:
        answer = await client.post(SESSION, json={"token": token})

        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "token"
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("role", ["worker", "metrics"])
async def test_a_token_of_a_program_opens_no_session(api: Api, role: Role) -> None:
    async with api.with_token(None) as client:
        answer = await client.post(SESSION, json={"token": await api.token(role)})

        assert answer.status_code == 422
        assert role in answer.json()["detail"]


async def test_who_one_is_and_may_do_is_told(api: Api) -> None:
    async with browser(api, "tenant_viewer") as client:
        told = (await client.get(SESSION)).json()

        assert told["role"] == "tenant_viewer"
        assert told["tenant"] == "acme"
        assert told["tenants"] == []
        assert "jobs.list" in told["may"]
        assert "jobs.retry" not in told["may"]


async def test_a_super_admin_is_told_which_tenants_there_are_and_may_choose(api: Api) -> None:
    async with browser(api, "super_admin", None) as client:
        told = (await client.get(SESSION)).json()
        chosen = (await client.get(SESSION, headers={"X-Headrace-Tenant": "globex"})).json()

        assert told["tenant"] is None
        assert told["tenants"] == ["acme", "default", "globex"]
        assert chosen["tenant"] == "globex"
        assert "tokens.change" in chosen["may"]


async def test_who_signs_out_is_out_at_once(api: Api) -> None:
    async with browser(api) as client:
        secret = client.cookies[SESSION_COOKIE]
        answer = await client.delete(SESSION, headers=HERE)

        assert answer.status_code == 204
        assert SESSION_COOKIE not in client.cookies
        kept = {"Cookie": f"{SESSION_COOKIE}={secret}"}
        assert (await client.get("/api/v1/jobs", headers=kept)).status_code == 401


async def test_a_session_falls_with_its_token_within_a_second_in_another_process_too(
    api: Api, admin: httpx.AsyncClient
) -> None:
    made = (await admin.post("/api/v1/admin/tokens", json={"name": "x", "role": "super_admin"})).json()
    async with Api(api.hr, create_app(api.hr)).with_token(None) as client:
        await sign_in(client, made["token"])
        assert (await client.get("/api/v1/jobs")).status_code == 200

        await admin.delete(f"/api/v1/admin/tokens/{made['id']}")

        async def refused() -> bool:
            return (await client.get("/api/v1/jobs")).status_code == 401

        await until("the session opens nothing", refused)
    assert KNOWN_FOR < 1


async def test_a_session_that_was_not_used_for_long_is_over_and_cleared_away(api: Api) -> None:
    async with browser(api) as client:
        await api.execute("update headrace.session set expires_at = now() - interval '1 second'")

        assert (await client.get("/api/v1/jobs")).status_code == 401
        async with browser(api):
            pass
        async with api.hr.database.pool.acquire() as conn:
            assert await conn.fetchval("select count(*) from headrace.session") == 1


async def test_use_makes_a_session_last_and_counts_as_the_tokens(api: Api) -> None:
    async with browser(api) as client:
        await api.execute("update headrace.session set expires_at = now() + interval '1 hour'")
        await api.execute("update headrace.token set last_used_at = now() - interval '1 day'")

        renewed = await client.get(SESSION)

        assert "Max-Age" in renewed.headers["set-cookie"]
        async with api.hr.database.pool.acquire() as conn:
            assert await conn.fetchval("select expires_at > now() + interval '6 days' from headrace.session")
            assert await conn.fetchval("select last_used_at > now() - interval '1 minute' from headrace.token")


@pytest.mark.parametrize("origin", NOT_HERE, ids=lambda origin: origin.get("Origin", "none") or "empty")
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/v1/jobs"), ("PATCH", f"/api/v1/jobs/triggers/{NOBODY}"), ("DELETE", SESSION)],
    ids=["post", "patch", "delete"],
)
async def test_a_page_elsewhere_cannot_use_the_cookie_to_change_anything(
    api: Api, method: str, path: str, origin: dict[str, str]
) -> None:
    async with browser(api) as client:
        answer = await client.request(method, path, json={"definition": "work"}, headers=origin)

        assert answer.status_code == 403, answer.text
        assert (await client.get("/api/v1/jobs")).json()["items"] == []


async def test_a_page_of_this_server_can(api: Api) -> None:
    async with browser(api) as client:
        answer = await client.post("/api/v1/jobs", json={"definition": "work"}, headers=HERE)

        assert answer.status_code == 201, answer.text


async def test_a_page_elsewhere_cannot_sign_somebody_in(api: Api) -> None:
    async with api.with_token(None) as client:
        given = {"token": await api.token("super_admin")}
        answer = await client.post(SESSION, json=given, headers={"Origin": "http://evil.test"})

        assert answer.status_code == 403
        assert SESSION_COOKIE not in client.cookies


async def test_where_the_host_says_who_asks_a_page_elsewhere_changes_nothing(api: Api) -> None:
    hosted = Api(api.hr, create_app(api.hr, identify=lambda _: Principal("host", "super_admin")))
    async with hosted.with_token(None) as client:
        foreign = await client.post("/api/v1/jobs", json={"definition": "work"}, headers={"Origin": "http://e.test"})
        program = await client.post("/api/v1/jobs", json={"definition": "work"})

        assert foreign.status_code == 403
        assert program.status_code == 201


async def test_a_token_beside_a_cookie_needs_no_origin(api: Api) -> None:
    async with browser(api) as client:
        headers = {"Authorization": f"Bearer {await api.token('tenant_admin', 'acme')}"}
        answer = await client.post("/api/v1/jobs", json={"definition": "work"}, headers=headers)

        assert answer.status_code == 201
