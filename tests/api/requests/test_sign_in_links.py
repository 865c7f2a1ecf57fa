"""Links that sign a browser in: a code in place of a token, and never a session of someone else without a question."""

from __future__ import annotations

import asyncio
import hashlib

import httpx
from tests.api.conftest import Api
from tests.api.test_session import HERE, SESSION, browser

from headrace.api.auth import SESSION_COOKIE
from headrace.service.tokens.sign_in_codes import make_code

RACES = 10


async def code_of(api: Api, token: str) -> str:
    async with api.hr.database.pool.acquire() as conn:
        return await make_code(conn, token)


async def follow(client: httpx.AsyncClient, **link: object) -> httpx.Response:
    return await client.post(SESSION, json=link, headers=HERE)


async def test_a_foreign_link_replaces_no_session_until_the_person_agrees(api: Api) -> None:
    foreign = await api.token("tenant_admin", "globex")
    for link in ({"token": foreign}, {"code": await code_of(api, foreign)}):
        async with browser(api, "super_admin", None) as client:
            before = client.cookies[SESSION_COOKIE]

            asked = await follow(client, **link)

            assert (asked.status_code, asked.json()["code"]) == (409, "signed_in_already")
            for named in ("super_admin of None (super_admin)", "tenant_admin of globex (tenant_admin of globex)"):
                assert named in asked.json()["detail"]
            assert client.cookies[SESSION_COOKIE] == before
            assert (await client.get(SESSION)).json()["role"] == "super_admin"

            assert (await follow(client, **link, replace=True)).status_code == 204
            assert (await client.get(SESSION)).json()["tenant"] == "globex"
            async with api.with_token(None, Cookie=f"{SESSION_COOKIE}={before}") as old:
                assert (await old.get(SESSION)).status_code == 401


async def test_a_link_of_the_same_token_asks_nothing(api: Api) -> None:
    token = await api.token("super_admin")
    async with api.with_token(None) as client:
        assert (await follow(client, token=token)).status_code == 204
        assert (await follow(client, code=await code_of(api, token))).status_code == 204
    async with api.hr.database.pool.acquire() as conn:
        assert await conn.fetchval("select count(*) from headrace.session") == 1


async def test_of_two_browsers_that_follow_a_link_at_once_one_is_signed_in(api: Api) -> None:
    token = await api.token("super_admin")
    for _ in range(RACES):
        code = await code_of(api, token)
        async with api.with_token(None) as one, api.with_token(None) as other:
            answers = await asyncio.gather(follow(one, code=code), follow(other, code=code))
        assert sorted(answer.status_code for answer in answers) == [204, 422]


async def test_a_code_is_known_by_its_hash_and_good_for_a_minute_of_the_databases_clock(api: Api) -> None:
    code = await code_of(api, await api.token("super_admin"))
    async with api.hr.database.pool.acquire() as conn:
        kept = await conn.fetchrow(
            "select hash, c::text as row, expires_at <= now() + interval '1 minute' as soon"
            " from headrace.sign_in_code as c"
        )
    assert kept is not None
    assert (kept["hash"], kept["soon"]) == (hashlib.sha256(code.encode()).digest(), True)
    assert code not in kept["row"]

    await api.execute("update headrace.sign_in_code set expires_at = now()")
    async with api.with_token(None) as client:
        late = await follow(client, code=code)

    assert late.status_code == 422
    assert "for a new link run headrace sign-in on the server" in late.json()["detail"]
    assert SESSION_COOKIE not in late.headers.get("set-cookie", "")


async def test_a_code_falls_with_its_token(api: Api) -> None:
    code = await code_of(api, await api.token("super_admin"))
    await api.execute("update headrace.token set revoked_at = now()")
    async with api.with_token(None) as client:
        assert (await follow(client, code=code)).status_code == 422
        assert (await follow(client)).status_code == 422
        assert (await follow(client, code=code, token="hr_x")).status_code == 422
