"""Workers over HTTP: seen, and asked to go."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import httpx
import pytest
from tests.api.conftest import Api
from tests.waiting import PATIENCE, until
from tests.worker.running import running, status_is, until_status, worker_id

from headrace.db.listen import Listener
from headrace.queue.lease import WorkerIdentity, register_worker
from headrace.worker.process.database_worker import WorkerProcess

WORKERS = "/api/v1/admin/workers"


async def test_a_worker_is_seen_with_what_it_runs(api: Api, admin: httpx.AsyncClient) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    @api.hr.job("wait")
    async def wait() -> None:
        started.set()
        await go_on.wait()

    async with running(WorkerProcess(api.hr, concurrency=3)) as process:
        job = await api.hr.enqueue("wait")
        await started.wait()

        listed = (await admin.get(WORKERS)).json()["items"]
        one = (await admin.get(f"{WORKERS}/{worker_id(process)}")).json()
        go_on.set()

    assert [worker["id"] for worker in listed] == [worker_id(process)]
    assert one["running_jobs"] == [str(job)]
    assert (one["state"], one["stale"], one["draining"]) == ("live", False, False)
    assert (one["concurrency"], one["queues"], one["lease_seconds"]) == (3, ["*"], 60.0)
    assert {"work", "greet", "wait"} <= set(one["definitions"])
    assert (await admin.get(f"{WORKERS}/{worker_id(process)}")).json()["state"] == "stopped"
    assert (await admin.get(WORKERS, params={"state": "live"})).json()["items"] == []


async def test_a_worker_that_misses_its_beats_is_stale(api: Api, admin: httpx.AsyncClient) -> None:
    async with api.hr.database.pool.acquire() as conn:
        identity = WorkerIdentity("gone", "host", 1, "0", ("*",), ("work",), 10, timedelta(minutes=1))
        gone = await register_worker(conn, identity)
        await conn.execute("update headrace.worker set heartbeat_at = now() - lease * 0.7 where id = $1", gone)

    one = (await admin.get(f"{WORKERS}/{gone}")).json()

    assert (one["state"], one["stale"]) == ("live", True)


async def test_a_drained_worker_finishes_what_it_runs_claims_no_more_and_stops(
    api: Api, admin: httpx.AsyncClient
) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    @api.hr.job("wait")
    async def wait() -> str:
        started.set()
        await go_on.wait()
        return "done"

    process = WorkerProcess(api.hr, concurrency=3)
    work = asyncio.create_task(process.run())
    await process.worker.ready.wait()
    running_job = await api.hr.enqueue("wait")
    await started.wait()

    answer = await admin.post(f"{WORKERS}/{worker_id(process)}/drain")

    assert (answer.status_code, answer.json()["draining"]) == (200, True)
    late = await api.hr.enqueue("work")
    await until("the worker has heard", lambda: process.worker._draining)
    async with api.hr.database.pool.acquire() as conn:
        assert await status_is(conn, running_job, "running")
        assert await status_is(conn, late, "queued")
        go_on.set()
        await asyncio.wait_for(work, PATIENCE)
        await until_status(conn, running_job, "succeeded")
        assert await status_is(conn, late, "queued")
    assert (await admin.get(f"{WORKERS}/{worker_id(process)}")).json()["state"] == "stopped"


async def test_a_worker_that_nobody_tells_hears_with_its_heartbeat(
    api: Api, admin: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Listener, "start", lambda _: None)  # as behind a transaction pooler
    process = WorkerProcess(api.hr)
    work = asyncio.create_task(process.run())
    await process.worker.ready.wait()

    await admin.post(f"{WORKERS}/{worker_id(process)}/drain")
    process.worker.nudge()  # the time of a beat has come

    await asyncio.wait_for(work, PATIENCE)


async def test_only_a_live_worker_can_be_drained(api: Api, admin: httpx.AsyncClient) -> None:
    async with running(WorkerProcess(api.hr)) as process:
        pass

    assert (await admin.post(f"{WORKERS}/{worker_id(process)}/drain")).status_code == 409
    assert (await admin.post(f"{WORKERS}/999999/drain")).status_code == 404
    assert (await admin.get(f"{WORKERS}/999999")).status_code == 404
    assert (await admin.get(f"{WORKERS}/{10**30}")).status_code == 422


async def test_a_drain_is_in_the_audit_once(api: Api, admin: httpx.AsyncClient) -> None:
    async with running(WorkerProcess(api.hr)) as process:
        await admin.post(f"{WORKERS}/{worker_id(process)}/drain")
        await admin.post(f"{WORKERS}/{worker_id(process)}/drain")

    items = (await admin.get("/api/v1/admin/audit", params={"action": "workers.drain"})).json()["items"]

    assert [item["target"] for item in items] == [str(worker_id(process))]
