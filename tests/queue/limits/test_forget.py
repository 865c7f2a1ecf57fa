"""What gates note of a key or a tenant goes once it makes no difference any more."""

from __future__ import annotations

import json

from tests.engine import Engine
from tests.queue.limits.limiting import age_tokens, limit, limit_queue, tenant

from headrace.queue.forget import forget_full_buckets


async def test_a_bucket_is_forgotten_once_it_is_full_again(engine: Engine) -> None:
    await limit(engine, concurrency_key="n", rate_limit=2, rate_period_seconds=60.0, rate_per_key=True)
    for n in (1, 2, 2):
        await engine.enqueue(payload=json.dumps({"n": n}))
    assert len((await engine.pass_gates(await engine.worker())).held) == 3
    await age_tokens(engine, seconds=31)
    await forget_full_buckets(engine.db)
    assert await engine.db.fetchval("select array_agg(floor(tokens)) from headrace.rate_bucket") == [0]
    await age_tokens(engine, seconds=31)
    await forget_full_buckets(engine.db)
    assert await engine.db.fetchval("select count(*) from headrace.rate_bucket") == 0


async def test_a_rate_that_was_taken_back_leaves_no_bucket(engine: Engine) -> None:
    await limit(engine, rate_limit=1, rate_period_seconds=3600.0)
    await engine.enqueue_many(2)
    assert len((await engine.pass_gates(await engine.worker())).held) == 1
    await forget_full_buckets(engine.db)
    assert await engine.db.fetchval("select count(*) from headrace.rate_bucket") == 1
    await engine.db.execute("update headrace.definition set rate_limit = null")
    await forget_full_buckets(engine.db)
    assert await engine.db.fetchval("select count(*) from headrace.rate_bucket") == 0


async def test_a_tenant_whom_the_queues_clock_has_overtaken_needs_no_share(engine: Engine) -> None:
    await limit_queue(engine, fair=True)
    await tenant(engine, "seldom")
    await tenant(engine, "often")
    await engine.enqueue_many(1, tenant="seldom")
    await engine.enqueue_many(5, tenant="often")
    assert len((await engine.pass_gates(await engine.worker())).held) == 6
    await forget_full_buckets(engine.db)
    kept = await engine.db.fetch(
        "select coalesce(t.name, 'the clock') from headrace.queue_share as s"
        "  left join headrace.tenant as t on t.id = s.tenant_id"
    )
    assert {row[0] for row in kept} == {"the clock", "often"}
