"""The stream: what changes, told to those whom it concerns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.listening import Heard, listening, served
from tests.waiting import until
from tests.worker.running import finished, running

import headrace.api.routes.stream as route
import headrace.service.seats as seats
import headrace.service.stream.changes as changes
import headrace.service.stream.hub as hubs
from headrace.service.stream import Hub
from headrace.service.stream.service import event_id
from headrace.worker.process.database_worker import WorkerProcess


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hub, "every", 0.05)


@pytest.fixture
async def url(api: Api) -> AsyncIterator[str]:
    async with served(api.asgi) as address:
        yield address


def hub(api: Api) -> Hub:
    found: Hub = api.asgi.api.state.hub
    return found


def listeners(api: Api) -> int:
    return sum(len(group) for group in hub(api)._listeners.values())


async def enqueue(client: httpx.AsyncClient, **body: Any) -> str:
    return str((await client.post("/api/v1/jobs", json={"definition": "work", **body})).json()["id"])


async def until_heard(heard: Heard, job: str, status: str) -> None:
    await until(f"the stream says {status}", lambda: (job, status) in heard.jobs())


async def test_a_job_is_told_from_its_beginning_to_its_end(api: Api, url: str) -> None:
    go_on = asyncio.Event()

    @api.hr.job("wait")
    async def wait() -> None:
        await go_on.wait()

    await api.hr.sync_definitions(complete=False)
    async with listening(url, await api.token("tenant_viewer", "acme")) as heard:
        job = str(await api.hr.enqueue("wait", tenant="acme"))
        await until_heard(heard, job, "queued")
        async with running(WorkerProcess(api.hr)):
            await until_heard(heard, job, "running")
            go_on.set()
            await until_heard(heard, job, "succeeded")

    [told] = [data for name, data in heard.events if name == "job" and data["status"] == "succeeded"]
    assert (told["definition"], told["tenant"], told["attempt_count"]) == ("wait", "acme", 1)
    assert heard.jobs() == [(job, "queued"), (job, "running"), (job, "succeeded")]


async def test_cancel_retry_and_what_is_due_are_told(api: Api, url: str, acme: httpx.AsyncClient) -> None:
    async with listening(url, await api.token("tenant_admin", "acme")) as heard:
        job = await enqueue(acme, delay_seconds=1000)
        await until_heard(heard, job, "scheduled")
        await acme.post(f"/api/v1/jobs/{job}/cancel")
        await until_heard(heard, job, "canceled")
        await acme.post(f"/api/v1/jobs/{job}/retry")
        await until_heard(heard, job, "queued")


async def test_nobody_hears_of_another_tenant(
    api: Api, url: str, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    async with (
        listening(url, await api.token("tenant_admin", "acme")) as ours,
        listening(url, await api.token("tenant_admin", "globex")) as theirs,
        listening(url, await api.token("super_admin")) as everybody,
        listening(url, await api.token("super_admin"), **{"X-Headrace-Tenant": "globex"}) as chosen,
    ):
        our_job, their_job = await enqueue(acme), await enqueue(globex)
        await until_heard(everybody, our_job, "queued")
        await until_heard(everybody, their_job, "queued")
        await until_heard(ours, our_job, "queued")
        await until_heard(theirs, their_job, "queued")
        await until_heard(chosen, their_job, "queued")

    assert {job for job, _ in ours.jobs()} == {our_job}
    assert {job for job, _ in theirs.jobs()} == {their_job}
    assert {job for job, _ in chosen.jobs()} == {their_job}


async def test_whoever_comes_back_misses_nothing(api: Api, url: str, acme: httpx.AsyncClient) -> None:
    token = await api.token("tenant_admin", "acme")
    async with listening(url, token) as heard:
        before = await enqueue(acme)
        await until_heard(heard, before, "queued")
    ended = [await enqueue(acme) for _ in range(3)]
    async with running(WorkerProcess(api.hr)):
        for job in ended:
            await finished(api.hr, job)  # type: ignore[arg-type]

    async with listening(url, token, heard.last_id) as again:
        await until("the greeting is over", lambda: bool(again.summaries()))

    # All of it is in the greeting: what looks find later would come to anybody.
    greeting = [data["id"] for _, data in again.events[: [name for name, _ in again.events].index("summary")]]
    assert set(ended) <= set(greeting)
    assert again.summaries()[0]["many"] is False
    assert int(again.last_id or 0) > int(heard.last_id or 0)


@pytest.mark.parametrize("last_id", ["nonsense", "0", "-1", "9" * 39, "long ago", "ahead"])
async def test_whoever_was_away_for_too_long_is_told_to_read_again(api: Api, url: str, last_id: str) -> None:
    times = {"long ago": -timedelta(minutes=6), "ahead": timedelta(hours=1)}
    if last_id in times:
        last_id = event_id(datetime.now(UTC) + times[last_id])

    async with listening(url, await api.token("tenant_admin", "acme"), last_id) as heard:
        assert heard.summaries()[0]["many"] is True
    assert heard.jobs() == []


async def test_more_than_can_be_named_is_said_to_be_many(api: Api, url: str, acme: httpx.AsyncClient) -> None:
    token = await api.token("tenant_admin", "acme")
    async with listening(url, token) as heard, listening(url, await api.token("tenant_admin", "globex")) as others:
        start = heard.last_id
        await acme.post("/api/v1/jobs/batch", json={"jobs": [{"definition": "work"}] * (hubs.MOST_JOBS + 1)})
        await until("it is many", lambda: any(summary["many"] for summary in heard.summaries()))
    assert len(heard.jobs()) < hubs.MOST_JOBS
    assert not any(summary["many"] for summary in others.summaries())

    async with listening(url, token, start) as again:
        assert again.summaries()[0]["many"] is True


async def test_counts_are_told_when_they_change(api: Api, url: str, acme: httpx.AsyncClient) -> None:
    from headrace.rollups.fold import fold_deltas
    from headrace.rollups.sample import sample_queue

    async with listening(url, await api.token("tenant_admin", "acme")) as heard:
        await enqueue(acme)
        async with api.hr.database.pool.acquire() as conn:
            await fold_deltas(conn)
            await sample_queue(conn)

        def told() -> bool:
            last = heard.summaries()[-1]
            return bool(last["live"]["queued"] == 1 and last["enqueued"] == 1)

        await until("the counts are told", told)


async def test_nobody_looks_while_nobody_listens(api: Api, url: str) -> None:
    async with listening(url, await api.token("tenant_admin", "acme")):
        assert listeners(api) == 1
        looking = hub(api)._looking

    await until("who left is noticed", lambda: listeners(api) == 0)
    assert looking is not None
    await until("nobody looks any more", looking.done)


async def test_a_revoked_token_hears_no_more(api: Api, url: str) -> None:
    made = await api.system.tokens.create("x", "tenant_admin", tenant="acme")
    async with listening(url, made.token) as heard:
        await api.system.tokens.revoke(made.about.id)
        await until("the stream ends", lambda: heard.ended)


async def test_a_slow_listener_is_let_go(api: Api, monkeypatch: pytest.MonkeyPatch, acme: httpx.AsyncClient) -> None:
    monkeypatch.setattr(hubs, "MOST_BEHIND", 3)
    with hub(api).listen(None, None) as slow:
        await hub(api).look()
        for _ in range(5):
            await enqueue(acme)
            await hub(api).look()

        assert listeners(api) == 0
        assert await slow.batches.get() is None


async def test_there_is_a_bound_to_listeners(api: Api, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MOST_OF_ONE", 1)
    token = await api.token("tenant_admin", "acme")
    async with listening(url, token), httpx.AsyncClient() as client:
        answer = await client.get(f"{url}/api/v1/stream", headers={"Authorization": f"Bearer {token}"})

    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1


async def test_a_quiet_stream_shows_that_it_is_alive_and_how_far_it_has_heard(
    api: Api, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route, "HEARTBEAT_SECONDS", 0.1)
    async with listening(url, await api.token("tenant_admin", "acme")) as heard:
        first = heard.last_id
        await until("there are heartbeats", lambda: len(heard.comments) > 2)
        await until("the id goes on", lambda: heard.last_id != first)
    # That of the greeting, and that of the first look.
    assert len(heard.events) == len(heard.summaries()) <= 2


async def test_an_outage_loses_nothing(
    api: Api, url: str, acme: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = True
    failed = asyncio.Event()
    good = changes.read_changes

    async def look(*arguments: Any) -> Any:
        if away:
            failed.set()
            raise OSError("away")
        return await good(*arguments)

    async with listening(url, await api.token("tenant_admin", "acme")) as heard:
        await until("it has looked", lambda: hub(api).watermark is not None)
        monkeypatch.setattr(hubs, "read_changes", look)
        job = await enqueue(acme)
        await failed.wait()
        away = False
        await until_heard(heard, job, "queued")


async def test_workers_may_not_listen(api: Api) -> None:
    async with await api.caller("worker") as client:
        assert (await client.get("/api/v1/stream")).status_code == 403
    async with api.with_token(None) as client:
        assert (await client.get("/api/v1/stream")).status_code == 401


async def test_what_has_ended_is_found_by_pages_and_not_by_reading_history(api: Api) -> None:
    async with api.hr.database.pool.acquire() as conn, conn.transaction():
        await conn.execute(changes.SQL["by_index"])
        plan = await conn.fetch(f"explain {changes.SQL['ended']}", datetime.now(UTC), [1], False, changes.MOST_READ)
    text = "\n".join(row[0] for row in plan)
    assert "Bitmap Index Scan on attempt_2" in text
    assert "finished_at" in text
    assert "Seq Scan on attempt" not in text
