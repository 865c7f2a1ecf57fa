"""Many followers of logs cost what one costs, have a limit, and each gets every line once."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import asyncpg
import httpx
import pytest
from tests.api.conftest import Api
from tests.api.listening import served
from tests.waiting import PATIENCE, until
from tests.worker.running import running

from headrace import Context
from headrace.logs import read
from headrace.service import seats
from headrace.service.logs import hub
from headrace.worker.process.database_worker import WorkerProcess


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the database was asked for lines of each job."""
    asked: Counter[str] = Counter()
    fetch = asyncpg.Connection.fetch

    async def counted(self: asyncpg.Connection[Any], query: str, *values: Any, **options: Any) -> Any:
        if query == read.SQL["read_lines"]:
            asked[str(values[0])] += 1
        return await fetch(self, query, *values, **options)

    monkeypatch.setattr(asyncpg.Connection, "fetch", counted)
    return asked


@asynccontextmanager
async def following(
    url: str, token: str, job_id: str, **params: Any
) -> AsyncIterator[tuple[asyncio.Task[None], list[str]]]:
    """Follow a log for the length of the block: the task that does, and the places of the lines so far."""
    places: list[str] = []

    async def follow(answer: httpx.Response) -> None:
        async for line in answer.aiter_lines():
            places.extend(re.findall("^id: (.*)", line))

    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx.AsyncClient(timeout=PATIENCE, headers=headers) as client,
        client.stream("GET", f"{url}/api/v1/jobs/{job_id}/logs", params={"follow": "true", **params}) as answer,
    ):
        assert answer.status_code == 200, await answer.aread()
        task = asyncio.create_task(follow(answer))
        try:
            yield task, places
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_a_log_with_many_followers_is_read_as_often_as_one_with_a_single_one(
    api: Api, reads: Counter[str]
) -> None:
    token = await api.token("tenant_viewer", "acme")
    quiet, popular = [str(await api.hr.enqueue("work", tenant="acme")) for _ in range(2)]
    async with served(api.asgi) as url, AsyncExitStack() as stack:
        for job_id in (quiet, *[popular] * 30):
            await stack.enter_async_context(following(url, token, job_id))
        before = reads.copy()
        await until("the quiet one was read ten times more", lambda: reads[quiet] >= before[quiet] + 10)

        assert reads[popular] - before[popular] <= 12


async def test_a_follower_above_the_limit_gets_the_answer_that_a_stream_gets(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "MOST_OF_ONE", 1)
    token = await api.token("tenant_viewer", "acme")
    log = f"jobs/{await api.hr.enqueue('work', tenant='acme')}/logs?follow=true"
    refused = []
    async with served(api.asgi) as url, httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as client:
        for path in (log, "stream"):
            async with client.stream("GET", f"{url}/api/v1/{path}") as first:
                assert first.status_code == 200
                refused.append(await client.get(f"{url}/api/v1/{path}"))
        bodies = [{**answer.json(), "instance": None} for answer in refused]

        assert [answer.status_code for answer in refused] == [429, 429]
        assert bodies[0] == bodies[1]
        assert refused[0].headers["Retry-After"] == refused[1].headers["Retry-After"]


async def test_each_follower_gets_every_line_once_wherever_it_begins_and_however_slow_it_is(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "LINES_OF_A_PART", 3)
    monkeypatch.setattr(hub, "MOST_BEHIND", 4)  # a burst is more: they read for themselves and come back
    steps = [asyncio.Event() for _ in range(3)]

    @api.hr.job("burst")
    async def burst(ctx: Context) -> None:
        for step in steps:
            await step.wait()
            for n in range(20):
                ctx.log.log(40 if n % 2 else 20, "line", n=n)

    await api.hr.sync_definitions(complete=False)
    token = await api.token("tenant_viewer", "acme")
    every = [f"1-{n}" for n in range(1, 61)]
    async with running(WorkerProcess(api.hr)), served(api.asgi) as url, AsyncExitStack() as stack:
        job_id = str(await api.hr.enqueue("burst", tenant="acme"))

        async def follow(**params: Any) -> tuple[asyncio.Task[None], list[str]]:
            return await stack.enter_async_context(following(url, token, job_id, **params))

        followers = [await follow(), await follow(after="1-5"), await follow(level="error")]
        expected = [every, every[5:], every[1::2]]
        first = followers[0][1]
        for n, step in enumerate(steps, 1):
            step.set()
            await until("the first has all of it", partial(first.__contains__, f"1-{20 * n}"))
            followers.append(await follow())
            expected.append(every)
        followers.append(await follow(after="999999999-1"))
        expected.append([])
        await until("all have heard the end", lambda: all(task.done() for task, _ in followers))

        assert [places for _, places in followers] == expected
