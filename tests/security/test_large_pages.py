"""Large things in lists: a page ends early, because a server that holds all of them at once has no memory left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api

LARGE = "x" * 900_000
MOST = 10_000_000


async def emit(acme: httpx.AsyncClient, number: int) -> None:
    answer = await acme.post("/api/v1/events", json={"name": "order.paid", "data": {"number": number, "text": LARGE}})
    assert answer.status_code == 201, answer.text


async def make_trigger(acme: httpx.AsyncClient, number: int) -> None:
    trigger = {"name": f"trigger-{number:02}", "definition": "greet", "payload": {"name": LARGE}, "cron": "0 3 * * *"}
    answer = await acme.post("/api/v1/jobs/triggers", json={**trigger, "trigger_type": "schedule"})
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize(
    ("path", "make", "place"),
    [
        ("/api/v1/events", emit, lambda event: 19 - event["data"]["number"]),
        ("/api/v1/jobs/triggers", make_trigger, lambda trigger: int(trigger["name"][-2:])),
        ("/api/v1/jobs/triggers/overview", make_trigger, lambda one: int(one["trigger"]["name"][-2:])),
    ],
)
async def test_a_page_of_large_things_is_short_and_the_next_page_goes_on(
    api: Api, acme: httpx.AsyncClient, path: str, make: Callable[..., Any], place: Callable[[Any], int]
) -> None:
    for number in range(20):
        await make(acme, number)
    seen: list[int] = []
    parameters: dict[str, Any] = {"limit": 500}
    while True:
        answer = await acme.get(path, params=parameters)
        assert answer.status_code == 200, answer.text
        assert len(answer.content) < MOST
        page = answer.json()
        seen += [place(item) for item in page["items"]]
        if page["next_cursor"] is None:
            break
        parameters["cursor"] = page["next_cursor"]
    assert seen == list(range(20))


async def test_a_page_of_attempts_has_the_newest_and_ends_where_it_becomes_large(
    api: Api, acme: httpx.AsyncClient
) -> None:
    job_id = (await acme.post("/api/v1/jobs", json={"definition": "work"})).json()["id"]
    await api.end(job_id, "succeeded")
    # As when a person retried it again and again.
    await api.execute(
        "insert into headrace.attempt (job_id, run, tenant_id, lane_id, outcome, spent, finished_at, result)"
        " select job_id, n, tenant_id, lane_id, 'retried', 1, now(), to_jsonb($1::text)"
        " from headrace.attempt, generate_series(2, 20) as n",
        LARGE,
    )
    seen: list[int] = []
    parameters: dict[str, Any] = {}
    while True:
        answer = await acme.get(f"/api/v1/jobs/{job_id}/attempts", params=parameters)
        assert answer.status_code == 200, answer.text
        assert len(answer.content) < MOST
        page = answer.json()
        seen = [item["run"] for item in page["items"]] + seen
        if page["next_cursor"] is None:
            break
        parameters["cursor"] = page["next_cursor"]
    assert seen == list(range(1, 21))
    few = (await acme.get(f"/api/v1/jobs/{job_id}/attempts", params={"limit": 2})).json()
    assert [item["run"] for item in few["items"]] == [19, 20]
