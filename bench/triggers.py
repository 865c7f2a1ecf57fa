"""How late triggers fire, and how fast events are dispatched."""

from __future__ import annotations

import asyncio
import statistics
import time

from bench.app import hr, started
from bench.drain import workers
from bench.lines import Line, Scale, at_least, at_most
from bench.stage import Stage
from headrace.triggers.dispatch import dispatch_events
from headrace.triggers.rules import Rules
from headrace.worker.process.database_worker import WorkerProcess

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC")
SCHEDULERS = 3
BOUND = 120.0
LATEST = "select extract(epoch from max(at) - $1)::float8 from headrace.fire"
EVENT_TRIGGERS = """
    insert into headrace.trigger (name, definition_id, trigger_type, event, payload)
    select 'on ' || n, id, 'event', 'folder.changed.' || n, '{"path": "{{event.path}}", "size": "{{event.size}}"}'
      from headrace.definition, generate_series(1, 10000) as n
     where key = 'unknown'
"""
EVENTS = """
    select count(headrace.emit('folder.changed.' || (1 + n % 10000), jsonb_build_object('path', '/a/' || n, 'size', n)))
      from generate_series(1, $1::int) as n
"""
CRONS = """
    insert into headrace.trigger (name, definition_id, cron, timezone)
    select 'cron ' || n, id, to_char($3 at time zone zone, 'FMMI FMHH24 * * *'), zone
      from headrace.definition, generate_series(1, $1::int) as n, lateral (select ($2::text[])[1 + n % 5] as zone) as z
     where key = 'unknown'
"""
TABLES = "trigger, headrace.fire, headrace.event, headrace.event_inbox, headrace.delivery, headrace.dedupe"


async def measure_burst(stage: Stage, scale: Scale) -> list[Line]:
    """Crons that are all due in the same second: when is the last job in?"""
    lines = []
    for processes in (1, SCHEDULERS):
        await _clear(stage)
        async with workers(stage, processes=processes, concurrency=1):
            due_at = await _crons_due_at_once(stage, scale.triggers)
            await _wait(stage, "select count(*) = $1 from headrace.fire", scale.triggers)
        last: float = await stage.db.fetchval(
            "select extract(epoch from max(at) - $1)::float8 from headrace.fire", due_at
        )
        lines.append(at_most(f"{scale.triggers:,} crons due at once, {processes} schedulers", last, "s", 3))
    return lines


async def measure_rhythm(stage: Stage, scale: Scale) -> list[Line]:
    """Intervals of one second in the same phase: how late are the fires?"""
    await _clear(stage)
    async with workers(stage, processes=SCHEDULERS, concurrency=1):
        await stage.db.execute(
            "insert into headrace.trigger (name, definition_id, every_seconds, starts_at)"
            " select 'rhythm ' || n, id, 1, date_trunc('second', now()) + interval '4 seconds'"
            "   from headrace.definition, generate_series(1, 1000) as n where key = 'unknown'"
        )
        # Each of the due times of ten seconds, after a second to settle.
        await _wait(stage, "select count(*) >= $1 from headrace.fire", 12_000)
    delays = await stage.db.fetch(
        "select extract(epoch from at - due_at)::float8 * 1000 as ms from headrace.fire"
        " where due_at > (select min(due_at) + interval '1 second' from headrace.fire) and outcome = 'fired' order by 1"
    )
    values = [row["ms"] for row in delays]
    skipped = await stage.db.fetchval("select count(*) from headrace.fire where outcome <> 'fired'")
    return [
        Line("1,000 triggers each second, three schedulers: p50 late", statistics.median(values), "ms"),
        at_most("1,000 triggers each second, three schedulers: p99 late", values[int(len(values) * 0.99)], "ms", 100),
        at_most("… due times skipped", skipped, "", 0),
    ]


async def measure_events(stage: Stage, scale: Scale) -> list[Line]:
    """Events a second through one dispatcher, each matching one of many triggers; and from emit to handler."""
    await _clear(stage)
    await stage.db.execute(EVENT_TRIGGERS)
    rules = Rules()
    # The first time every rule is read and compiled.
    for _ in range(2):
        await stage.db.execute(EVENTS, scale.events)
        await stage.settle()
        began = time.perf_counter()
        while await dispatch_events(stage.db, rules):
            pass
    rate = scale.events / (time.perf_counter() - began)
    jobs: int = await stage.db.fetchval("select count(*) from headrace.job where source = 'event'")
    assert jobs == 2 * scale.events, f"{jobs} jobs for twice {scale.events} events"
    return [at_least("events a second, one dispatcher", rate, "/s", 10_000), *await _emit_latency(stage)]


async def _emit_latency(stage: Stage) -> list[Line]:
    await _clear(stage)
    await stage.db.execute(
        "insert into headrace.trigger (name, definition_id, trigger_type, event, payload)"
        " select 'on', id, 'event', 'something.*', $1 from headrace.definition where key = 'noop'",
        '{"number": "{{event.number}}"}',
    )
    waits = []
    async with hr:
        process = WorkerProcess(hr, concurrency=10)
        running = asyncio.create_task(process.run())
        await process.worker.ready.wait()
        for number in range(1, 201):
            started[number] = asyncio.get_running_loop().create_future()
            await asyncio.sleep(0.02)
            began = time.perf_counter()
            await hr.emit("something.happened", {"number": number})
            waits.append((await asyncio.wait_for(started[number], BOUND) - began) * 1000)
        process.stop()
        await running
    waits.sort()
    return [
        at_most("emit to handler, idle: p50", statistics.median(waits), "ms", 20),
        Line("emit to handler, idle: p99", waits[int(len(waits) * 0.99)], "ms"),
    ]


async def _clear(stage: Stage) -> None:
    await stage.clear()
    await stage.db.execute(f"truncate headrace.{TABLES}")
    await stage.db.execute("update headrace.event_watch set armed = true")
    await stage.settle()


async def _crons_due_at_once(stage: Stage, n: int) -> object:
    """Rules that all name the next whole minute, each on the clocks of its own zone; computed before it comes."""
    due_at = await stage.db.fetchval("select date_trunc('minute', now() + interval '75 seconds')")
    await stage.db.execute(CRONS, n, list(ZONES), due_at)
    await _wait(stage, "select count(*) = $1 from headrace.trigger where next_run_at = $2", n, due_at)
    return due_at


async def _wait(stage: Stage, condition: str, *arguments: object) -> None:
    async with asyncio.timeout(BOUND):
        while not await stage.db.fetchval(condition, *arguments):
            await asyncio.sleep(0.1)
