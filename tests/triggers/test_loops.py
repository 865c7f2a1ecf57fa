"""The loops of a process: woken at once, quiet when there is nothing to do, and off when they are turned off."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest
from tests.at_once import Another
from tests.engine import Engine
from tests.triggers.triggering import (
    UNASKED,
    add,
    change,
    clock,
    end_jobs,
    hourly,
    jobs,
    live,
    nobody_looks_unasked,
    reasons,
)
from tests.waiting import PATIENCE, until
from tests.worker.running import app_on, running, working

from headrace.db.link import Link
from headrace.worker.maintenance.due_watch import DueWatch, NextDue, read_next_due
from headrace.worker.maintenance.loop import Loop
from headrace.worker.maintenance.maintenance import Maintenance, RetentionAges
from headrace.worker.maintenance.scheduler import Scheduler
from headrace.worker.process.database_worker import WorkerProcess

KEEP = RetentionAges(timedelta(days=1), timedelta(days=1), timedelta(days=1), timedelta(days=1))


class Counted(Loop):
    """A loop that only counts how often it was woken."""

    def __init__(self) -> None:
        super().__init__()
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1


@pytest.fixture
async def link(engine: Engine) -> AsyncIterator[Link]:
    link = Link(engine.endpoint, "test")
    yield link
    await link.close()


async def until_fired(engine: Engine, trigger_id: UUID, n: int = 1) -> None:
    async def fired() -> bool:
        return len(await jobs(engine, trigger_id)) >= n

    await until(f"it fired {n} times", fired)


async def ahead(engine: Engine) -> float | None:
    return (await read_next_due(engine.db)).fire


async def test_the_watch_knows_what_comes_next(engine: Engine) -> None:
    assert await read_next_due(engine.db) == NextDue(*[None] * 6)
    trigger = await hourly(engine)
    seconds = await ahead(engine)
    assert seconds is not None
    assert 3500 < seconds < 3600
    await trigger.come_due()
    seconds = await ahead(engine)
    assert seconds is not None
    assert seconds < 0
    await trigger.change(enabled=False)
    assert await ahead(engine) is None


async def test_a_finished_trigger_troubles_nobody_and_one_to_be_computed_is_wanted_at_once(engine: Engine) -> None:
    trigger_id = await add(
        engine, cron="@daily", next_run_at=await engine.db.fetchval("select 'infinity'::timestamptz")
    )
    assert await ahead(engine) is None
    await change(engine.db, trigger_id, next_run_at=None)
    assert await ahead(engine) == 0
    await change(engine.db, trigger_id, enabled=False)
    await add(engine, "event", trigger_type="event", event="a")
    assert await ahead(engine) is None


async def test_what_waits_for_a_job_is_looked_at_each_second_and_at_once_when_that_has_ended(engine: Engine) -> None:
    trigger = await hourly(engine, overlap="queue_one")
    await trigger.fire()
    await trigger.next_hour()
    assert await ahead(engine) == 1
    await end_jobs(engine)
    assert await ahead(engine) == 0


async def test_a_head_that_another_session_has_locked_is_asked_for_less_and_less(
    engine: Engine, another: Another, link: Link
) -> None:
    trigger = await hourly(engine)
    await trigger.come_due()
    holder = await another()
    watch = DueWatch(link, longest=lambda: 5.0)
    watch.scheduler = counted = Counted()
    scheduler = Scheduler(link, then=watch.wake)
    async with holder.transaction():
        await holder.execute("select from headrace.trigger for update")
        pauses = []
        for _ in range(8):
            pauses.append(await watch.tick())
            await scheduler.tick()
        assert pauses == [0.04, 0.08, 0.16, 0.32, 0.64, 1.0, 1.0, 1.0]
        assert counted.woken == 8
        assert not watch._woken.is_set()
    await scheduler.tick()
    assert watch._woken.is_set()
    assert await trigger.fired() == trigger.hours(-1)
    pause = await watch.tick()
    assert pause == 5.0
    await trigger.pass_hour()
    await trigger.come_due()
    assert await watch.tick() == 0.04


async def test_a_watch_sleeps_no_longer_than_to_the_next_due_time(engine: Engine, link: Link) -> None:
    trigger_id = await add(engine, cron="@daily")
    await engine.db.execute(
        "update headrace.trigger set next_run_at = clock_timestamp() + interval '1 hour',"
        " fire_at = clock_timestamp() + interval '1 hour' where id = $1",
        trigger_id,
    )
    watch = DueWatch(link, longest=lambda: 7200.0)
    watch.scheduler = counted = Counted()
    pause = await watch.tick()
    assert pause is not None
    assert 3000 < pause <= 3600
    assert counted.woken == 0


async def test_a_tick_does_batch_after_batch(engine: Engine, link: Link) -> None:
    await engine.define()
    await engine.db.execute(
        "insert into headrace.trigger (name, definition_id, every_seconds)"
        " select 't' || n, id, 3600 from generate_series(1, 450) as n, headrace.definition"
    )
    await Scheduler(link, then=lambda: None).tick()
    assert await live(engine) == 450


async def test_a_process_without_a_scheduler_has_no_loop_that_fires(engine: Engine) -> None:
    maintenance = Maintenance(engine.endpoint, listening=lambda: True, scheduler=False, retention=KEEP)
    assert maintenance.watch.scheduler is None
    assert maintenance.watch.dispatcher is None
    assert not any(isinstance(loop, Scheduler) for loop in maintenance.loops)
    maintenance.notified("triggers")
    await maintenance.close()


async def test_turned_off_a_worker_runs_jobs_and_fires_nothing(engine: Engine) -> None:
    hr = app_on(engine.endpoint.url, scheduler_enabled=False)

    @hr.job
    def work() -> None: ...

    async with working(hr):
        trigger_id = await add(engine, every_seconds=0.1)
        due = await hourly(engine)
        await due.come_due()
        for _ in range(3):
            await hr.wait(await hr.enqueue("work"), PATIENCE)
    assert await jobs(engine, trigger_id) == []
    assert await due.fired() == []


async def test_a_new_trigger_fires_at_once_though_the_loops_sleep(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody_looks_unasked(monkeypatch)
    hr = app_on(engine.endpoint.url, **UNASKED)

    @hr.job
    def work() -> None: ...

    async with hr, running(WorkerProcess(hr)) as process:
        await until("it listens", process._listener.listening.is_set)
        trigger_id = await add(engine, every_seconds=3600.0)
        await until_fired(engine, trigger_id)


async def test_a_due_time_written_by_hand_is_heard_of(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody_looks_unasked(monkeypatch)
    hr = app_on(engine.endpoint.url, **UNASKED)

    @hr.job
    def work() -> None: ...

    async with hr, running(WorkerProcess(hr)) as process:
        await until("it listens", process._listener.listening.is_set)
        await settle(engine, process._maintenance)
        soon = await clock(engine) + timedelta(seconds=1)
        trigger_id = await add(engine, every_seconds=3600.0, starts_at=soon, next_run_at=soon)
        await until_fired(engine, trigger_id)


async def test_a_trigger_of_a_running_process_keeps_firing_and_its_jobs_run(engine: Engine) -> None:
    hr = app_on(engine.endpoint.url)

    @hr.job(every=0.1)
    def work() -> None: ...

    async with working(hr):
        trigger_id = await engine.db.fetchval("select id from headrace.trigger")
        await until_fired(engine, trigger_id, 5)
    due = [job["scheduled_for"] for job in await jobs(engine, trigger_id)]
    assert len(set(due)) == len(due)
    assert set(await reasons(engine, trigger_id)) <= {"fired", "superseded"}


async def settle(engine: Engine, maintenance: Maintenance) -> None:
    """Until the watch has looked at an empty table and sleeps."""
    ticks = maintenance.watch.tick
    seen: list[float | None] = []

    async def counted() -> float | None:
        seen.append(await ticks())
        return seen[-1]

    maintenance.watch.tick = counted  # type: ignore[method-assign]
    maintenance.watch.wake()
    await until("the watch has looked", lambda: bool(seen))
