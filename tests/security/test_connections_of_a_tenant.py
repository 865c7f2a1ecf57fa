"""One tenant that keeps connections busy: the others have connections all the same."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from tests.api.conftest import Api
from tests.waiting import until

import headrace.service.jobs.bulk
from headrace import shares
from headrace.errors import TooMany
from headrace.service import Principal
from headrace.service.jobs.filter import RUNS_WINDOW
from headrace.service.session import begin

JOBS = "/api/v1/jobs"
WAITING = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"


async def test_a_tenant_whose_requests_wait_for_each_other_leaves_connections_to_others(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    await api.set_tenant("acme", max_queued=100)
    size = api.hr.database.tenant_pool.get_max_size()
    async with api.owner() as looker, api.owner() as conn, conn.transaction():
        await conn.execute("select from headrace.tenant where name = 'acme' for update")
        asked = [asyncio.create_task(acme.post(JOBS, json={"definition": "work"})) for _ in range(size * 2)]

        async def waits() -> bool:
            return bool(await looker.fetchval(WAITING) >= size // 2)

        await until("the tenant's requests wait", waits)
        async with asyncio.timeout(20):
            assert (await globex.post(JOBS, json={"definition": "work"})).status_code == 201
        assert await looker.fetchval(WAITING) == size // 2
    assert {answer.status_code for answer in await asyncio.gather(*asked)} == {201}


async def test_only_so_many_requests_of_a_tenant_wait_and_the_next_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "MOST_WAITING", 2)
    share = shares.Shares(1)

    async def request() -> None:
        async with share.place("acme"):
            await let_go.wait()

    let_go = asyncio.Event()
    asked = [asyncio.create_task(request()) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(TooMany, match='2 requests of tenant "acme" wait already'):
        await request()
    async with share.place("globex"):
        let_go.set()
    await asyncio.gather(*asked)
    async with share.place("acme"):
        pass


async def test_what_a_tenant_asks_the_database_has_an_end(api: Api) -> None:
    for tenant, limit in (("acme", "30s"), (None, "0")):
        who = Principal("test", "tenant_admin" if tenant else "super_admin", tenant)
        async with begin(api.hr, who, "jobs.list") as scope:
            assert await scope.conn.fetchval("show statement_timeout") == limit


async def test_a_count_that_takes_long_ends_and_says_at_least(
    api: Api, acme: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await acme.post(f"{JOBS}/batch", json={"jobs": [{"definition": "work"}] * (RUNS_WINDOW + 1)})
    await api.execute(
        "with gone as (delete from headrace.queue returning *)"
        " insert into headrace.attempt (job_id, run, tenant_id, lane_id, outcome, final, spent, finished_at, error)"
        " select job_id, 1, tenant_id, lane_id, 'failed', 'failed', 1, now(), 'Boom: it broke' from gone"
    )
    asked = {"action": "retry", "filter": {"q": "nothing-has-this"}, "dry_run": True}
    assert (await acme.post(f"{JOBS}/bulk", json=asked)).json() == {"matching": 0, "capped": False}
    monkeypatch.setattr(headrace.service.jobs.bulk, "COUNTING_SECONDS", 0.0)
    assert (await acme.post(f"{JOBS}/bulk", json=asked)).json() == {"matching": 0, "capped": True}
