"""The overview's sentences over HTTP, from real jobs."""

from __future__ import annotations

import httpx
from tests.api.conftest import Api
from tests.worker.running import app_on, finished, running

from headrace import Fail
from headrace.app.work import WorkerProcess
from headrace.rollups.fold import fold_deltas

HEALTH = "/api/v1/overview/health"


async def fold(api: Api) -> None:
    async with api.hr.database.pool.acquire() as conn:
        await fold_deltas(conn)
    await api.sample_queue()


async def test_before_the_first_job_all_is_well(api: Api, acme: httpx.AsyncClient, admin: httpx.AsyncClient) -> None:
    for client in (acme, admin):
        told = (await client.get(HEALTH)).json()

        assert (told["well"], told["title"], told["first_run"]) == (True, "All well", True)


async def test_jobs_that_nobody_runs_are_found_by_who_they_belong_to(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    await acme.post("/api/v1/jobs", json={"definition_key": "work"})
    await fold(api)

    assert (await acme.get(HEALTH)).json()["title"] == "No worker serves queue default"
    assert (await admin.get(HEALTH)).json()["title"] == "No worker serves queue default"
    assert (await globex.get(HEALTH)).json()["well"]


async def test_a_definition_that_fails_is_named(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, database_url: str
) -> None:
    other = app_on(database_url)

    @other.job("work")
    async def broken() -> None:
        raise Fail("no")

    async with other, running(WorkerProcess(other)):
        for _ in range(6):
            await finished(api.hr, await api.hr.enqueue("work", tenant="acme"))
        await fold(api)

        told = (await acme.get(HEALTH)).json()

    assert told["title"] == "work is failing"
    assert told["lead"].startswith("6 of 6 attempts failed in the last 15 minutes.")
    assert told["findings"][0]["kind"] == "definition"
    assert told["workers"] == 1
    assert (await globex.get(HEALTH)).json()["well"]
