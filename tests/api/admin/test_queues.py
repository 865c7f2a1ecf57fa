"""Queues over HTTP: what waits, and a stand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
from tests.api.conftest import Api
from tests.worker.running import finished, running, status_is

from headrace.queue.claim import list_lanes
from headrace.queue.lease import WorkerIdentity, register_worker
from headrace.worker.process.database_worker import WorkerProcess

QUEUES = "/api/v1/admin/queues"


async def lanes(api: Api) -> int:
    """How many lanes of `work` a worker may claim from now."""
    who = WorkerIdentity("test", "host", 1, "0", ("*",), ("work",), 10, timedelta(minutes=1))
    async with api.hr.database.pool.acquire() as conn:
        return len((await list_lanes(conn, worker_id=await register_worker(conn, who))).terms)


async def sample(api: Api) -> None:
    """What the worker's rollups would have counted by now."""
    async with api.hr.database.pool.acquire() as conn:
        await conn.execute(
            "insert into headrace.queue_sample select tenant_id, lane_id, status, count(*), min(queued_at)"
            "  from headrace.queue group by 1, 2, 3"
        )
        await conn.execute(
            "insert into headrace.rollup (minute, tenant_id, definition_id, enqueued, succeeded, dead_letter,"
            "                             latency_buckets, duration_buckets)"
            " select date_trunc('minute', now()), 1, id, 9, 5, 2, '{}', '{}'"
            "   from headrace.definition where key = 'work'"
        )


async def test_a_queue_is_seen_with_what_waits_and_who_serves_it(
    api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient
) -> None:
    for _ in range(3):
        await acme.post("/api/v1/jobs", json={"definition": "work"})
    await acme.post("/api/v1/jobs", json={"definition": "work", "delay_seconds": 100})
    await api.hr.enqueue("work", tenant="acme", queue="mail")
    await sample(api)

    default, mail = (await admin.get(QUEUES)).json()["items"]

    assert (default["queue"], mail["queue"]) == ("default", "mail")
    assert default["depth"] == {"scheduled": 1, "queued": 3, "running": 0}
    assert default["oldest_age_seconds"] >= 0
    assert default["last_hour"] == {"enqueued": 9, "succeeded": 5, "failed": 2, "retried": 0}
    assert (default["workers"], default["paused"], default["pause"]) == (0, False, None)
    assert mail["depth"]["queued"] == 1
    assert (await admin.get(f"{QUEUES}/mail")).json()["depth"] == mail["depth"]
    first = (await admin.get(QUEUES, params={"limit": 1})).json()
    rest = (await admin.get(QUEUES, params={"cursor": first["next_cursor"]})).json()
    assert [queue["queue"] for queue in rest["items"]] == ["mail"]


async def test_nothing_is_claimed_from_a_paused_queue_until_it_is_resumed(api: Api, admin: httpx.AsyncClient) -> None:
    paused = await admin.post(f"{QUEUES}/default/pause", json={"note": "provider is down"})

    assert paused.status_code == 200, paused.text
    assert paused.json()["pause"]["note"] == "provider is down"
    assert paused.json()["pause"]["paused_by"] == "token super_admin of None"
    async with running(WorkerProcess(api.hr)):
        waiting = await api.hr.enqueue("work")  # its lane comes after the pause
        other = await api.hr.enqueue("work", queue="mail")
        await finished(api.hr, other)
        async with api.hr.database.pool.acquire() as conn:
            assert await status_is(conn, waiting, "queued")

        resumed = await admin.post(f"{QUEUES}/default/resume")

        assert (resumed.json()["paused"], resumed.json()["workers"]) == (False, 1)
        assert (await finished(api.hr, waiting)).status == "succeeded"


async def test_a_pause_may_end_by_itself(api: Api, admin: httpx.AsyncClient) -> None:
    await api.hr.enqueue("work")
    assert await lanes(api) == 1
    soon = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()

    paused = await admin.post(f"{QUEUES}/default/pause", json={"resume_at": soon})

    assert datetime.fromisoformat(paused.json()["pause"]["resume_at"]) == datetime.fromisoformat(soon)
    assert await lanes(api) == 0
    async with api.hr.database.pool.acquire() as conn:
        await conn.execute("update headrace.queue_pause set resume_at = now() - interval '1 second'")
    assert await lanes(api) == 1
    assert (await admin.get(f"{QUEUES}/default")).json()["paused"] is False


async def test_a_length_of_a_pause_counts_from_the_databases_clock(api: Api, admin: httpx.AsyncClient) -> None:
    await api.hr.enqueue("work")

    paused = await admin.post(f"{QUEUES}/default/pause", json={"resume_after_seconds": 3600})

    assert paused.json()["pause"]["resume_at"] is not None
    async with api.hr.database.pool.acquire() as conn:
        left = await conn.fetchval("select resume_at - now() from headrace.queue_pause")
    assert timedelta(minutes=59) < left <= timedelta(hours=1)
    both = {"resume_at": "2101-01-01T00:00:00Z", "resume_after_seconds": 60}
    refused = await admin.post(f"{QUEUES}/default/pause", json=both)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "resume_after_seconds")


async def test_a_definition_that_is_paused_by_itself_stays_so(api: Api, admin: httpx.AsyncClient) -> None:
    await api.hr.enqueue("work")
    async with api.hr.database.pool.acquire() as conn:
        await conn.execute(
            "update headrace.lane set paused = true"
            " where definition_id = (select id from headrace.definition where key = 'work')"
        )
    await admin.post(f"{QUEUES}/default/pause")

    resumed = (await admin.post(f"{QUEUES}/default/resume")).json()

    assert resumed["paused_definitions"] == ["work"]
    assert await lanes(api) == 0


async def test_what_cannot_be_paused(admin: httpx.AsyncClient) -> None:
    past = await admin.post(f"{QUEUES}/default/pause", json={"resume_at": "2001-01-01T00:00:00Z"})

    assert past.status_code == 422
    assert past.json()["errors"][0]["field"] == "resume_at"
    assert (await admin.post(f"{QUEUES}/nothing/pause")).status_code == 404
    assert (await admin.post(f"{QUEUES}/nothing/resume")).status_code == 404


async def test_pauses_are_in_the_audit(admin: httpx.AsyncClient) -> None:
    await admin.post(f"{QUEUES}/default/pause", json={"note": "why"})
    await admin.post(f"{QUEUES}/default/resume")
    await admin.post(f"{QUEUES}/default/resume")

    items = (await admin.get("/api/v1/admin/audit", params={"action": "queues.pause"})).json()["items"]

    assert [item["detail"]["paused"] for item in items] == [False, True]
    assert items[1]["detail"]["note"] == "why"
