"""Charts over HTTP."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import httpx
import pytest
from tests.api.conftest import Api
from tests.worker.running import finished, running

from headrace.rollups.fold import fold_deltas
from headrace.worker.process.database_worker import WorkerProcess

CHART = "/api/v1/charts/throughput"


async def run_some(api: Api, tenant: str, n: int) -> None:
    async with running(WorkerProcess(api.hr)):
        for _ in range(n):
            await finished(api.hr, await api.hr.enqueue("work", tenant=tenant))
    async with api.hr.database.pool.acquire() as conn:
        await fold_deltas(conn)


@pytest.mark.parametrize(
    ("window", "steps", "seconds"),
    [("1h", 60, 60), ("6h", 72, 300), ("24h", 24, 3600), ("7d", 84, 7200), ("30d", 90, 28800)],
)
async def test_a_window_has_steps_without_gaps_up_to_now(
    api: Api, acme: httpx.AsyncClient, window: str, steps: int, seconds: int
) -> None:
    await run_some(api, "acme", 2)

    chart = (await acme.get(CHART, params={"window": window})).json()

    assert (len(chart["items"]), chart["step_seconds"]) == (steps, seconds)
    times = [datetime.fromisoformat(step["at"]) for step in chart["items"]]
    assert {later - earlier for earlier, later in pairwise(times)} == {timedelta(seconds=seconds)}
    assert times[-1] <= datetime.fromisoformat(chart["until"]) < times[-1] + timedelta(seconds=seconds)
    assert sum(step["succeeded"] for step in chart["items"]) == 2
    assert sum(step["enqueued"] for step in chart["items"]) == 2
    assert sum(step["duration_seconds"]["count"] for step in chart["items"]) == 2


async def test_a_tenant_sees_its_own_alone(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    await run_some(api, "acme", 2)
    await run_some(api, "globex", 1)

    async def total(client: httpx.AsyncClient, **params: str) -> int:
        answer = await client.get(CHART, params=params)
        assert answer.status_code == 200, answer.text
        return sum(step["succeeded"] for step in answer.json()["items"])

    assert (await total(acme), await total(globex), await total(admin)) == (2, 1, 3)
    assert await total(acme, definition="work") == 2
    assert await total(acme, definition="greet") == 0


async def test_what_cannot_be_drawn(api: Api, acme: httpx.AsyncClient) -> None:
    assert (await acme.get(CHART, params={"window": "2h"})).status_code == 422
    assert (await acme.get(CHART, params={"definition": "nothing"})).status_code == 404
    assert (await acme.get(CHART, params={"definitions": "work"})).status_code == 422
    async with await api.caller("worker") as worker:
        assert (await worker.get(CHART)).status_code == 403


async def test_the_busiest_definitions_come_first_with_how_they_did(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    await run_some(api, "acme", 3)

    [busy] = (await acme.get("/api/v1/charts/busiest")).json()["items"]
    [usual] = (await acme.get("/api/v1/charts/usual")).json()["items"]

    assert (busy["definition"], busy["attempts"], busy["failed"]) == ("work", 3, 0)
    assert len(busy["steps"]) == 20
    assert sum(busy["steps"]) == 3
    assert busy["duration_seconds"]["count"] == 3
    assert usual["definition"] == "work"
    assert 0 < usual["p50"] <= usual["p95"]
    assert (await globex.get("/api/v1/charts/busiest")).json()["items"] == []
    assert (await globex.get("/api/v1/charts/usual")).json()["items"] == []
    week = (await acme.get("/api/v1/charts/busiest", params={"window": "7d"})).json()["items"]
    assert [(one["definition"], one["attempts"]) for one in week] == [("work", 3)]


async def test_the_last_hour_of_queues_says_how_deep_they_were_and_whose_jobs_ran(
    api: Api, admin: httpx.AsyncClient
) -> None:
    async with api.hr.database.pool.acquire() as conn:
        await conn.execute(
            "insert into headrace.rollup (minute, tenant_id, definition_id, runs, depth)"
            " select date_trunc('minute', now()) - n * interval '1 minute', tenant.id, definition.id, 3, 10 * n"
            "   from headrace.tenant, headrace.definition, unnest(array[1, 2, 70]) as n"
            "  where tenant.name in ('acme', 'globex') and key = 'work'"
        )

    [queue] = (await admin.get("/api/v1/charts/queues")).json()["items"]

    assert queue["queue"] == "default"
    assert len(queue["depth"]) == 20
    assert max(queue["depth"][-2:]) == 40
    assert not any(queue["depth"][:-2])
    assert queue["shares"] == [{"tenant": "acme", "runs": 6}, {"tenant": "globex", "runs": 6}]
