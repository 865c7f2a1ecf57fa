"""Limits where real workers run: how many at once, how soon a place is taken again, and when a rate lets go on."""

from __future__ import annotations

import asyncio
import collections
import itertools
from datetime import timedelta

from tests.triggers.triggering import UNASKED
from tests.waiting import until
from tests.worker.running import app_on, finished, running, until_status, worker_of, working

from headrace import Headrace
from headrace.db.connect import Connection


async def test_code_says_how_many_may_run_at_once(hr: Headrace, connection: Connection) -> None:
    now, most = 0, 0

    @hr.job(max_concurrency=2)
    async def narrow(n: int) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1

    async with working(hr, concurrency=10):
        for job_id in await hr.enqueue_many("narrow", [{"n": n} for n in range(12)]):
            assert (await finished(hr, job_id)).status == "succeeded"
    assert most == 2


async def test_a_key_alone_means_one_at_a_time_for_each(hr: Headrace, connection: Connection) -> None:
    now: collections.Counter[int] = collections.Counter()
    clashes = []

    @hr.job(concurrency_key="account")
    async def post(account: int) -> None:
        now[account] += 1
        clashes.extend([account] * (now[account] > 1))
        await asyncio.sleep(0.01)
        now[account] -= 1

    async with working(hr, concurrency=10):
        for job_id in await hr.enqueue_many("post", [{"account": n % 3} for n in range(12)]):
            assert (await finished(hr, job_id)).status == "succeeded"
    assert clashes == []


async def test_jobs_behind_a_gate_leave_the_others_their_turn(hr: Headrace, connection: Connection) -> None:
    let_go = asyncio.Event()

    @hr.job(max_concurrency=1)
    async def blocked() -> None:
        await let_go.wait()

    @hr.job()
    async def free() -> None:
        """Nothing is in its way."""

    async with working(hr, concurrency=5):
        stuck = await hr.enqueue_many("blocked", [{}] * 3)
        await until_status(connection, stuck[0], "running")
        for job_id in await hr.enqueue_many("free", [{}] * 20):
            assert (await finished(hr, job_id)).status == "succeeded"
        assert [(await hr.get_job(job_id)).status for job_id in stuck] == ["running", "queued", "queued"]
        let_go.set()
        for job_id in stuck:
            assert (await finished(hr, job_id)).status == "succeeded"


async def test_a_rate_is_kept_and_used_up(hr: Headrace, connection: Connection) -> None:
    @hr.job(rate_limit="10/s", rate_burst=1)
    async def call() -> None:
        """As often as the provider allows."""

    async with working(hr, concurrency=5):
        for job_id in await hr.enqueue_many("call", [{}] * 8):
            await finished(hr, job_id)
    rows = await connection.fetch("select started_at from headrace.attempt order by started_at")
    gaps = [b["started_at"] - a["started_at"] for a, b in itertools.pairwise(rows)]
    assert min(gaps) >= timedelta(milliseconds=99)
    # A worker that only polled would start one a second.
    assert sorted(gaps)[len(gaps) // 2] < timedelta(milliseconds=700)


async def test_a_limit_set_while_jobs_run_holds_from_then_on(hr: Headrace, connection: Connection) -> None:
    now, most = 0, 0
    let_go = asyncio.Event()

    @hr.job()
    async def work() -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await let_go.wait()
        await asyncio.sleep(0.005)
        now -= 1

    async with working(hr, concurrency=4):
        jobs = await hr.enqueue_many("work", [{}] * 20)
        await until("four run", lambda: now == 4)
        await hr.control.definitions.update("work", max_concurrency=1)
        let_go.set()
        await until("they have ended", lambda: now <= 1)
        most = 0
        for job_id in jobs:
            await finished(hr, job_id)
    assert most <= 1


async def test_tenants_take_turns_in_a_fair_queue(hr: Headrace, connection: Connection) -> None:
    order: list[str] = []

    @hr.job()
    async def note(name: str) -> None:
        order.append(name)

    async with hr:
        await hr.control.tenants.create("acme")
        await hr.control.queues.change("default", fair=True)
        await hr.enqueue_many("note", [{"name": "many"}] * 200)
        late = await hr.enqueue_many("note", [{"name": "few"}] * 3, tenant="acme")
    async with working(hr, concurrency=1):
        for job_id in late:
            await finished(hr, job_id)
    assert [at for at, name in enumerate(order) if name == "few"][-1] <= 8, "the few wait for the many"


async def test_a_paused_tenant_goes_on_when_it_is_resumed(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def work() -> None:
        """Anything."""

    async with working(hr):
        await hr.control.tenants.create("acme")
        await hr.control.tenants.pause("acme", note="bill")
        paused = await hr.enqueue("work", tenant="acme")
        assert (await finished(hr, await hr.enqueue("work"))).status == "succeeded"
        assert (await hr.get_job(paused)).status == "queued"
        await hr.control.tenants.resume("acme")
        assert (await finished(hr, paused)).status == "succeeded"


async def test_a_tenant_that_is_put_on_the_list_wakes_workers_for_what_waited(
    database_url: str, connection: Connection
) -> None:
    hr = app_on(database_url, **UNASKED)

    @hr.job(tenants=["default", "acme"])
    async def work() -> None:
        """Anything."""

    async with hr:
        await hr.control.tenants.create("acme")
        barred, ours = await hr.enqueue("work", tenant="acme"), await hr.enqueue("work")
        await hr.control.definitions.update("work", tenants=["default"])
        async with running(worker_of(hr)):
            assert (await finished(hr, ours)).status == "succeeded"
            assert (await hr.get_job(barred)).status == "queued"
            await hr.control.definitions.update("work", tenants=None)
            assert (await finished(hr, barred)).status == "succeeded"
