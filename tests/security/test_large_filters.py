"""Large filters of bulk operations: they are stored, audited and listed, so they have bounds wherever they come by."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest
from tests.api.conftest import Api

BULK = "/api/v1/jobs/bulk"
AUDIT = "/api/v1/admin/audit"
MOST = 10_000_000
LARGE = "'{\"correlation_id\": \"' || repeat('x', 900000) || '\"}'"


@pytest.mark.parametrize("field", ["definition", "queue", "source", "correlation_id", "worker", "q"])
async def test_no_text_of_a_filter_is_large(acme: httpx.AsyncClient, field: str) -> None:
    asked = {"action": "cancel", "filter": {field: "x" * 501}}
    refused = await acme.post(BULK, json=asked)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request"), refused.text
    assert field in refused.json()["errors"][0]["field"]


async def test_a_list_of_operations_ends_where_it_becomes_large(api: Api, acme: httpx.AsyncClient) -> None:
    await api.execute(
        "insert into headrace.operation (tenant_id, action, filter, expected, created_by, state, finished_at)"
        f" select id, 'cancel', ({LARGE})::jsonb, n, 'test', 'done', now()"
        " from headrace.tenant, generate_series(1, 20) as n where name = 'acme'"
    )
    answer = await acme.get(BULK, params={"limit": 500})
    assert answer.status_code == 200
    assert 0 < len(answer.content) < MOST


async def test_a_page_of_the_audit_ends_where_it_becomes_large_and_the_next_goes_on(
    api: Api, admin: httpx.AsyncClient
) -> None:
    await api.execute(
        "insert into headrace.audit (who, role, action, target, detail)"
        f" select 'test', 'super_admin', 'test', n, ({LARGE})::jsonb from generate_series(1, 20) as n"
    )
    seen: list[int] = []
    parameters: dict[str, Any] = {"limit": 500, "action": "test"}
    while True:
        answer = await admin.get(AUDIT, params=parameters)
        assert len(answer.content) < MOST
        page = answer.json()
        seen += [int(row["target"]) for row in page["items"]]
        if page["next_cursor"] is None:
            break
        parameters["cursor"] = page["next_cursor"]
    assert seen == list(range(20, 0, -1))


async def test_what_the_audit_says_of_a_change_is_cut_where_it_is_long(
    acme: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    asked = {"action": "cancel", "filter": {"ids": [str(uuid4()) for _ in range(1000)]}}
    assert (await acme.post(BULK, json=asked)).status_code == 202
    [row] = (await admin.get(AUDIT, params={"action": "jobs.bulk"})).json()["items"]
    assert row["detail"]["action"] == "cancel"
    assert len(row["detail"]["filter"]) < 11_000
    assert "characters left out" in row["detail"]["filter"]
