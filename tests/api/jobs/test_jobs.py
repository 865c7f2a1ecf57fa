"""Jobs over HTTP."""

from __future__ import annotations

import httpx
from tests.api.conftest import Api


async def test_a_job_is_enqueued_and_read_back(acme: httpx.AsyncClient) -> None:
    answer = await acme.post("/api/v1/jobs", json={"definition": "greet", "payload": {"name": "Ann"}})

    assert answer.status_code == 201, answer.text
    job = answer.json()
    assert (job["tenant"], job["definition"], job["status"]) == ("acme", "greet", "queued")
    read = await acme.get(f"/api/v1/jobs/{job['id']}")
    assert read.json() == job
    assert job["created_by"] == "token tenant_admin of acme"


async def test_another_tenant_finds_nothing(acme: httpx.AsyncClient, globex: httpx.AsyncClient) -> None:
    job = (await acme.post("/api/v1/jobs", json={"definition": "work"})).json()

    foreign = await globex.get(f"/api/v1/jobs/{job['id']}")
    absent = await globex.get("/api/v1/jobs/00000000-0000-7000-8000-000000000000")

    assert foreign.status_code == absent.status_code == 404
    assert foreign.json()["code"] == "not_found"
    assert (await globex.get("/api/v1/jobs")).json()["items"] == []


async def test_a_list_is_newest_first_and_goes_on_with_its_cursor(acme: httpx.AsyncClient) -> None:
    made = [(await acme.post("/api/v1/jobs", json={"definition": "work"})).json()["id"] for _ in range(5)]

    first = (await acme.get("/api/v1/jobs", params={"limit": 3})).json()
    rest = (await acme.get("/api/v1/jobs", params={"limit": 3, "cursor": first["next_cursor"]})).json()

    assert sorted(job["id"] for job in first["items"] + rest["items"]) == sorted(made)
    assert rest["next_cursor"] is None


async def test_a_summary_counts_live_jobs_as_they_are(acme: httpx.AsyncClient) -> None:
    await acme.post("/api/v1/jobs/batch", json={"jobs": [{"definition": "work"}] * 3})
    await acme.post("/api/v1/jobs", json={"definition": "work", "delay_seconds": 3600})

    summary = (await acme.get("/api/v1/jobs/summary")).json()

    assert (summary["queued"], summary["scheduled"], summary["running"]) == (3, 1, 0)
    assert summary["oldest_queued_seconds"] >= 0


async def test_why_says_that_nobody_serves_the_queue(acme: httpx.AsyncClient) -> None:
    _, second = (await acme.post("/api/v1/jobs/batch", json={"jobs": [{"definition": "work"}] * 2})).json()["jobs"]

    answer = (await acme.get(f"/api/v1/jobs/{second['id']}/why")).json()

    assert [reason["code"] for reason in answer["reasons"]] == ["no_worker", "behind"]
    assert "behind 1 job " in answer["reasons"][1]["detail"]


async def test_jobs_are_counted_by_status_as_a_list_would_show_them(
    api: Api, acme: httpx.AsyncClient, admin: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    for status in ("failed", "failed", "dead_letter", "canceled", "succeeded"):
        made = (await acme.post("/api/v1/jobs", json={"definition": "work"})).json()
        await api.end(made["id"], status)
    await globex.post("/api/v1/jobs", json={"definition": "work"})

    async def counts(client: httpx.AsyncClient) -> dict[str, int]:
        items = (await client.get("/api/v1/jobs/counts")).json()["items"]
        assert not any(item["capped"] for item in items)
        return {item["status"]: item["jobs"] for item in items if item["jobs"]}

    assert await counts(acme) == {"failed": 2, "dead_letter": 1, "canceled": 1, "succeeded": 1}
    assert await counts(globex) == {"queued": 1}
    assert await counts(admin) == {"queued": 1, "failed": 2, "dead_letter": 1, "canceled": 1, "succeeded": 1}
