"""Limits: no instant with more running than is allowed, and what is blocked stands in nobody's way."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from tests.at_once import Another
from tests.engine import Engine
from tests.queue.limits.limiting import age_tokens, limit, limit_queue, swept, tenant
from tests.waiting import until

from headrace.db.connect import Connection
from headrace.model.job.outcome import Released, Retry
from headrace.queue.claim import Held, claim_gated
from headrace.queue.regate import regate_jobs


async def test_no_more_jobs_of_a_definition_run_than_it_allows(engine: Engine) -> None:
    await limit(engine, max_concurrency=3)
    await engine.enqueue_many(10)
    worker, other = await engine.worker(), await engine.worker()
    first = (await engine.pass_gates(worker, 2)).held
    second = (await engine.pass_gates(other, 10)).held
    assert (len(first), len(second)) == (2, 1)
    assert (await engine.pass_gates(worker, 10)).held == []


async def test_a_job_behind_a_gate_is_not_claimed_past_it(engine: Engine) -> None:
    await limit(engine, max_concurrency=1)
    await engine.enqueue_many(3)
    assert await engine.claim(await engine.worker()) == []


@pytest.mark.parametrize("ends", ["finished", "released", "to be retried", "rescued"])
async def test_a_place_comes_free_when_a_run_is(engine: Engine, ends: str) -> None:
    await limit(engine, max_concurrency=1)
    await engine.enqueue_many(2)
    worker = await engine.worker()
    held = (await engine.pass_gates(worker)).held
    other = await engine.worker()
    assert (await engine.pass_gates(other)).held == []
    match ends:
        case "finished":
            await engine.finish(worker, held)
        case "released":
            await engine.finish(worker, held, Released("shutdown"))
        case "to be retried":
            await engine.finish(worker, held, Retry(timedelta(hours=1)))
        case _:
            await engine.lose(worker)
            await engine.rescue()
    assert len((await engine.pass_gates(other)).held) == 1


async def test_jobs_come_through_a_gate_by_priority_and_then_by_age(engine: Engine) -> None:
    await limit(engine, max_concurrency=3)
    late = await engine.enqueue(priority=200)
    first = await engine.enqueue()
    urgent = await engine.enqueue(priority=1)
    worker = await engine.worker()
    assert [held.job_id for held in (await engine.pass_gates(worker)).held] == [urgent, first, late]


async def test_each_key_has_places_of_its_own(engine: Engine) -> None:
    await limit(engine, concurrency_key="provider.id", max_concurrency_per_key=1)
    for n in (1, 1, 1, 2, 2, 3):
        await engine.enqueue(payload=json.dumps({"provider": {"id": n}}))
    worker = await engine.worker()
    held = (await engine.pass_gates(worker)).held
    assert await _payloads(engine, held) == Counter({1: 1, 2: 1, 3: 1})
    await engine.finish(worker, held[1])
    assert await _payloads(engine, (await engine.pass_gates(worker)).held) == Counter({2: 1})


async def test_a_busy_key_at_the_head_does_not_hold_up_others(engine: Engine) -> None:
    await limit(engine, concurrency_key="n", max_concurrency_per_key=1)
    payload = "array_fill('{\"n\": 1}'::jsonb, array[5000])"
    await engine.db.execute(f"select count(*) from headrace.enqueue_many('work', {payload})")
    last = await engine.enqueue(payload='{"n": 2}')
    worker = await engine.worker()
    held = (await engine.pass_gates(worker)).held
    assert len(held) == 2
    assert held[1].job_id == last


async def test_of_thousands_of_keys_none_waits_for_ever(engine: Engine) -> None:
    await limit(engine, concurrency_key="n", max_concurrency_per_key=1)
    await engine.db.execute(
        "select count(*) from headrace.enqueue_many("
        "  'work', array(select jsonb_build_object('n', n) from generate_series(1, 3000) as n))"
    )
    worker = await engine.worker()
    done = 0
    while held := (await engine.pass_gates(worker, 500)).held:
        await engine.finish(worker, held)
        done += len(held)
    assert done == 3000


async def test_tenants_do_not_share_the_places_of_a_key(engine: Engine) -> None:
    await tenant(engine, "acme")
    await limit(engine, concurrency_key="n", max_concurrency_per_key=1)
    for name in ("default", "acme"):
        await engine.enqueue(payload='{"n": 1}', tenant=name)
    assert len((await engine.pass_gates(await engine.worker())).held) == 2


async def test_a_key_may_be_made_of_several_fields(engine: Engine) -> None:
    await limit(engine, concurrency_key="[a, b.c]", max_concurrency_per_key=1)
    payloads: list[dict[str, Any]] = [
        {"a": 1, "b": {"c": 1}},
        {"a": 1, "b": {"c": 2}},
        {"a": 1, "b": {"c": 1}},
        {},
        {"b": {}},
    ]
    for payload in payloads:
        await engine.enqueue(payload=json.dumps(payload))
    assert len((await engine.pass_gates(await engine.worker())).held) == 3


async def test_no_more_jobs_of_a_tenant_run_than_it_may(engine: Engine) -> None:
    await tenant(engine, "acme", max_running=2)
    await engine.enqueue_many(4, tenant="acme")
    await engine.enqueue_many(4, "other", tenant="acme")
    await engine.enqueue_many(4)
    worker = await engine.worker()
    assert len((await engine.pass_gates(worker)).held) == 2
    assert len(await engine.claim(worker)) == 4, "others are not concerned"


async def test_no_more_jobs_of_a_queue_run_than_it_allows(engine: Engine) -> None:
    await limit_queue(engine, "mail", max_running=3)
    await engine.enqueue_many(2, queue="mail")
    await engine.enqueue_many(2, "other", queue="mail")
    assert len((await engine.pass_gates(await engine.worker())).held) == 3


async def test_all_limits_hold_at_once_and_leave_no_room_unused(engine: Engine) -> None:
    """The first in line are of a tenant that is full; the definition's places go to those behind them."""
    await tenant(engine, "full", max_running=1)
    await limit(engine, max_concurrency=3, concurrency_key="n", max_concurrency_per_key=2)
    for n in (1, 2, 3, 4):
        await engine.enqueue(payload=json.dumps({"n": n}), tenant="full")
    for n in (1, 1, 1, 2):
        await engine.enqueue(payload=json.dumps({"n": n}))
    worker = await engine.worker()
    held = (await engine.pass_gates(worker)).held
    while more := (await engine.pass_gates(worker)).held:
        held += more
    assert Counter(h.tenant_id for h in held).most_common() == [(1, 2), (held[0].tenant_id, 1)]
    assert len(held) == 3


