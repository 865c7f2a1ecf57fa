"""Failures over HTTP, alike ones counted together."""

from __future__ import annotations

import threading
from datetime import datetime
from typing import Any
from uuid import UUID

import httpx
import pytest
from tests.api.conftest import Api

from headrace import aside
from headrace.service.failures import service as failures_service

ERRORS = "/api/v1/errors"
FAIL = """
insert into headrace.attempt (job_id, run, tenant_id, lane_id, outcome, final, spent, finished_at, error, traceback)
select $1, $2, job.tenant_id, job.lane_id,
       case when $3::text is null then 'retried' else 'failed' end::headrace.attempt_outcome,
       $3::text::headrace.job_status, 1, now() - $4 * interval '1 minute', $5, 'a traceback'
  from headrace.job where id = $1
"""


async def failed(
    api: Api, client: httpx.AsyncClient, error: str, *, final: str | None = "failed", run: int = 1, ago: int = 1
) -> UUID:
    """A job with an attempt that failed so many minutes ago."""
    job_id = UUID((await client.post("/api/v1/jobs", json={"definition": "work"})).json()["id"])
    await api.execute(FAIL, job_id, run, final, ago, error)
    return job_id


async def test_alike_failures_are_counted_together(api: Api, acme: httpx.AsyncClient) -> None:
    oldest = await failed(api, acme, "Fail: user 1 has no address", ago=50)
    newest = await failed(api, acme, "Fail: user 22 has no address", final="dead_letter", ago=2)
    await failed(api, acme, "Timeout: no answer", final=None, ago=20)

    answer = (await acme.get(ERRORS, params={"window": "1h"})).json()

    address, timeout = answer["items"]
    assert address["fingerprint"] == "Fail: user ‹n› has no address"
    assert (address["attempts"], address["jobs"], address["dead_letters"]) == (2, 2, 1)
    assert address["retryable"] == [str(newest), str(oldest)]
    assert address["sample"]["job_id"] == str(newest)
    assert address["sample"]["traceback"] == "a traceback"
    assert address["definitions"] == ["work"]
    assert datetime.fromisoformat(address["first_seen"]) < datetime.fromisoformat(address["last_seen"])
    assert (sum(address["steps"]), len(address["steps"])) == (2, 36)
    assert (timeout["attempts"], timeout["retryable"]) == (1, [])
    assert answer["searched_to"] == answer["since"]


async def test_what_failed_before_the_window_and_other_definitions_are_left_out(
    api: Api, acme: httpx.AsyncClient
) -> None:
    await failed(api, acme, "Fail: long ago", ago=90)
    await failed(api, acme, "Fail: now")

    async def found(**query: str) -> list[str]:
        items = (await acme.get(ERRORS, params=query)).json()["items"]
        return [kind["fingerprint"] for kind in items]

    assert await found(window="1h") == ["Fail: now"]
    assert await found(window="6h") == ["Fail: now", "Fail: long ago"]
    assert await found(window="1h", definition="greet") == []


async def test_a_tenant_sees_its_own_failures_and_a_super_admin_all(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, admin: httpx.AsyncClient
) -> None:
    await failed(api, acme, "Fail: of acme", ago=1)
    await failed(api, globex, "Fail: of globex", ago=2)

    async def seen(client: httpx.AsyncClient) -> list[str]:
        return [kind["fingerprint"] for kind in (await client.get(ERRORS)).json()["items"]]

    assert await seen(acme) == ["Fail: of acme"]
    assert await seen(globex) == ["Fail: of globex"]
    assert await seen(admin) == ["Fail: of acme", "Fail: of globex"]


async def test_it_says_how_far_back_it_looked(
    api: Api, acme: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures_service, "MOST_ATTEMPTS", 2)
    for ago in (1, 2, 3):
        await failed(api, acme, "Fail: again", ago=ago)

    answer = (await acme.get(ERRORS, params={"window": "1h"})).json()

    other = (await acme.get(ERRORS, params={"window": "1h", "definition": "greet"})).json()

    assert answer["items"][0]["attempts"] == 2
    assert answer["searched_to"] > answer["since"]
    assert other["items"] == []
    assert other["searched_to"] > other["since"]


async def test_many_errors_are_grouped_beside_the_loop_and_without_a_connection(
    api: Api, acme: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aside, "LARGE", 10)
    where: list[tuple[bool, int]] = []
    group, pool = failures_service.grouped, api.hr.database.pool

    def noting(*given: Any) -> Any:
        where.append((threading.current_thread() is threading.main_thread(), pool.get_size() - pool.get_idle_size()))
        return group(*given)

    monkeypatch.setattr(failures_service, "grouped", noting)
    await failed(api, acme, "Fail: a long error")

    assert len((await acme.get(ERRORS)).json()["items"]) == 1
    assert where == [(False, 0)]
