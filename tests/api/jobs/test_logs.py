"""A job's lines over HTTP: as pages, as a file, as they come; and a search over all."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from uuid import uuid4

import httpx
import pytest
import uvicorn
from tests.api.conftest import Api
from tests.waiting import PATIENCE, until
from tests.worker.running import finished, running

from headrace import Context
from headrace.api import sse as api_sse
from headrace.worker.process.database_worker import WorkerProcess

LOGS = "/api/v1/logs"


class Talker(NamedTuple):
    """An application whose job talks, and goes on when told; a worker runs it."""

    api: Api
    go_on: asyncio.Event

    async def start(self, tenant: str = "acme") -> str:
        return str(await self.api.hr.enqueue("talk", {"word": tenant}, tenant=tenant))

    async def ended(self, tenant: str = "acme") -> str:
        self.go_on.set()
        job_id = await self.start(tenant)
        await finished(self.api.hr, job_id)  # type: ignore[arg-type] # an id as text does as well
        return job_id


@asynccontextmanager
async def talking(api: Api) -> AsyncIterator[Talker]:
    """With a worker; not a fixture, for pytest would have another stdout by the time of the test."""
    go_on = asyncio.Event()

    @api.hr.job("talk")
    async def talk(ctx: Context, word: str) -> None:
        ctx.log.info("hello", word=word)
        print(f"printed {word}")
        print("complained", file=sys.stderr)
        await go_on.wait()
        ctx.log.error("goodbye")

    await api.hr.sync_definitions(complete=False)
    async with running(WorkerProcess(api.hr)):
        yield Talker(api, go_on)
        go_on.set()


@pytest.fixture
async def served(api: Api) -> AsyncIterator[str]:
    """The API over a real socket, for what streams."""
    server = uvicorn.Server(uvicorn.Config(api.asgi, port=0, log_level="warning", lifespan="off"))
    serving = asyncio.create_task(server.serve())
    await until("the server has started", lambda: server.started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = server.force_exit = True
    await asyncio.wait_for(serving, PATIENCE)


class Sent(NamedTuple):
    """A server-sent event."""

    name: str
    place: str | None
    data: dict[str, Any]


async def events(answer: httpx.Response) -> AsyncIterator[Sent | str]:
    """Events as they come, and comments as text."""
    said: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if line.startswith(":"):
            yield line
        elif line:
            key, _, value = line.partition(": ")
            said[key] = value
        elif said:
            yield Sent(said.get("event", "message"), said.get("id"), json.loads(said["data"]))
            said = {}


async def token_of(api: Api, tenant: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {await api.token('tenant_admin', tenant)}"}


async def test_lines_come_in_order_with_level_and_stream(api: Api, acme: httpx.AsyncClient) -> None:
    async with talking(api) as talker:
        place = f"/api/v1/jobs/{await talker.ended()}/logs"
        page = (await acme.get(place)).json()
        messages = [line["message"] for line in page["items"]]
        assert set(messages) == {"hello", "printed acme", "complained", "goodbye"}
        assert (page["ended"], page["next_cursor"], page["after"]) == (True, None, "1-4")
        hello = next(line for line in page["items"] if line["message"] == "hello")
        assert (hello["level"], hello["stream"], hello["fields"]) == (20, "log", {"word": "acme"})
        assert hello["at"].endswith("Z")
        for level in ("error", "40"):
            found = (await acme.get(place, params={"level": level})).json()["items"]
            assert "goodbye" in [line["message"] for line in found]
            assert "hello" not in [line["message"] for line in found]
        (printed,) = (await acme.get(place, params={"stream": "stdout"})).json()["items"]
        assert printed["message"] == "printed acme"
        first = (await acme.get(place, params={"limit": 3})).json()
        rest = (await acme.get(place, params={"after": first["next_cursor"]})).json()
        assert first["items"] + rest["items"] == page["items"]


async def test_what_is_asked_for_wrongly_is_refused(api: Api, acme: httpx.AsyncClient) -> None:
    async with talking(api) as talker:
        place = f"/api/v1/jobs/{await talker.ended()}/logs"
        for wrong in (
            {"after": "x"},
            {"after": "1-2-3"},
            {"limit": 0},
            {"limit": 10_001},
            {"level": "loud"},
            {"level": 101},
            {"stream": "other"},
            {"format": "xml"},
            {"lines": 5},
        ):
            refused = await acme.get(place, params=wrong)
            assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, next(iter(wrong))), refused.text


async def test_all_lines_are_downloaded_as_text(api: Api, acme: httpx.AsyncClient) -> None:
    async with talking(api) as talker:
        job_id = await talker.ended()
        place = f"/api/v1/jobs/{job_id}/logs"
        # More than one part.
        await talker.api.execute(
            "insert into headrace.log (at, job_id, run, seq, tenant_id, definition_id, level, stream, message)"
            " select at, job_id, run, seq + n, tenant_id, definition_id, level, stream, 'line ' || n from headrace.log,"
            " generate_series(1, 4500) as n where job_id = $1 and seq = 4",
            job_id,
        )
        for answer in (
            await acme.get(place, headers={"Accept": "text/plain"}),
            await acme.get(place, params={"format": "text"}),
        ):
            assert answer.headers["content-type"] == "text/plain; charset=utf-8"
            assert f"job-{job_id}.log" in answer.headers["content-disposition"]
            lines = answer.text.splitlines()
            assert len(lines) == 4504
            assert 'INFO     hello {"word": "acme"}' in answer.text
            assert lines[-1].endswith("ERROR    line 4500")
        as_json = await acme.get(place, headers={"Accept": "text/plain, application/json"})
        assert as_json.headers["content-type"] == "application/json"


async def test_lines_are_followed_as_they_come_until_the_job_has_ended(api: Api, served: str) -> None:
    async with talking(api) as talker:
        job_id = await talker.start()
        headers = await token_of(talker.api, "acme")
        seen: list[Sent] = []
        async with (
            httpx.AsyncClient(base_url=served, headers=headers, timeout=PATIENCE) as client,
            client.stream("GET", f"/api/v1/jobs/{job_id}/logs", params={"follow": "true"}) as answer,
        ):
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            async for sent in events(answer):
                assert isinstance(sent, Sent)
                seen.append(sent)
                if len(seen) == 3:  # all that it says before it waits
                    talker.go_on.set()
        assert [sent.place for sent in seen] == ["1-1", "1-2", "1-3", "1-4", None]
        assert [sent.name for sent in seen] == ["line"] * 4 + ["end"]
        assert (seen[3].data["message"], seen[4].data) == ("goodbye", {"status": "succeeded"})


async def test_a_follower_resumes_behind_the_last_line_it_saw(api: Api, acme: httpx.AsyncClient) -> None:
    async with talking(api) as talker:
        place = f"/api/v1/jobs/{await talker.ended()}/logs?follow=true"
        answer = await acme.get(place, headers={"Last-Event-ID": "1-3"})
        assert [line for line in answer.text.splitlines() if line.startswith("id")] == ["id: 1-4"]
        whole = await acme.get(place, headers={"Last-Event-ID": "nonsense"})
        assert whole.text.count("event: line") == 4
        assert whole.text.rstrip().endswith('data: {"status": "succeeded"}')
        after = await acme.get(f"{place}&after=1-4")
        assert after.text.count("event: line") == 0


async def test_a_quiet_stream_shows_that_it_lives_and_holds_no_connection(
    api: Api, served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(api) as talker:
        monkeypatch.setattr(api_sse, "HEARTBEAT_SECONDS", 0.05)
        job_id = await talker.start()
        headers = await token_of(talker.api, "acme")
        async with (
            httpx.AsyncClient(base_url=served, headers=headers, timeout=PATIENCE) as client,
            client.stream("GET", f"/api/v1/jobs/{job_id}/logs", params={"follow": "true"}) as answer,
        ):
            async for sent in events(answer):
                if isinstance(sent, str):
                    break
            pool = talker.api.hr.database.tenant_pool

            def follows_without_a_connection() -> bool:
                return len(_followers()) == 1 and pool.get_idle_size() == pool.get_size()

            await until("it follows and holds no connection", follows_without_a_connection)
        # The client has gone: nobody asks the database on its behalf any more.
        await until("the stream has ended", lambda: not _followers())


async def test_a_stream_ends_when_its_token_is_revoked(api: Api, served: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_sse, "HEARTBEAT_SECONDS", 0.05)
    async with talking(api) as talker:
        job_id = await talker.start()
        made = await api.system.tokens.create("short-lived", "tenant_viewer", tenant="acme")
        headers = {"Authorization": f"Bearer {made.token}"}
        last: Sent | None = None
        async with (
            httpx.AsyncClient(base_url=served, headers=headers, timeout=PATIENCE) as client,
            client.stream("GET", f"/api/v1/jobs/{job_id}/logs", params={"follow": "true"}) as answer,
        ):
            async for sent in events(answer):
                if isinstance(sent, Sent):
                    last = sent
                elif last is not None:
                    await api.system.tokens.revoke(made.about.id)
        assert last is not None
        assert (last.name, last.data["code"]) == ("refused", "unauthenticated")


def _followers() -> list[Any]:
    return [task for task in asyncio.all_tasks() if task.get_name() == "headrace stream"]


async def test_another_tenant_reads_follows_and_downloads_nothing(
    api: Api, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    async with talking(api) as talker:
        job_id, nobodys = await talker.ended(), str(uuid4())
        for params in ({}, {"follow": "true"}, {"format": "text"}):
            foreign = await globex.get(f"/api/v1/jobs/{job_id}/logs", params=params)
            absent = await globex.get(f"/api/v1/jobs/{nobodys}/logs", params=params)
            assert foreign.status_code == absent.status_code == 404
            assert foreign.text.replace(job_id, nobodys) == absent.text
            assert (await admin.get(f"/api/v1/jobs/{job_id}/logs", params=params)).status_code == 200


async def test_a_search_finds_a_tenants_own_lines_and_a_super_admin_all(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    async with talking(api) as talker:
        ours, theirs = await talker.ended("acme"), await talker.ended("globex")

        async def found(client: httpx.AsyncClient, **params: Any) -> set[tuple[str, str]]:
            return {(hit["tenant"], hit["job_id"]) for hit in await all_hits(client, **params)}

        assert await found(acme, query="goodbye") == {("acme", ours)}
        assert await found(globex, query="goodbye") == {("globex", theirs)}
        assert await found(admin, query="goodbye") == {("acme", ours), ("globex", theirs)}
        assert await found(acme, job_id=theirs) == set()
        assert await found(acme, query="globex") == set()
        assert await found(acme, query="hello", level="error") == set()
        assert await found(acme, definition="talk", level="error") == {("acme", ours)}
        assert await found(acme, query="hello", until="2020-01-01T00:00:00Z") == set()
        admin.headers["X-Headrace-Tenant"] = "globex"
        assert await found(admin, query="goodbye") == {("globex", theirs)}
        assert await all_hits(acme, limit=1) == await all_hits(acme)


async def all_hits(client: httpx.AsyncClient, **params: Any) -> list[dict[str, Any]]:
    """Page by page: on a busy machine a search may end before it found anything, with a cursor to go on."""
    hits: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = await client.get(LOGS, params={**params, **cursor})
        assert answer.status_code == 200, answer.text
        hits += answer.json()["items"]
        if answer.json()["next_cursor"] is None:
            return hits
        cursor = {"cursor": answer.json()["next_cursor"]}


async def test_a_search_that_is_none_is_refused(acme: httpx.AsyncClient) -> None:
    for wrong in (
        {"limit": 1001},
        {"level": "loud"},
        {"job_id": "x"},
        {"since": "2020-01-01T00:00:00"},
        {"since": "0001-01-01T00:00:00+14:00"},
        {"until": "9999-12-31T23:59:59-14:00"},
        {"tenant": "globex"},
    ):
        refused = await acme.get(LOGS, params=wrong)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, next(iter(wrong))), refused.text
    assert (await acme.get(LOGS, params={"query": "~"})).status_code == 400
    assert (await acme.get(LOGS, params={"definition": "nothing"})).status_code == 404
