"""What limits and fairness cost: those that they concern, and those that they do not."""

from __future__ import annotations

import asyncio
import json
import statistics

from bench.app import hr, started
from bench.drain import drain_product, running_process
from bench.lines import Line, Scale, at_least, at_most
from bench.stage import FILL, Stage
from headrace.queue.regate import regate_jobs
from headrace.worker.process.database_worker import WorkerProcess

ROUNDS = 5
PROBES = 300


async def measure_limits(stage: Stage, scale: Scale) -> list[Line]:
    """A drain of unlimited jobs beside a million that wait for a limit, and of limited ones, against a plain drain."""
    plain, beside_definition, beside_tenant, limited = [], [], [], []
    for _ in range(3):
        plain.append(await _drain(stage, scale))
        beside_definition.append(await _drain(stage, scale, blocked="definition"))
        beside_tenant.append(await _drain(stage, scale, blocked="tenant"))
        limited.append(await _drain(stage, scale, limit=1_000_000))
    return [
        Line("drain without any limit", statistics.median(plain), "jobs/s"),
        at_least("… beside 1 million behind a definition's limit", _ratio(beside_definition, plain), "×", 0.8),
        at_least("… beside 1 million behind a tenant's limit", _ratio(beside_tenant, plain), "×", 0.8),
        Line("… of jobs that have a limit themselves, and room", _ratio(limited, plain), "×"),
    ]


async def measure_fairness(stage: Stage, scale: Scale) -> list[Line]:
    """What a fair queue costs a single tenant, and how long one tenant's flood holds up another."""
    plain, fair, many = [], [], []
    for _ in range(ROUNDS):
        plain.append(await _drain(stage, scale))
        fair.append(await _drain(stage, scale, fair=True))
        many.append(await _drain(stage, scale, fair=True, tenants=20))
    idle, flooded = [], []
    for _ in range(3):
        await _reset(stage)
        idle.append(await _delays(stage))
        flooded.append(await _delays_beside(stage, scale.million))
    return [
        at_least("drain of a fair queue with one tenant against a plain one", _ratio(fair, plain), "×", 0.9),
        Line("… with twenty tenants", _ratio(many, plain), "×"),
        Line("enqueue to handler when idle, p95", statistics.median(idle) * 1000, "ms"),
        Line("… beside another tenant's million in a fair queue, p95", statistics.median(flooded) * 1000, "ms"),
        at_most("… against idle", _ratio(flooded, idle), "×", 2),
    ]


async def _drain(
    stage: Stage,
    scale: Scale,
    *,
    blocked: str | None = None,
    limit: int | None = None,
    fair: bool = False,
    tenants: int = 1,
) -> float:
    await _reset(stage)
    if fair:
        await stage.db.execute("insert into headrace.queue_setting (queue, fair) values ('default', true)")
    if limit is not None:
        await stage.db.execute("update headrace.definition set max_concurrency = $1 where key = 'noop'", limit)
    if blocked == "definition":
        await stage.db.execute("update headrace.definition set max_concurrency = 1 where key = 'narrow'")
    elif blocked == "tenant":
        await stage.db.execute("update headrace.tenant set max_running = 1 where name = 'crowd'")
    await _swept(stage)
    if blocked is not None:
        await _block(stage, scale, blocked)
    for number in range(tenants):
        await _fill(stage, scale.drain // tenants, tenant="default" if tenants == 1 else f"t{number}")
    await stage.settle()
    return await drain_product(stage, scale.drain // tenants * tenants)


async def _block(stage: Stage, scale: Scale, what: str) -> None:
    """One runs, held by a worker that does nothing, and a million wait for its place."""
    definition, tenant = ("narrow", "default") if what == "definition" else ("noop", "crowd")
    await _fill(stage, 1, definition=definition, tenant=tenant)
    claim = "select job_id from headrace._claim_gated($1, $2, 1, 1, 1000)"
    assert await stage.db.fetchval(claim, await stage.worker_id(), [await stage.lane(definition)])
    await _fill(stage, scale.million, definition=definition, tenant=tenant)


async def _fill(stage: Stage, jobs: int, *, definition: str = "noop", tenant: str = "default") -> None:
    fill = "select count(*) from headrace.enqueue_many($1, array_fill('{}'::jsonb, array[$2::int]), tenant => $3)"
    for start in range(0, jobs, FILL):
        await stage.db.execute(fill, definition, min(FILL, jobs - start), tenant)


async def _reset(stage: Stage) -> None:
    await stage.clear()
    await stage.db.execute("delete from headrace.queue_setting")
    await stage.db.execute("update headrace.definition set max_concurrency = null")
    await stage.db.execute("update headrace.tenant set max_running = null")
    for name in ("crowd", "small", *(f"t{number}" for number in range(20))):
        await stage.db.execute("insert into headrace.tenant (name) values ($1) on conflict do nothing", name)


async def _swept(stage: Stage) -> None:
    while await regate_jobs(stage.db):
        await asyncio.sleep(0.01)


async def _delays_beside(stage: Stage, jobs: int) -> float:
    """The same while so many of another tenant wait in a fair queue."""
    await _reset(stage)
    await stage.db.execute("insert into headrace.queue_setting (queue, fair) values ('default', true)")
    await _swept(stage)
    await stage.fill(jobs)
    await stage.settle()
    return await _delays(stage)


async def _delays(stage: Stage) -> float:
    """The 95th percentile of seconds from enqueue, by a client in another process, to handler."""
    loop = asyncio.get_running_loop()
    async with hr:
        process = WorkerProcess(hr, concurrency=100)
        running = asyncio.create_task(process.run())
        await process.worker.ready.wait()
        await asyncio.sleep(2)
        started.update({number: loop.create_future() for number in range(1, PROBES + 1)})
        async with running_process(stage, "bench.probe", str(PROBES), output=True) as client:
            printed, _ = await client.communicate()
        began = enumerate(json.loads(printed), 1)
        delays = sorted([await asyncio.wait_for(started.pop(number), 30) - at for number, at in began])
        process.stop()
        await running
    p95: float = delays[int(PROBES * 0.95)]
    return p95


def _ratio(rates: list[float], against: list[float]) -> float:
    return statistics.median(rate / other for rate, other in zip(rates, against, strict=True))
