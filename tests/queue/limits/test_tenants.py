"""The tenants of a definition: only their jobs are accepted and claimed, whatever waited before and whoever asks."""

from __future__ import annotations

import asyncpg
import pytest
from tests.at_once import Another
from tests.engine import Engine
from tests.queue.limits.limiting import limit, swept, tenant

REFUSED = 'tenant "default" may not run definition "work"'


@pytest.fixture
async def two(engine: Engine) -> Engine:
    """Tenants acme and default, and the definition `work`, which all may run."""
    await tenant(engine, "acme")
    await engine.define()
    return engine


async def test_a_job_that_waits_when_its_tenant_is_taken_off_the_list_is_not_claimed_until_it_is_back(
    two: Engine,
) -> None:
    barred, ours = await two.enqueue(), await two.enqueue(tenant="acme")
    worker = await two.worker()
    await limit(two, sweep=False, tenants=["acme"])
    assert await two.claim(worker) == [], "nothing of it is claimed before all that waits has been looked at"
    await swept(two)
    assert await two.claim(worker) == []
    assert [held.job_id for held in (await two.pass_gates(worker)).held] == [ours]
    await limit(two, sweep=False, tenants=["acme", "default"])
    assert [held.job_id for held in (await two.pass_gates(worker)).held] == [barred]
    await limit(two, sweep=False, tenants=None)
    again = await two.enqueue()
    assert [held.job_id for held in await two.claim(worker)] == [again], "without a list nothing stands behind a gate"


async def test_a_job_of_a_transaction_older_than_the_list_is_not_claimed(two: Engine, another: Another) -> None:
    conn = await another()
    worker = await two.worker()
    async with conn.transaction():
        await conn.fetchval("select headrace.enqueue('work')")
        await limit(two, sweep=False, tenants=["acme"])
    assert await two.claim(worker) == []
    await swept(two)
    assert await two.claim(worker) + (await two.pass_gates(worker)).held == []


async def test_jobs_of_tenants_off_the_list_hold_up_nobody(two: Engine) -> None:
    await two.enqueue_many(5000)
    ours = await two.enqueue(tenant="acme", priority=1000)
    other = await two.enqueue("other")
    await limit(two, tenants=["acme"])
    worker = await two.worker()
    assert [held.job_id for held in (await two.pass_gates(worker)).held] == [ours]
    assert [held.job_id for held in await two.claim(worker)] == [other]


@pytest.mark.parametrize(
    "statement",
    [
        "select headrace.enqueue('work')",
        "select headrace.enqueue_many('work', '{\"{}\"}')",
        "select headrace.schedule('mine', 'work', '@daily')",
        "select headrace.trigger('earlier')",
        "select headrace.retry(job_id) from headrace.attempt",
    ],
)
async def test_sql_is_refused_with_the_tenant_and_what_to_do(two: Engine, statement: str) -> None:
    await two.enqueue()
    worker = await two.worker()
    await two.finish(worker, await two.claim(worker))
    await two.db.execute("select headrace.schedule('earlier', 'work', '@daily')")
    await limit(two, tenants=["acme"])
    with pytest.raises(asyncpg.PostgresError, match=REFUSED) as refused:
        await two.db.execute(statement)
    assert refused.value.sqlstate == "HR409"
    assert refused.value.hint == 'Add the tenant to the list: "headrace definitions set work tenants=…,default".'
    assert await two.db.fetchval("select count(*) from headrace.queue") == 0
