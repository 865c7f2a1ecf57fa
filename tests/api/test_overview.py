"""The overview's sentences over HTTP, from real jobs."""

from __future__ import annotations

from datetime import timedelta

import httpx
from tests.api.conftest import Api
from tests.worker.running import app_on, finished, running

from headrace import Fail
from headrace.queue.lease import WorkerIdentity, register_worker
from headrace.worker.process.database_worker import WorkerProcess

HEALTH = "/api/v1/overview/health"


async def fold(api: Api) -> None:
    await api.fold()
    await api.sample_queue()


async def test_before_the_first_job_all_is_well(api: Api, acme: httpx.AsyncClient, admin: httpx.AsyncClient) -> None:
    for client in (acme, admin):
        told = (await client.get(HEALTH)).json()

        assert (told["well"], told["title"], told["first_run"]) == (True, "All well", True)


async def test_jobs_that_nobody_runs_are_found_by_who_they_belong_to(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    await acme.post("/api/v1/jobs", json={"definition": "work"})
    await fold(api)

    assert (await acme.get(HEALTH)).json()["title"] == "No worker serves queue default"
    assert (await admin.get(HEALTH)).json()["title"] == "No worker serves queue default"
    assert (await globex.get(HEALTH)).json()["well"]


async def test_jobs_of_a_definition_that_is_gone_are_told_by_its_name_and_not_as_a_late_queue(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    await acme.post("/api/v1/jobs", json={"definition": "work"})
    schedule = {"name": "nightly", "definition": "work", "cron": "0 3 * * *"}
    made = (await acme.post("/api/v1/jobs/triggers", json=schedule)).json()
    async with api.hr.database.pool.acquire() as conn:
        await register_worker(conn, WorkerIdentity("w", "host", 1, "0", ("*",), ("other",), 1, timedelta(minutes=1)))
        await conn.execute("update headrace.definition set deleted_from_code_at = now() where key = 'work'")
        await conn.execute("update headrace.queue set queued_at = now() - interval '2 hours'")
    await fold(api)

    told = (await acme.get(HEALTH)).json()

    assert [(one["kind"], one["name"], one["title"]) for one in told["findings"]] == [
        ("unknown", "work", "No worker knows definition work"),
        ("trigger", "nightly", "Trigger nightly makes no jobs"),
    ]
    assert (await globex.get(HEALTH)).json()["well"]
    shown = (await acme.get(f"/api/v1/jobs/triggers/{made['id']}")).json()
    assert (shown["enabled"], shown["obstacle"]) == (True, "deleted_from_code")
    (job,) = (await acme.get("/api/v1/jobs")).json()["items"]
    why = (await acme.get(f"/api/v1/jobs/{job['id']}/why")).json()
    assert "which no code declares any more" in str(why)


async def test_jobs_that_live_workers_cannot_read_are_told_with_both_versions_to_whom_they_belong(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    await acme.post("/api/v1/jobs", json={"definition": "work"})
    old = WorkerIdentity("w", "host", 1, "0", ("*",), ("work",), 1, timedelta(minutes=1), schemas={"work": "older"})
    gone = WorkerIdentity("g", "host", 2, "0", ("*",), ("work",), 1, timedelta(minutes=1), schemas={"work": "oldest"})
    async with api.hr.database.pool.acquire() as conn:
        await register_worker(conn, old)
        await conn.execute("update headrace.worker set state = 'lost' where id = $1", await register_worker(conn, gone))
        await conn.execute("update headrace.queue set unreadable_since = now() - interval '2 minutes'")
        declared = await conn.fetchval("select schema_version from headrace.definition where key = 'work'")
    await fold(api)

    for client in (acme, admin):
        told = (await client.get(HEALTH)).json()
        assert told["title"] == "Jobs were enqueued by a newer version of work"
        assert told["lead"].startswith("1 job could not be read for ")
        assert told["lead"].endswith(f"{declared} was declared last; live workers have older.")
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


async def test_a_tenant_learns_of_workers_that_serve_its_queues_and_of_no_others(
    api: Api, acme: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    async with api.hr.database.pool.acquire() as conn:
        for name, queue, slots in (("near", "default", 3), ("far", "hidden", 40)):
            identity = WorkerIdentity(name, "host", 1, "0", (queue,), ("work",), slots, timedelta(hours=1))
            await register_worker(conn, identity)
        await conn.execute("update headrace.worker set heartbeat_at = now() - interval '1 minute', running = 2")

    async def told(client: httpx.AsyncClient) -> tuple[set[str], list[int]]:
        health = (await client.get(HEALTH)).json()
        return {one["name"] for one in health["findings"]}, [health[what] for what in ("workers", "slots", "busy")]

    assert await told(admin) == ({"near", "far"}, [2, 43, 4])
    assert await told(acme) == ({"near"}, [1, 3, 2])
    await api.set_tenant("acme", queues=["hidden"])
    assert await told(acme) == ({"near", "far"}, [2, 43, 4])
    await api.set_tenant("acme", queues=[])
    await api.execute("update headrace.definition set tenants = '{globex}'")
    assert await told(acme) == (set(), [0, 0, 0])
