"""What is measured. Each scenario gives lines for the report; noise is met with medians and interleaving."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

from bench.app import hr, started
from bench.attacks import measure_attacks
from bench.command_line import measure_cli
from bench.dashboard import measure_dashboard
from bench.drain import drain_product, drain_raw, drained, workers
from bench.history import measure_history
from bench.limits import measure_fairness, measure_limits
from bench.lines import Line, Scale, at_least, at_most
from bench.logs import measure_logs
from bench.over_http import measure_http
from bench.retention import measure_retention
from bench.stage import Stage
from bench.triggers import measure_burst, measure_events, measure_rhythm
from headrace.db.connect import Endpoint
from headrace.queue.claim import claim_jobs
from headrace.worker.process.database_worker import WorkerProcess

ROUNDS = 5
OUR_OWN = 2


async def measure_drain(stage: Stage, scale: Scale) -> list[Line]:
    """The product against the raw limit, interleaved; what a job costs in commits, and two processes."""
    raw, product, pair = [], [], []
    commits = 0
    for _ in range(ROUNDS):
        await _full(stage, scale.drain)
        raw.append(await drain_raw(stage, scale.drain))
        await _full(stage, scale.drain)
        before = await _commits(stage)
        product.append(await drain_product(stage, scale.drain))
        commits = await _commits(stage) - before
        await _full(stage, scale.drain)
        pair.append(await drain_product(stage, scale.drain, processes=2))
    ratio = statistics.median(p / r for p, r in zip(product, raw, strict=True))
    scaling = statistics.median(two / one for two, one in zip(pair, product, strict=True))
    return [
        Line("raw limit: bare claim and finish statements", statistics.median(raw), "jobs/s"),
        at_least("drain: one worker, no-op async jobs", statistics.median(product), "jobs/s", 30_000),
        at_least("drain against the raw limit", ratio, "×", 0.6),
        at_least("two worker processes against one", scaling, "×", 1.3),
        Line("commits a job", commits / scale.drain, ""),
    ]


async def measure_enqueue(stage: Stage, scale: Scale) -> list[Line]:
    """Bulk through SQL and validated from Python, and one by one."""
    await stage.clear()
    sql = [await _timed(lambda: stage.fill(50_000), 50_000) for _ in range(3)]
    payloads = [{"text": "x"}] * 10_000
    async with hr:
        python = [await _timed(lambda: hr.enqueue_many("noop", payloads), len(payloads)) for _ in range(ROUNDS)]
        single = [await _timed(_one_by_one, 1000) for _ in range(3)]
    return [
        at_least("bulk enqueue through the SQL function", statistics.median(sql), "jobs/s", 60_000),
        at_least("bulk enqueue, validated, from Python", statistics.median(python), "jobs/s", 40_000),
        at_least("enqueue one by one", statistics.median(single), "jobs/s", 1_500),
    ]


async def measure_idle(stage: Stage, scale: Scale) -> list[Line]:
    """From enqueue to handler when idle; memory; queries of an idle worker."""
    await stage.clear()
    async with hr:
        process = WorkerProcess(hr, concurrency=10)
        running = asyncio.create_task(process.run())
        await process.worker.ready.wait()
        await asyncio.sleep(2)
        delays = sorted([await _latency(number) for number in range(1, 501)])
        # Idle sessions tell the server's statistics of their last transactions after ten seconds.
        await asyncio.sleep(15)
        await _rollups_settled(stage)
        before = await _commits(stage)
        await asyncio.sleep(20)
        queries = (await _commits(stage) - before - OUR_OWN) / 20
        process.stop()
        await running
    await _full(stage, scale.drain // 2)
    async with workers(stage) as (pid,):
        await drained(stage)
        memory = _memory(pid)
    return [
        at_most("enqueue to handler when idle, p50", delays[250] * 1000, "ms", 3),
        at_most("enqueue to handler when idle, p99", delays[495] * 1000, "ms", 8),
        at_most("queries a second of an idle worker", queries, "", 2),
        at_most("memory of a busy worker", memory, "MB", 90),
    ]


async def measure_claim(stage: Stage, scale: Scale) -> list[Line]:
    """What a claim of 100 costs, whatever else is there."""
    lines = []
    await _full(stage, 1_000)
    base = await _claim_cost(stage)
    lines.append(Line("claim of 100 at a backlog of 1 thousand", base, "ms"))
    await _full(stage, 100_000)
    lines.append(at_most("… of 100 thousand", await _claim_cost(stage) / base, "×", 1.5))
    await _full(stage, scale.million)
    lines.append(at_most("… of 1 million", await _claim_cost(stage) / base, "×", 1.5))
    await stage.clear()
    await stage.fill(scale.million, future=True)
    await stage.fill(1_000)
    await stage.settle()
    lines.append(at_most("… with 1 million scheduled for later", await _claim_cost(stage) / base, "×", 1.5))
    await stage.clear()
    await stage.fill(scale.million, definition="unknown")
    await stage.fill(1_000)
    await stage.settle()
    lines.append(at_most("… behind 1 million of an unknown definition", await _claim_cost(stage) / base, "×", 1.5))
    await stage.clear()
    for _ in range(20):
        await stage.fill_history(scale.million // 10)
    await stage.fill(1_000)
    await stage.settle()
    lines.append(at_most("… with 2 million in history", await _claim_cost(stage) / base, "×", 1.5))
    return lines


async def measure_pressure(stage: Stage, scale: Scale) -> list[Line]:
    """An old snapshot held open, and payloads of some size, against a normal drain of the same run."""
    await _full(stage, scale.snapshot)
    normal = await drain_product(stage, scale.snapshot)
    await _full(stage, scale.snapshot)
    holder = await stage.endpoint.connect("snapshot")
    async with holder.transaction(isolation="repeatable_read"):
        await holder.fetchval("select count(*) from headrace.tenant")
        held = await drain_product(stage, scale.snapshot)
    await holder.close()
    lines = [at_least("drain while an old snapshot is held", held / normal, "×", 0.5)]
    for size in (1_000, 16_000):
        jobs = scale.drain if size < 10_000 else scale.drain // 4
        await stage.clear()
        await stage.fill(jobs, payload_bytes=size)
        await stage.settle()
        lines.append(Line(f"drain with payloads of {size // 1000} KB", await drain_product(stage, jobs), "jobs/s"))
    return lines


async def measure_clients(stage: Stage, scale: Scale) -> list[Line]:
    """Sixteen clients that enqueue one by one, with the wake-up against without it."""
    lines = []
    for state in ("idle", "busy"):
        ratios = []
        for _ in range(ROUNDS):
            rates = {}
            for wake in ("off", "on"):
                await stage.clear()
                if state == "busy":
                    await stage.fill(scale.drain * 2)
                async with workers(stage, concurrency=10 if state == "idle" else 500):
                    await _worker_is_up(stage)
                    rates[wake] = await _sixteen_clients(stage.endpoint, scale.clients, wake)
            ratios.append(rates["on"] / rates["off"])
        name = f"16 clients enqueue, {state} worker: with the wake-up against without"
        lines.append(at_least(name, statistics.median(ratios), "×", 0.8))
    return lines


SCENARIOS: dict[str, Callable[[Stage, Scale], Awaitable[list[Line]]]] = {
    "drain": measure_drain,
    "enqueue": measure_enqueue,
    "idle": measure_idle,
    "claim": measure_claim,
    "pressure": measure_pressure,
    "clients": measure_clients,
    "burst": measure_burst,
    "rhythm": measure_rhythm,
    "events": measure_events,
    "logs": measure_logs,
    "limits": measure_limits,
    "fairness": measure_fairness,
    "http": measure_http,
    "attacks": measure_attacks,
    "cli": measure_cli,
    "history": measure_history,
    "dashboard": measure_dashboard,
    "retention": measure_retention,
}


async def _full(stage: Stage, jobs: int) -> None:
    await stage.clear()
    await stage.fill(jobs)
    await stage.settle()


async def _timed(work: Callable[[], Awaitable[object]], jobs: int) -> float:
    began = time.perf_counter()
    await work()
    return jobs / (time.perf_counter() - began)


async def _one_by_one() -> None:
    for _ in range(1000):
        await hr.enqueue("noop", {"text": "x"})


async def _latency(number: int) -> float:
    started[number] = asyncio.get_running_loop().create_future()
    began = time.perf_counter()
    await hr.enqueue("noop", {"number": number})
    async with asyncio.timeout(30):
        delay = await started[number] - began
    # Long enough for the worker to be idle again.
    await asyncio.sleep(0.01)
    return delay


async def _claim_cost(stage: Stage) -> float:
    """The median of ten claims, in milliseconds."""
    connection = await stage.endpoint.connect("claims")
    worker_id, lane = await stage.worker_id(), await stage.lane()
    times = []
    for _ in range(10):
        began = time.perf_counter()
        claimed = await claim_jobs(connection, worker_id=worker_id, lanes=[lane], limit=100, suspects=1)
        times.append((time.perf_counter() - began) * 1000)
        assert len(claimed) == 100
    await connection.close()
    return statistics.median(times)


async def _sixteen_clients(endpoint: Endpoint, jobs: int, wake: str) -> float:
    async def client() -> None:
        connection = await endpoint.connect("client")
        await connection.execute(f"set headrace.wake = '{wake}'")
        await connection.execute("set plan_cache_mode = auto")
        for _ in range(jobs // 16):
            await connection.execute("select headrace.enqueue('noop')")
        await connection.close()

    return await _timed(lambda: asyncio.gather(*(client() for _ in range(16))), jobs)


async def _worker_is_up(stage: Stage) -> None:
    while not await stage.db.fetchval("select exists (select from headrace.worker where name <> 'bench')"):
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)


async def _rollups_settled(stage: Stage) -> None:
    """Whatever was counted is folded: what a load left behind is no work of an idle worker."""
    while await stage.db.fetchval("select exists (select from headrace.rollup_delta)"):
        await asyncio.sleep(0.2)


async def _commits(stage: Stage) -> int:
    """Transactions so far; between two calls lie `OUR_OWN` of these calls themselves."""
    await stage.db.execute("select pg_stat_force_next_flush()")
    look = "select xact_commit from pg_stat_database where datname = current_database()"
    commits: int = await stage.db.fetchval(look)
    return commits


def _memory(pid: int) -> float:
    """Peak resident memory in MB, of a process that still runs."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