async def test_callers_at_the_same_time_share_the_places(engine: Engine, another: Another) -> None:
    await limit(engine, max_concurrency=10)
    await engine.enqueue_many(100)
    lanes = await engine.lanes()
    callers = [(await engine.worker(), await another()) for _ in range(6)]

    async def claims(worker: int, conn: Connection) -> int:
        got = 0
        for _ in range(5):
            came = await claim_gated(conn, worker_id=worker, lanes=lanes, limit=3, suspects=1, up_to_priority=1000)
            got += len(came.held)
        return got

    assert sum(await asyncio.gather(*(claims(*caller) for caller in callers))) == 10


# -- rates


async def test_a_rate_lets_a_burst_through_and_then_says_when_the_next_may_come(engine: Engine) -> None:
    await limit(engine, rate_limit=6, rate_period_seconds=60.0, rate_burst=2)
    await engine.enqueue_many(5)
    worker = await engine.worker()
    came = await engine.pass_gates(worker)
    assert len(came.held) == 2
    assert came.opens_in == pytest.approx(10, abs=1)
    await engine.finish(worker, came.held)
    assert (await engine.pass_gates(worker)).held == [], "tokens come back with time, not with places"
    await age_tokens(engine, seconds=10.5)
    assert len((await engine.pass_gates(worker)).held) == 1


async def test_a_bucket_holds_no_more_than_its_burst(engine: Engine) -> None:
    await limit(engine, rate_limit=100, rate_burst=3)
    await engine.enqueue_many(9)
    worker = await engine.worker()
    await engine.pass_gates(worker)
    await age_tokens(engine, seconds=3600)
    assert len((await engine.pass_gates(worker)).held) == 3


async def test_a_rate_may_be_for_each_key(engine: Engine) -> None:
    await limit(engine, concurrency_key="n", rate_limit=1, rate_period_seconds=60.0, rate_per_key=True)
    for n in (1, 1, 2):
        await engine.enqueue(payload=json.dumps({"n": n}))
    came = await engine.pass_gates(await engine.worker())
    assert await _payloads(engine, came.held) == Counter({1: 1, 2: 1})
    assert came.opens_in == pytest.approx(60, abs=2)


