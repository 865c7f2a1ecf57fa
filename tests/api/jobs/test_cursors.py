"""Cursors are words of the server: they show nothing of what lies beyond a page, and nobody else makes or uses them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api

from headrace.api.app import create_app
from headrace.service.jobs import filter as job_filter

JOBS = "/api/v1/jobs"
QUEUED: dict[str, Any] = {"status": "queued", "limit": 1}
REFUSED = "the cursor does not come from this list: leave the cursor out to begin with the first page"
NOTHING = "00000000-0000-4000-8000-000000000000"
OWN_MAKES = {
    "a job's id": NOTHING,
    "a number": "5",
    "a name": "default",
    "a line of a log": f"2030-01-01T00:00:00+00:00/{NOTHING}/1/1",
    "parts in base64": base64.urlsafe_b64encode(json.dumps(["a", NOTHING]).encode()).decode().rstrip("="),
    "nothing": "",
    "not ASCII": "ü.ü.ü",
}


async def enqueue(client: httpx.AsyncClient) -> str:
    return str((await client.post(JOBS, json={"definition": "work"})).json()["id"])


async def page(client: httpx.AsyncClient, path: str = JOBS, **params: Any) -> dict[str, Any]:
    answer = await client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_the_cursor_of_a_page_that_ended_among_jobs_of_others_shows_none_of_them(
    acme: httpx.AsyncClient, globex: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_filter, "LIVE_WINDOW", 3)
    own = await enqueue(acme)
    others = [await enqueue(globex) for _ in range(7)]

    seen, found = [], await page(acme, **QUEUED)
    while found["next_cursor"] is not None:
        seen.append(found["next_cursor"])
        assert len(seen) < 10
        found = await page(acme, **QUEUED, cursor=seen[-1])

    assert [job["id"] for job in found["items"]] == [own]
    assert len(seen) >= 2
    shown = b"".join(readings(cursor) for cursor in seen)
    assert [
        job_id for job_id in others if job_id.encode() in shown or bytes.fromhex(job_id.replace("-", "")) in shown
    ] == []


def readings(cursor: str) -> bytes:
    """What a cursor holds for one who knows base64."""
    parts = [part + "=" * (-len(part) % 4) for part in cursor.split(".")]
    return b" ".join([cursor.encode(), *(base64.urlsafe_b64decode(part) for part in parts)])


async def test_a_cursor_is_of_use_to_its_tenant_and_its_list_alone(
    acme: httpx.AsyncClient, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    for _ in range(2):
        await enqueue(acme)
    cursor = (await page(acme, limit=1))["next_cursor"]
    changed = cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB")

    refused = {
        "another tenant": await globex.get(JOBS, params={"cursor": cursor}),
        "all tenants": await admin.get(JOBS, params={"cursor": cursor}),
        "another list": await acme.get("/api/v1/events", params={"cursor": cursor}),
        "changed": await acme.get(JOBS, params={"cursor": changed}),
    }

    for how, answer in refused.items():
        assert (answer.status_code, answer.json()["detail"]) == (400, REFUSED), how
    assert len((await page(acme, cursor=cursor))["items"]) == 1


async def test_another_server_of_the_installation_goes_on_with_a_cursor(api: Api, acme: httpx.AsyncClient) -> None:
    ids = [await enqueue(acme) for _ in range(2)]
    cursor = (await page(acme, limit=1))["next_cursor"]
    async with await Api(api.hr, create_app(api.hr)).caller("tenant_admin", "acme") as elsewhere:
        assert [job["id"] for job in (await page(elsewhere, cursor=cursor))["items"]] == ids[:1]


async def test_a_cursor_that_no_list_gave_is_refused_by_every_list(
    admin: httpx.AsyncClient, record_property: Callable[[str, object], None]
) -> None:
    lists = await lists_with_cursors(admin)
    assert len(lists) > 15

    accepted = []
    for path in lists:
        for what, cursor in OWN_MAKES.items():
            answer = await admin.get(path, params={"cursor": cursor})
            if (answer.status_code, answer.json().get("detail")) != (400, REFUSED):
                accepted.append(f"{path} with {what}: {answer.text}")

    assert accepted == []
    record_property("cases", len(lists) * len(OWN_MAKES))


async def lists_with_cursors(client: httpx.AsyncClient) -> list[str]:
    """The paths of every list that goes on with a cursor."""
    paths = (await client.get("/api/v1/openapi.json")).json()["paths"]
    return [
        re.sub(r"\{\w+\}", NOTHING, path)
        for path, methods in paths.items()
        if any(one["name"] == "cursor" for one in methods.get("get", {}).get("parameters", ()))
    ]
