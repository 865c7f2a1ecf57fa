"""Sign-ins and wrong tokens have limits, and neither keeps a good token out."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import httpx
import pytest
from fastapi import Request
from tests.api.conftest import Api
from tests.api.test_session import HERE, SESSION, sign_in
from tests.waiting import until

from headrace.api import limits
from headrace.api.limits import WrongCredentials
from headrace.service.tokens import browser_sessions

JOBS = "/api/v1/jobs"


async def test_a_sign_in_counts_in_the_rate_limit_of_the_tenant(api: Api) -> None:
    await api.set_tenant("acme", requests_per_minute=1)
    token = await api.token("tenant_admin", "acme")
    async with api.with_token(None) as client:
        answers = [await client.post(SESSION, json={"token": token}, headers=HERE) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [204, 429, 429]
        assert int(answers[-1].headers["Retry-After"]) >= 1
    async with api.hr.database.pool.acquire() as conn:
        assert await conn.fetchval("select count(*) from headrace.session") == 1


async def test_a_token_has_so_many_sessions_and_the_oldest_ends(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_sessions, "MOST_OF_A_TOKEN", 3)
    token, other = await api.token("tenant_admin", "acme"), await api.token("tenant_admin", "acme")
    async with api.with_token(None) as neighbour, api.with_token(None) as first, api.with_token(None) as last:
        await sign_in(neighbour, other)
        await sign_in(first, token)
        await asyncio.gather(*(sign_in(last, token) for _ in range(10)))
        async with api.hr.database.pool.acquire() as conn:
            counts = "select count(*) from headrace.session group by token_id order by 1"
            assert [row[0] for row in await conn.fetch(counts)] == [1, 3]

        assert (await first.get(JOBS)).status_code == 401
        await sign_in(last, token)
        assert (await last.get(JOBS)).status_code == 200
        assert (await neighbour.get(JOBS)).status_code == 200


async def wrong(api: Api, n: int, headers: dict[str, str]) -> httpx.Response:
    async with api.with_token(f"hr_wrong{n}" if not headers else None, **headers) as client:
        return await client.get(JOBS)


async def wrong_sign_in(api: Api, n: int) -> httpx.Response:
    async with api.with_token(None) as client:
        return await client.post(SESSION, json={"token": f"hr_wrong{n}"}, headers=HERE)


async def wrong_sign_out(api: Api, n: int) -> httpx.Response:
    async with api.with_token(None, Cookie=f"headrace_session=wrong{n}", **HERE) as client:
        return await client.delete(SESSION)


@pytest.mark.parametrize("how", ["bearer", "cookie", "sign-in", "sign-out"])
async def test_wrong_tokens_are_held_back_and_good_ones_are_not(
    api: Api, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(limits, "WRONG_AT_ONCE", 3)
    monkeypatch.setattr(limits, "WRONG_PER_MINUTE", 0)
    monkeypatch.setattr(limits, "MOST_HELD_OF_ONE", 2)
    monkeypatch.setattr(limits, "HOLD_SECONDS", 3600.0)  # held back for good

    def try_one(n: int) -> Coroutine[Any, Any, httpx.Response]:
        cookie = {"Cookie": f"headrace_session=wrong{n}"} if how == "cookie" else {}
        if how == "sign-out":
            return wrong_sign_out(api, n)
        return wrong_sign_in(api, n) if how == "sign-in" else wrong(api, n, cookie)

    at_once = [(await try_one(n)).status_code for n in range(3)]
    assert at_once == [{"sign-in": 422, "sign-out": 204}.get(how, 401)] * 3
    held = [asyncio.create_task(try_one(n)) for n in range(2)]
    credentials: WrongCredentials = api.asgi.api.state.authenticator._wrong
    await until("both are held back", lambda: credentials._held.total() == 2)
    assert (await try_one(4)).status_code == 429

    async with await api.caller("tenant_admin", "acme") as good, api.with_token(None) as browser:
        assert (await good.get(JOBS)).status_code == 200
        await sign_in(browser, await api.token("tenant_viewer", "acme"))
    assert [task.done() for task in held] == [False, False]
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
    await until("no place is kept", lambda: not credentials._held)


async def test_however_many_addresses_try_only_some_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_ADDRESSES", 100)
    credentials = WrongCredentials()
    for n in range(1_000):
        await credentials.slow_down(f"10.0.{n // 256}.{n % 256}")
    assert len(credentials._left) == 100


@pytest.mark.parametrize(
    ("host", "counted_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("unix", "unix"),
    ],
)
def test_an_address_counts_as_what_one_client_has(host: str, counted_as: str) -> None:
    scope = {"type": "http", "headers": [], "client": (host, 1)}
    assert limits.client_of(Request(scope)) == counted_as
