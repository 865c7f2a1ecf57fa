"""A stream or a follower of a log ends with the credential that opened it, whichever process ended the credential."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.listening import served
from tests.api.test_session import HERE, SESSION, sign_in
from tests.waiting import PATIENCE, until

from headrace.api import sse
from headrace.api.app import create_app
from headrace.api.auth import SESSION_COOKIE
from headrace.service.tokens.credential_watch import CredentialWatch


@asynccontextmanager
async def reading(url: str, headers: dict[str, str]) -> AsyncIterator[asyncio.Task[str]]:
    """Read an answer that stays open; the task ends with it, and has what was sent."""
    async with (
        httpx.AsyncClient(timeout=PATIENCE, headers=headers) as client,
        client.stream("GET", url) as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        task = asyncio.create_task(read(answer))
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def read(answer: httpx.Response) -> str:
    return "".join([text async for text in answer.aiter_text()])


async def sign_out_elsewhere(api: Api, session: str) -> None:
    """At another server on the same database."""
    other = Api(api.hr, create_app(api.hr))
    async with other.with_token(None, Cookie=f"{SESSION_COOKIE}={session}") as client:
        assert (await client.delete(SESSION, headers=HERE)).status_code == 204


@pytest.mark.parametrize(
    ("how", "tokens_end"),
    [
        ("sign out", False),
        ("update headrace.token set revoked_at = now() where name = 'x'", True),
        ("update headrace.token set expires_at = now() where name = 'x'", True),
        ("delete from headrace.token where name = 'x'", True),
    ],
    ids=["signed out", "revoked", "expired", "deleted"],
)
async def test_what_a_credential_keeps_open_ends_with_it(
    api: Api, monkeypatch: pytest.MonkeyPatch, how: str, tokens_end: bool
) -> None:
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 3600.0)  # nothing but the watch asks for credentials
    assert CredentialWatch.longest_pause < 1
    token = (await api.system.tokens.create("x", "tenant_viewer", tenant="acme")).token
    job_id = await api.hr.enqueue("work", tenant="acme")
    async with api.with_token(None) as browser, served(api.asgi) as url, AsyncExitStack() as stack:
        await sign_in(browser, token)
        session = browser.cookies[SESSION_COOKIE]
        by_session, by_token = [
            [
                await stack.enter_async_context(reading(f"{url}/api/v1/{path}", headers))
                for path in ("stream", f"jobs/{job_id}/logs?follow=true")
            ]
            for headers in ({"Cookie": f"{SESSION_COOKIE}={session}"}, {"Authorization": f"Bearer {token}"})
        ]

        await (sign_out_elsewhere(api, session) if how == "sign out" else api.execute(how))

        ended = [*by_session, *(by_token if tokens_end else ())]
        await until("all of them have ended", lambda: all(task.done() for task in ended))
        assert '"code": "unauthenticated"' in by_session[1].result()
        assert [task.done() for task in by_token] == [tokens_end, tokens_end]
