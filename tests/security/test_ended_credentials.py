"""A stream or a follower of a log ends with the credential that opened it, whichever process ended the credential."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from uuid import UUID

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.listening import served
from tests.api.test_session import HERE, SESSION, sign_in
from tests.api.worker.test_worker import Hand
from tests.waiting import PATIENCE, until

from headrace.api import sse
from headrace.api.app import create_app
from headrace.api.auth import SESSION_COOKIE
from headrace.service.logs import service as log_service
from headrace.service.logs.hub import Follower
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


async def test_a_download_that_is_read_slowly_breaks_off_when_its_credential_ends(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = await api.hr.enqueue("work", tenant="acme")
    async with await api.caller("worker") as client:
        hand = Hand(client)
        await hand.register()
        [job] = await hand.claim()
        said = await hand.of(job, "logs", lines=[{"message": f"line-{n}"} for n in range(3)])
        assert said.status_code == 200, said.text
    token = (await api.system.tokens.create("x", "tenant_viewer", tenant="acme")).token
    pages, gate, refused = 0, asyncio.Event(), asyncio.Event()
    read, refuse = log_service.Logs.read, Follower.refuse

    async def slowly(self: Any, job_id: UUID, **options: Any) -> Any:
        nonlocal pages
        pages += 1
        if pages == 2:
            await gate.wait()
        return await read(self, job_id, **options)

    def noted(self: Follower, why: Any) -> None:
        refuse(self, why)
        refused.set()

    monkeypatch.setattr(log_service, "LINES_AT_ONCE", 1)
    monkeypatch.setattr(log_service.Logs, "read", slowly)
    monkeypatch.setattr(Follower, "refuse", noted)
    url = f"/api/v1/jobs/{job_id}/logs?format=text"
    async with served(api.asgi) as at, reading(f"{at}{url}", {"Authorization": f"Bearer {token}"}) as task:
        await until("the second page is read", lambda: pages == 2)
        await api.execute("update headrace.token set revoked_at = now() where name = 'x'")
        await until("the download has heard of it", refused.is_set)
        gate.set()
        await until("it has ended", task.done)
        assert isinstance(task.exception(), httpx.RemoteProtocolError)  # the file is not complete, and says so
        assert pages == 2


async def test_downloads_have_the_limits_of_followers(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headrace.service.seats.MOST_OF_ONE", 0)
    job_id = await api.hr.enqueue("work", tenant="acme")
    async with await api.caller("tenant_viewer", "acme") as client:
        assert (await client.get(f"/api/v1/jobs/{job_id}/logs?format=text")).status_code == 429
        assert (await client.get(f"/api/v1/jobs/{job_id}/logs")).status_code == 200
