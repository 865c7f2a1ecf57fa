"""Jobs of all tenants, for super-admins."""

from __future__ import annotations

import httpx


async def test_a_super_admin_lists_jobs_of_all_tenants_or_one(
    admin: httpx.AsyncClient, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    ours = (await acme.post("/api/v1/jobs", json={"definition": "work"})).json()
    theirs = (await globex.post("/api/v1/jobs", json={"definition": "greet", "payload": {"name": "x"}})).json()

    async def ids(**params: str) -> set[str]:
        answer = await admin.get("/api/v1/admin/jobs", params=params)
        assert answer.status_code == 200, answer.text
        return {job["id"] for job in answer.json()["items"]}

    assert await ids() == {ours["id"], theirs["id"]}
    assert await ids(tenant="acme") == {ours["id"]}
    assert await ids(tenant="acme", definition="greet") == set()
    assert await ids(status="queued", tenant="globex") == {theirs["id"]}
    assert (await admin.get("/api/v1/admin/jobs", params={"tenant": "nobody"})).status_code == 404
    assert (await admin.get("/api/v1/admin/jobs", params={"tenants": "acme"})).status_code == 422
