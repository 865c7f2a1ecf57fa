"""Filters of a list, each against what there is."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from tests.api.conftest import Api


@pytest.fixture
async def jobs(api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient) -> dict[str, str]:
    """Jobs of acme by a name for each, and some of globex."""
    bodies: dict[str, dict[str, Any]] = {
        "plain": {},
        "later": {"delay_seconds": 3600},
        "mail": {"queue": "mail"},
        "grouped": {"correlation_id": "group"},
        "greeting": {"definition": "greet", "payload": {"name": "Ann"}},
        "failed": {},
        "dead": {"definition": "greet", "payload": {"name": "Ann"}, "correlation_id": "group"},
        "done": {},
        "canceled": {"queue": "mail"},
    }
    made = {}
    for tenant in ("acme", "globex"):
        await api.set_tenant(tenant, queues=["mail"])
    for name, body in bodies.items():
        made[name] = (await acme.post("/api/v1/jobs", json={"definition": "work", **body})).json()["id"]
        await api.wait_a_millisecond()
    for name, status in [
        ("failed", "failed"),
        ("dead", "dead_letter"),
        ("done", "succeeded"),
        ("canceled", "canceled"),
    ]:
        await api.end(made[name], status)
    for body in bodies.values():
        await globex.post("/api/v1/jobs", json={"definition": "work", **body})
    return made


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"status": "queued"}, ["greeting", "grouped", "mail", "plain"]),
        ({"status": "scheduled"}, ["later"]),
        ({"status": "running"}, []),
        ({"status": "failed"}, ["failed"]),
        ({"status": ["failed", "dead_letter"]}, ["dead", "failed"]),
        ({"status": "unsuccessful"}, ["dead", "failed"]),
        ({"status": ["unsuccessful", "failed", "succeeded"]}, ["done", "dead", "failed"]),
        ({"status": ["scheduled", "succeeded", "canceled"]}, ["canceled", "done", "later"]),
        ({"definition": "greet"}, ["dead", "greeting"]),
        ({"definition": "greet", "status": "queued"}, ["greeting"]),
        ({"definition": "greet", "status": "dead_letter"}, ["dead"]),
        ({"definition": "absent"}, []),
        ({"queue": "mail"}, ["canceled", "mail"]),
        ({"queue": "mail", "status": "canceled"}, ["canceled"]),
        ({"correlation_id": "group"}, ["dead", "grouped"]),
        ({"correlation_id": "group", "status": "queued"}, ["grouped"]),
        ({"source": "api", "status": "failed"}, ["failed"]),
        ({"source": "scheduler"}, []),
        ({"q": "it BROKE", "status": "failed"}, ["failed"]),
        ({"q": "it broke", "definition": "greet"}, ["dead"]),
        ({"q": "%"}, []),
        ({"worker": "nobody"}, []),
        ({"created_after": "2020-01-01T00:00:00Z", "status": "failed"}, ["failed"]),
        ({"created_before": "2020-01-01T00:00:00Z"}, []),
    ],
)
async def test_a_filter_gives_what_fits_of_ones_own(
    acme: httpx.AsyncClient, jobs: dict[str, str], params: dict[str, Any], expected: list[str]
) -> None:
    page = (await acme.get("/api/v1/jobs", params=params)).json()

    names = {job_id: name for name, job_id in jobs.items()}
    assert [names[job["id"]] for job in page["items"]] == expected
    assert (page["next_cursor"], page["searched_to"]) == (None, None)


@pytest.mark.parametrize("status", [None, "queued", "failed", ["failed", "queued", "scheduled"]])
async def test_a_super_admin_sees_all_tenants_or_the_one_chosen(
    admin: httpx.AsyncClient, jobs: dict[str, str], status: Any
) -> None:
    params = {} if status is None else {"status": status}

    everybody = (await admin.get("/api/v1/jobs", params=params)).json()["items"]
    chosen = (await admin.get("/api/v1/jobs", params=params, headers={"X-Headrace-Tenant": "acme"})).json()["items"]

    assert jobs
    assert {job["tenant"] for job in chosen} == {"acme"}
    assert len(everybody) > len(chosen) or status == "failed"


@pytest.mark.parametrize(
    "params",
    [{"statsu": "failed"}, {"status": "broken"}, {"limit": 501}, {"limit": 0}, {"offset": 10_001}],
)
async def test_what_a_list_does_not_know_is_refused(acme: httpx.AsyncClient, params: dict[str, Any]) -> None:
    answer = await acme.get("/api/v1/jobs", params=params)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].split(".")[0] == next(iter(params))


async def test_an_offset_skips(acme: httpx.AsyncClient, jobs: dict[str, str]) -> None:
    everything = (await acme.get("/api/v1/jobs")).json()["items"]
    page = (await acme.get("/api/v1/jobs", params={"offset": 2, "limit": 3})).json()

    assert len(everything) == len(jobs)
    assert page["items"] == everything[2:5]
    rest = (await acme.get("/api/v1/jobs", params={"cursor": page["next_cursor"]})).json()
    assert rest["items"] == everything[5:]


async def test_a_list_tells_neither_payload_nor_result(acme: httpx.AsyncClient, jobs: dict[str, str]) -> None:
    assert jobs
    item = (await acme.get("/api/v1/jobs")).json()["items"][0]
    assert not {"payload", "result"} & item.keys()
