"""Changes to many jobs."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.api.asking import ask
from tests.api.conftest import Api
from tests.waiting import until

from headrace.model.job.request import JobRequest
from headrace.service.jobs.bulk import MOST_RUNNING


async def enqueue(client: httpx.AsyncClient, n: int, **body: Any) -> list[str]:
    """So many jobs of `work`."""
    answer = await client.post("/api/v1/jobs/batch", json={"jobs": [{"definition": "work", **body}] * n})
    return [item["id"] for item in answer.json()["jobs"]]


async def begin(client: httpx.AsyncClient, action: str, **filters: Any) -> dict[str, Any]:
    """A bulk operation, followed to its end."""
    answer = await client.post("/api/v1/jobs/bulk", json={"action": action, "filter": filters})
    assert answer.status_code == 202, answer.text
    operation: dict[str, Any] = answer.json()

    async def ended() -> bool:
        operation.update((await client.get(f"/api/v1/jobs/bulk/{operation['id']}")).json())
        return bool(operation["state"] != "running")

    await until("the bulk operation has ended", ended)
    return operation


async def count(client: httpx.AsyncClient, status: str) -> int:
    """Jobs of a status, up to a page."""
    return len((await client.get("/api/v1/jobs", params={"status": status, "limit": 500})).json()["items"])


async def test_a_dry_run_counts_and_changes_nothing(acme: httpx.AsyncClient) -> None:
    await enqueue(acme, 5)

    answer = await acme.post("/api/v1/jobs/bulk", json={"action": "cancel", "dry_run": True})

    assert (answer.status_code, answer.json()) == (200, {"matching": 5, "capped": False})
    assert await count(acme, "queued") == 5


async def test_of_jobs_that_are_named_only_those_that_fit_are_changed(acme: httpx.AsyncClient) -> None:
    fits, other = await enqueue(acme, 1, correlation_id="a"), await enqueue(acme, 1, correlation_id="b")
    unnamed = await enqueue(acme, 1, correlation_id="a")

    canceled = await begin(acme, "cancel", ids=fits + other, correlation_id="a")

    assert (canceled["done"], canceled["expected"]) == (1, 1)
    found = [(await acme.get(f"/api/v1/jobs/{job_id}")).json()["status"] for job_id in fits + other + unnamed]
    assert found == ["canceled", "queued", "queued"]


async def test_all_that_fit_are_canceled_and_then_retried_and_deleted(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    await api.set_tenant("acme", queues=["other"])
    await enqueue(acme, 450)
    await enqueue(acme, 3, queue="other")
    await enqueue(globex, 4)

    canceled = await begin(acme, "cancel", queue="default")
    assert (canceled["state"], canceled["done"], canceled["expected"]) == ("done", 450, 450)
    assert (await count(acme, "canceled"), await count(acme, "queued")) == (450, 3)
    assert await count(globex, "queued") == 4

    retried = await begin(acme, "retry", status=["canceled"])
    assert (retried["done"], await count(acme, "queued")) == (450, 453)

    await begin(acme, "cancel")
    deleted = await begin(acme, "delete", status=["canceled"])
    assert (deleted["done"], await count(acme, "canceled")) == (453, 0)
    assert (await acme.get("/api/v1/jobs")).json()["items"] == []


async def test_a_retry_means_failed_and_dead_ones_unless_told_otherwise(api: Api, acme: httpx.AsyncClient) -> None:
    ids = await enqueue(acme, 3)
    await api.end(ids[0], "failed")
    await api.end(ids[1], "dead_letter")
    await api.end(ids[2], "succeeded")

    retried = await begin(acme, "retry")

    assert retried["done"] == 2
    assert await count(acme, "succeeded") == 1


@pytest.mark.parametrize(
    ("action", "filters"),
    [
        ("delete", {}),
        ("cancel", {"status": ["failed"]}),
        ("retry", {"status": ["queued"]}),
        ("delete", {"status": ["queued"]}),
    ],
)
async def test_statuses_that_do_not_fit_are_refused(
    acme: httpx.AsyncClient, action: str, filters: dict[str, Any]
) -> None:
    answer = await acme.post("/api/v1/jobs/bulk", json={"action": action, "filter": filters})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "filter.status"


async def test_what_is_begun_can_be_canceled_and_what_was_done_stays(api: Api, acme: httpx.AsyncClient) -> None:
    await enqueue(acme, 10)
    operation = await api.as_tenant("acme").jobs.bulk("cancel", api.all_jobs)

    answer = await acme.post(f"/api/v1/jobs/bulk/{operation.id}/cancel")
    await api.system.operations.run_all()

    assert answer.json()["state"] == "canceled"
    assert await count(acme, "queued") == 10


async def test_another_process_goes_on_where_one_died(api: Api, acme: httpx.AsyncClient) -> None:
    await enqueue(acme, 5)
    operation = await api.as_tenant("acme").jobs.bulk("cancel", api.all_jobs)  # and nobody runs it

    await api.system.operations.run_all()

    assert (await acme.get(f"/api/v1/jobs/bulk/{operation.id}")).json()["state"] == "done"
    assert await count(acme, "queued") == 0


async def test_a_server_that_starts_goes_on_with_what_another_left(api: Api) -> None:
    await api.as_tenant("acme").jobs.enqueue_many([JobRequest(definition="work")] * 5)
    operation = await api.as_tenant("acme").jobs.bulk("cancel", api.all_jobs)

    await ask(api.hr.asgi(), "get", "/healthz")  # whatever it is asked first

    async def done() -> bool:
        return (await api.system.operations.get(operation.id)).state == "done"

    await until("the bulk operation is done", done)
    assert (await api.system.operations.get(operation.id)).done == 5


async def test_a_tenant_has_a_few_operations_at_a_time_because_all_take_turns(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    await api.execute(
        "insert into headrace.operation (tenant_id, action, filter, expected, created_by, per_second, position,"
        " updated_at) select id, 'cancel', '{}', 1, 'ann', 1, gen_random_uuid(), 'infinity'"
        " from headrace.tenant, generate_series(1, $1) where name = 'acme'",
        MOST_RUNNING,
    )
    refused = await acme.post("/api/v1/jobs/bulk", json={"action": "cancel"})
    assert (refused.status_code, "20 running bulk operations" in refused.json()["detail"]) == (409, True)
    await begin(globex, "cancel")


async def test_jobs_that_come_later_are_left_alone(api: Api, acme: httpx.AsyncClient) -> None:
    await enqueue(acme, 2)
    await api.as_tenant("acme").jobs.bulk("cancel", api.all_jobs)
    await api.wait_a_millisecond()
    await enqueue(acme, 3)

    await api.system.operations.run_all()

    assert await count(acme, "queued") == 3


async def test_a_bulk_change_of_another_tenant_is_not_there(api: Api, globex: httpx.AsyncClient) -> None:
    operation = await api.as_tenant("acme").jobs.bulk("cancel", api.all_jobs)

    for request in (globex.get, globex.post):
        path = f"/api/v1/jobs/bulk/{operation.id}" + ("/cancel" if request == globex.post else "")
        assert (await request(path)).status_code == 404
    assert (await globex.get("/api/v1/jobs/bulk")).json()["items"] == []


async def test_a_bulk_change_is_on_record(api: Api, acme: httpx.AsyncClient) -> None:
    await enqueue(acme, 2)
    operation = await begin(acme, "cancel")

    async with api.hr.database.pool.acquire() as conn:
        row = await conn.fetchrow("select who, action, target from headrace.audit where action = 'jobs.bulk'")
    assert row is not None
    assert tuple(row) == ("token tenant_admin of acme", "jobs.bulk", operation["id"])


async def test_only_those_that_are_named_are_changed(api: Api, acme: httpx.AsyncClient) -> None:
    ids = await enqueue(acme, 4)
    others = await api.hr.enqueue("work", tenant="globex")
    foreign = str(others)

    dry = await acme.post(
        "/api/v1/jobs/bulk", json={"action": "cancel", "filter": {"ids": [ids[0], ids[2], foreign]}, "dry_run": True}
    )
    done = await begin(acme, "cancel", ids=[ids[0], ids[2], foreign])

    assert dry.json()["matching"] == 2
    assert (done["done"], done["left_alone"]) == (2, 0)
    canceled = (await acme.get("/api/v1/jobs", params={"status": "canceled"})).json()["items"]
    assert {job["id"] for job in canceled} == {ids[0], ids[2]}
    assert (await api.system.jobs.get(others)).status == "queued"


async def test_a_pace_is_kept(api: Api, acme: httpx.AsyncClient) -> None:
    await enqueue(acme, 5)
    answer = await acme.post("/api/v1/jobs/bulk", json={"action": "cancel", "per_second": 2})
    operation = answer.json()
    assert operation["per_second"] == 2

    async def ended() -> bool:
        operation.update((await acme.get(f"/api/v1/jobs/bulk/{operation['id']}")).json())
        return bool(operation["state"] != "running")

    await until("the bulk operation has ended", ended)
    assert (operation["state"], operation["done"]) == ("done", 5)
    took = datetime.fromisoformat(operation["finished_at"]) - datetime.fromisoformat(operation["created_at"])
    assert took >= timedelta(seconds=2)
