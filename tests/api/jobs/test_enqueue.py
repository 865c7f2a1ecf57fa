"""What `POST /jobs` takes, and what it refuses."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api


async def post(client: httpx.AsyncClient, **body: Any) -> httpx.Response:
    """A job of `work` unless another is named."""
    return await client.post("/api/v1/jobs", json={"definition": "work", **body})


async def test_a_dedupe_key_gives_the_live_job_back(acme: httpx.AsyncClient) -> None:
    first = await post(acme, dedupe_key="one")
    second = await post(acme, dedupe_key="one")

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]


async def test_the_header_is_an_idempotency_key(acme: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "order 7"}
    first = await acme.post("/api/v1/jobs", json={"definition": "work"}, headers=headers)
    again = await acme.post("/api/v1/jobs", json={"definition": "work"}, headers=headers)

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert first.json()["idempotency_key"] == "order 7"


async def test_a_key_that_was_used_for_another_request_is_a_conflict(acme: httpx.AsyncClient) -> None:
    await post(acme, definition="greet", payload={"name": "Ann"}, idempotency_key="k")

    other = await post(acme, definition="greet", payload={"name": "Bob"}, idempotency_key="k")

    assert other.status_code == 409
    assert other.headers["content-type"] == "application/problem+json"


async def test_the_same_key_of_two_tenants_is_two_jobs(acme: httpx.AsyncClient, globex: httpx.AsyncClient) -> None:
    body = {"idempotency_key": "k", "dedupe_key": "k"}

    one, other = await post(acme, **body), await post(globex, **body)

    assert (one.status_code, other.status_code) == (201, 201)
    assert one.json()["id"] != other.json()["id"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"definition": "nothing"}, "definition"),
        ({"definition": "greet", "payload": {"name": 5}}, "payload"),
        ({"definition": "greet", "payload": {}}, "payload"),
        ({"payload": {"unasked": 1}}, "payload"),
        ({"payload": []}, "payload"),
        ({"priority": 1001}, "priority"),
        ({"priority": "high"}, "priority"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"scheduled_for": "tomorrow"}, "scheduled_for"),
        ({"scheduled_for": "2030-01-01T00:00:00"}, "scheduled_for"),
        ({"scheduled_for": "2030-01-01T00:00:00Z", "delay_seconds": 5}, "delay_seconds"),
        ({"delay_seconds": -1}, "delay_seconds"),
        ({"dedupe_key": ""}, "dedupe_key"),
        ({"dedupe_key": "a\x00b"}, "dedupe_key"),
        ({"correlation_id": "a\x00b"}, "correlation_id"),
        ({"queue": "no good"}, "queue"),
        ({"unknown": 1}, "unknown"),
    ],
)
async def test_what_is_wrong_is_named(acme: httpx.AsyncClient, body: dict[str, Any], field: str) -> None:
    answer = await post(acme, **body)

    assert answer.status_code in (404, 422), answer.text
    assert any(error["field"].startswith(field) for error in answer.json()["errors"]), answer.text
    assert (await acme.get("/api/v1/jobs")).json()["items"] == []


async def test_text_that_postgresql_cannot_hold_is_refused_inside_a_payload_too(acme: httpx.AsyncClient) -> None:
    answer = await post(acme, definition="greet", payload={"name": "a\x00b"})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "payload"


async def test_a_batch_is_all_or_nothing_and_names_the_place(acme: httpx.AsyncClient) -> None:
    jobs = [{"definition": "work"}, {"definition": "greet", "payload": {"name": 1}}]

    answer = await acme.post("/api/v1/jobs/batch", json={"jobs": jobs})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "jobs.1.payload"
    assert (await acme.get("/api/v1/jobs")).json()["items"] == []


async def test_a_batch_tells_new_jobs_from_those_that_were_there(acme: httpx.AsyncClient) -> None:
    job = {"definition": "work", "dedupe_key": "one"}

    answer = await acme.post("/api/v1/jobs/batch", json={"jobs": [job, job, {"definition": "work"}]})

    made = answer.json()["jobs"]
    assert [item["created"] for item in made] == [True, False, True]
    assert made[0]["id"] == made[1]["id"] != made[2]["id"]


async def test_ten_thousand_jobs_are_one_batch_and_one_more_is_refused(acme: httpx.AsyncClient) -> None:
    job = {"definition": "work"}

    most = await acme.post("/api/v1/jobs/batch", json={"jobs": [job] * 10_000})
    more = await acme.post("/api/v1/jobs/batch", json={"jobs": [job] * 10_001})

    assert (most.status_code, more.status_code) == (201, 422)
    assert len({item["id"] for item in most.json()["jobs"]}) == 10_000


async def test_an_empty_batch_makes_no_jobs(acme: httpx.AsyncClient) -> None:
    answer = await acme.post("/api/v1/jobs/batch", json={"jobs": []})

    assert (answer.status_code, answer.json()) == (201, {"jobs": []})


async def test_a_payload_larger_than_the_tenants_limit_is_refused(api: Api, acme: httpx.AsyncClient) -> None:
    await api.set_tenant("acme", max_payload_bytes=50)

    answer = await post(acme, definition="greet", payload={"name": "x" * 60})

    assert (answer.status_code, answer.json()["code"]) == (413, "payload_too_large")


async def test_a_tenant_that_has_its_fill_of_waiting_jobs_is_told_to_wait(api: Api, acme: httpx.AsyncClient) -> None:
    await api.set_tenant("acme", max_queued=3)
    await acme.post("/api/v1/jobs/batch", json={"jobs": [{"definition": "work"}] * 3})

    answer = await post(acme)

    assert (answer.status_code, answer.json()["code"]) == (429, "quota_exceeded")
    assert int(answer.headers["retry-after"]) > 0
    assert (await acme.get("/api/v1/jobs/summary")).json()["queued"] == 3


async def test_a_batch_that_does_not_fit_the_quota_is_refused_whole(api: Api, acme: httpx.AsyncClient) -> None:
    await api.set_tenant("acme", max_queued=3)

    answer = await acme.post("/api/v1/jobs/batch", json={"jobs": [{"definition": "work"}] * 4})

    assert answer.status_code == 429
    assert (await acme.get("/api/v1/jobs")).json()["items"] == []


async def test_a_job_that_ended_makes_room_at_once(api: Api, acme: httpx.AsyncClient) -> None:
    await api.set_tenant("acme", max_queued=2)
    first = (await post(acme)).json()["id"]
    await post(acme)
    await api.sample_queue()
    await api.end(first, "succeeded")

    statuses = [(await post(acme)).status_code for _ in range(2)]

    assert statuses == [201, 429]


async def test_a_repeated_request_is_answered_though_the_quota_is_used_up(api: Api, acme: httpx.AsyncClient) -> None:
    await api.set_tenant("acme", max_queued=1)
    first = await post(acme, idempotency_key="order 7", dedupe_key="order")

    again = await post(acme, idempotency_key="order 7", dedupe_key="order")

    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])


async def test_requests_at_the_same_moment_do_not_pass_the_quota_together(api: Api, acme: httpx.AsyncClient) -> None:
    await api.set_tenant("acme", max_queued=5)

    answers = await asyncio.gather(*(post(acme) for _ in range(12)))

    assert sorted(answer.status_code for answer in answers) == [201] * 5 + [429] * 7


async def test_jobs_of_others_are_not_counted(api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient) -> None:
    await api.set_tenant("acme", max_queued=1)
    await globex.post("/api/v1/jobs/batch", json={"jobs": [{"definition": "work"}] * 3})

    assert (await post(acme)).status_code == 201


async def test_a_tenant_that_asks_too_often_is_told_to_wait(api: Api, acme: httpx.AsyncClient) -> None:
    await api.set_tenant("acme", requests_per_minute=20)

    statuses = [(await acme.get("/api/v1/jobs")).status_code for _ in range(5)]

    assert statuses[:2] == [200, 200]
    assert 429 in statuses