# -- limits that come and go


async def test_a_limit_concerns_jobs_that_waited_and_ran_before_it(engine: Engine) -> None:
    await engine.enqueue_many(10)
    worker = await engine.worker()
    running = await engine.claim(worker, 2)
    await limit(engine, sweep=False, max_concurrency=3)
    assert await engine.claim(worker) == []
    assert (await engine.pass_gates(worker)).held == []
    await swept(engine)
    assert await engine.claim(worker) == []
    assert len((await engine.pass_gates(worker)).held) == 1
    await engine.finish(worker, running)
    assert len((await engine.pass_gates(worker)).held) == 2


async def test_a_job_of_a_transaction_older_than_the_limit_finds_its_gate(engine: Engine, another: Another) -> None:
    await engine.enqueue()
    conn = await another()
    async with conn.transaction():
        straggler = await conn.fetchval("select headrace.enqueue('work', '{}')")
        await limit(engine, sweep=False, max_concurrency=1)
        for _ in range(2):  # the first puts right what it sees, the second finds nothing wrong
            assert await regate_jobs(engine.db), "the other transaction may still bring jobs"
        worker = await engine.worker()
        assert len((await engine.pass_gates(worker)).held) == 1, "the gate need not wait for that transaction"
    assert await engine.claim(worker) == [], "nor does its job slip past"
    assert await regate_jobs(engine.db)
    await until("no transaction is left that cannot know the limit", lambda: _settled(engine))
    assert await engine.db.fetchval("select gate from headrace.queue where job_id = $1", straggler) == 0


async def test_jobs_behind_a_limit_that_is_gone_run_freely(engine: Engine) -> None:
    await limit(engine, max_concurrency=1)
    await engine.enqueue_many(5)
    await limit(engine, max_concurrency=None)
    worker = await engine.worker()
    assert len((await engine.pass_gates(worker)).held) == 5
    await engine.enqueue()
    assert len(await engine.claim(worker)) == 1


async def test_another_key_groups_anew_what_waits(engine: Engine) -> None:
    await limit(engine, concurrency_key="a", max_concurrency_per_key=1)
    for n in range(3):
        await engine.enqueue(payload=json.dumps({"a": 1, "b": n}))
    await limit(engine, concurrency_key="b")
    assert len((await engine.pass_gates(await engine.worker())).held) == 3


async def test_a_retried_job_stands_behind_its_gate_again(engine: Engine) -> None:
    await limit(engine, max_concurrency=1)
    job_id, _ = await engine.enqueue_many(2)
    worker = await engine.worker()
    await engine.finish(worker, (await engine.pass_gates(worker)).held)
    await engine.pass_gates(worker)
    await engine.db.fetchval("select headrace.retry($1)", job_id)
    assert await engine.claim(worker) == []
    assert (await engine.pass_gates(worker)).held == []


# -- pauses


async def test_a_paused_tenant_stands_still_until_it_may_go_on(engine: Engine) -> None:
    await tenant(engine, "acme")
    await engine.enqueue_many(2, tenant="acme")
    await engine.db.execute(
        "insert into headrace.tenant_pause (tenant_id, paused_by)"
        " select id, 'me' from headrace.tenant where name = 'acme'"
    )
    worker = await engine.worker()
    assert await engine.claim(worker) == []
    await swept(engine)
    assert (await engine.pass_gates(worker)).held == []
    await engine.db.execute("update headrace.tenant_pause set resume_at = now() - interval '1 second'")
    assert len((await engine.pass_gates(worker)).held) == 2


async def test_suspects_come_through_a_gate_one_at_a_time(engine: Engine) -> None:
    await limit(engine, max_concurrency=10)
    await engine.enqueue_many(5)
    lost = await engine.worker()
    await engine.pass_gates(lost)
    await engine.lose(lost)
    await engine.rescue()
    assert len((await engine.pass_gates(await engine.worker(), suspects=1)).held) == 1


async def _settled(engine: Engine) -> bool:
    return not await regate_jobs(engine.db)


async def _payloads(engine: Engine, held: Sequence[Held]) -> Counter[int]:
    rows = await engine.db.fetch(
        "select coalesce(payload #>> '{provider,id}', payload ->> 'n')::int from headrace.job where id = any($1)",
        [h.job_id for h in held],
    )
    return Counter(row[0] for row in rows)
