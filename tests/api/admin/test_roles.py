"""What is for super-admins is refused to everybody else, before anything is looked at."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from tests.api.conftest import Api

ID = "00000000-0000-7000-8000-000000000000"
ADMIN: list[tuple[str, str, Any]] = [
    ("GET", "/api/v1/admin/tenants", None),
    ("POST", "/api/v1/admin/tenants", {"name": "new"}),
    ("GET", "/api/v1/admin/tenants/acme", None),
    ("GET", "/api/v1/admin/tenants/nobody", None),
    ("PATCH", "/api/v1/admin/tenants/acme", {"title": "x"}),
    ("GET", "/api/v1/admin/tokens", None),
    ("POST", "/api/v1/admin/tokens", {"name": "x", "role": "super_admin"}),
    ("DELETE", f"/api/v1/admin/tokens/{ID}", None),
    ("GET", "/api/v1/admin/audit", None),
    ("GET", "/api/v1/admin/workers", None),
    ("GET", "/api/v1/admin/workers/1", None),
    ("POST", "/api/v1/admin/workers/1/drain", None),
    ("GET", "/api/v1/admin/queues", None),
    ("GET", "/api/v1/admin/queues/default", None),
    ("POST", "/api/v1/admin/queues/default/pause", None),
    ("POST", "/api/v1/admin/queues/default/resume", None),
    ("GET", "/api/v1/admin/jobs", None),
    ("GET", "/metrics", None),
]


@pytest.mark.parametrize("role", ["tenant_admin", "tenant_viewer", "worker", "metrics"])
async def test_other_roles_are_forbidden(api: Api, role: Any) -> None:
    async with await api.caller(role, "acme" if role.startswith("tenant_") else None) as client:
        for method, path, body in ADMIN:
            if (role, path) == ("metrics", "/metrics"):
                continue
            answer = await client.request(method, path, json=body)
            assert answer.status_code == 403, (method, path, answer.text)
            assert answer.json()["code"] == "forbidden"


async def test_without_a_token_there_is_no_answer(api: Api) -> None:
    async with api.with_token(None) as client:
        for method, path, body in ADMIN:
            answer = await client.request(method, path, json=body)
            assert answer.status_code == 401, (method, path, answer.text)
            assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_a_super_admin_who_has_chosen_a_tenant_still_administers_the_server(
    api: Api, admin: httpx.AsyncClient
) -> None:
    admin.headers["X-Headrace-Tenant"] = "acme"

    assert (await admin.get("/api/v1/admin/tenants")).status_code == 200
    assert (await admin.post("/api/v1/admin/tokens", json={"name": "x", "role": "worker"})).status_code == 201
    assert (await admin.get("/api/v1/admin/jobs", params={"tenant": "globex"})).status_code == 200
    assert (await admin.get("/api/v1/admin/workers")).status_code == 200
