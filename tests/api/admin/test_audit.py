"""The audit over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from tests.api.conftest import Api

import headrace.service.audit.service as audit

AUDIT = "/api/v1/admin/audit"


async def enqueue(client: httpx.AsyncClient) -> str:
    return str((await client.post("/api/v1/jobs", json={"definition": "work"})).json()["id"])


async def test_it_is_read_newest_first_and_goes_on_with_its_cursor(
    admin: httpx.AsyncClient, acme: httpx.AsyncClient
) -> None:
    made = [await enqueue(acme) for _ in range(5)]

    first = (await admin.get(AUDIT, params={"action": "jobs.enqueue", "limit": 3})).json()
    rest = (await admin.get(AUDIT, params={"action": "jobs.enqueue", "cursor": first["next_cursor"]})).json()

    assert [item["target"] for item in first["items"] + rest["items"]] == made[::-1]
    assert rest["next_cursor"] is None


async def test_every_filter_narrows_it(
    admin: httpx.AsyncClient, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    job, other = await enqueue(acme), await enqueue(globex)
    await acme.post(f"/api/v1/jobs/{job}/cancel")

    async def targets(**params: str) -> list[tuple[str, str]]:
        items = (await admin.get(AUDIT, params=params)).json()["items"]
        return [(item["action"], item["target"]) for item in items]

    assert await targets(tenant="globex") == [("jobs.enqueue", other)]
    assert await targets(target=job) == [("jobs.cancel", job), ("jobs.enqueue", job)]
    assert await targets(target=job, tenant="globex") == []
    assert await targets(action="jobs.cancel") == [("jobs.cancel", job)]
    assert await targets(who="token tenant_admin of globex") == [("jobs.enqueue", other)]
    hour = timedelta(hours=1)
    assert await targets(since=(datetime.now(UTC) + hour).isoformat()) == []
    assert await targets(until=(datetime.now(UTC) - hour).isoformat()) == []
    assert len(await targets(since=(datetime.now(UTC) - hour).isoformat(), tenant="acme")) == 2
    assert (await admin.get(AUDIT, params={"tenant": "nobody"})).status_code == 404
    assert (await admin.get(AUDIT, params={"since": "2020-01-01T00:00:00"})).status_code == 422
    assert (await admin.get(AUDIT, params={"since": "0001-01-01T00:00:00+14:00"})).status_code == 422
    assert (await admin.get(AUDIT, params={"verbs": "x"})).status_code == 422


async def test_a_page_looks_at_so_many_rows_and_the_next_goes_on(
    api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "WINDOW", 4)
    job = await enqueue(acme)
    await acme.post(f"/api/v1/jobs/{job}/cancel")
    for _ in range(9):
        await enqueue(acme)

    pages, cursor = [], None
    while True:
        params = {"action": "jobs.cancel"} | ({"cursor": cursor} if cursor else {})
        page = (await admin.get(AUDIT, params=params)).json()
        pages.append([item["target"] for item in page["items"]])
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert [] in pages
    assert [target for page in pages for target in page] == [job]
