"""Compute: a trigger without a due time gets one, and one that cannot have any is turned off alone."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from tests.engine import Engine
from tests.triggers.triggering import (
    HOUR,
    SECOND,
    add,
    change,
    clear_of_the_next_minute,
    clock,
    fires,
    hourly,
    jobs,
    row,
    tick,
)

from headrace.triggers.compute import compute_due_times
from headrace.triggers.rules import Rules


async def compute(engine: Engine) -> int:
    return await compute_due_times(engine.db, Rules())


async def next_run_at(engine: Engine, trigger_id: UUID) -> datetime | None:
    found: datetime | None = (await row(engine, trigger_id))["next_run_at"]
    return found


async def test_a_new_cron_is_due_at_its_next_local_time(engine: Engine) -> None:
    trigger_id = await add(engine, cron="30 4 * * *", timezone="Asia/Kolkata")
    assert await compute(engine) == 1
    expected = await engine.db.fetchval(
        "select min(day at time zone 'Asia/Kolkata') from generate_series(current_date - 1 + time '04:30',"
        " current_date + 3 + time '04:30', interval '1 day') as day where day at time zone 'Asia/Kolkata' > now()"
    )
    assert await next_run_at(engine, trigger_id) == expected
    assert (await row(engine, trigger_id))["fire_at"] == expected
    assert await compute(engine) == 0


async def test_computing_is_not_a_change_of_the_trigger(engine: Engine) -> None:
    trigger_id = await add(engine, cron="@daily")
    await compute(engine)
    found = await row(engine, trigger_id)
    assert (found["version"], found["enabled"], found["last_error"], found["fires"]) == (1, True, None, 0)
    assert await fires(engine, trigger_id) == []


async def test_an_interval_without_a_start_begins_at_once_and_keeps_its_phase(engine: Engine) -> None:
    before = await clock(engine)
    trigger_id = await add(engine, every_seconds=3600.0)
    start = (await row(engine, trigger_id))["starts_at"]
    assert before <= start <= await clock(engine)
    await tick(engine)
    assert [job["scheduled_for"] for job in await jobs(engine, trigger_id)] == [start]
    assert await next_run_at(engine, trigger_id) == start + HOUR


async def test_an_interval_counts_from_its_start_however_long_ago(engine: Engine) -> None:
    start = await clock(engine) - 100 * HOUR - timedelta(minutes=20)
    trigger_id = await add(engine, every_seconds=3600.0, starts_at=start)
    await compute(engine)
    assert await next_run_at(engine, trigger_id) == start + 101 * HOUR


async def test_nothing_is_due_before_the_start(engine: Engine) -> None:
    start = (await clock(engine)).replace(second=0, microsecond=0) + timedelta(days=30)
    each_minute = await add(engine, "cron", cron="* * * * *", starts_at=start)
    interval = await add(engine, "interval", every_seconds=7.0, starts_at=start)
    await compute(engine)
    assert [await next_run_at(engine, each) for each in (each_minute, interval)] == [start, start]


async def test_a_schedule_that_is_over_has_finished(engine: Engine) -> None:
    now = await clock(engine)
    over = await add(engine, cron="* * * * *", ends_at=now - SECOND)
    await compute(engine)
    assert (await row(engine, over))["finished"]
    assert await tick(engine) == 0
    assert await jobs(engine, over) == []


async def test_the_end_itself_is_no_longer_due(engine: Engine) -> None:
    start = await clock(engine) + HOUR
    trigger_id = await add(engine, every_seconds=60.0, starts_at=start - 60 * SECOND, ends_at=start - 59 * SECOND)
    await compute(engine)
    assert await next_run_at(engine, trigger_id) == start - 60 * SECOND
    await change(engine.db, trigger_id, starts_at=start - HOUR - 60 * SECOND, ends_at=start)
    await compute(engine)
    assert await next_run_at(engine, trigger_id) == start - HOUR + 60 * SECOND


async def test_a_due_time_written_by_hand_is_kept(engine: Engine) -> None:
    later = await clock(engine) + timedelta(days=3)
    trigger_id = await add(engine, cron="* * * * *", next_run_at=later)
    assert await compute(engine) == 0
    assert [(await row(engine, trigger_id))[name] for name in ("next_run_at", "fire_at")] == [later, later]


async def test_infinity_means_finished_and_null_means_compute(engine: Engine) -> None:
    now = await clear_of_the_next_minute(engine)
    never = await engine.db.fetchval("select 'infinity'::timestamptz")
    trigger_id = await add(engine, cron="* * * * *", next_run_at=never)
    assert await tick(engine) == 0
    assert (await row(engine, trigger_id))["finished"]
    await change(engine.db, trigger_id, next_run_at=None)
    assert await compute(engine) == 1
    due_at = await next_run_at(engine, trigger_id)
    assert due_at is not None
    assert 0 < (due_at - now).total_seconds() <= 60


@pytest.mark.parametrize("change_it", ["max_fires = 9", "cron = '0 * * * *'", "timezone = 'Asia/Tokyo'"])
async def test_a_finished_schedule_goes_on_from_now_when_it_is_edited(engine: Engine, change_it: str) -> None:
    trigger_id = await add(
        engine, cron="* * * * *", next_run_at=await engine.db.fetchval("select 'infinity'::timestamptz")
    )
    await engine.db.execute(f"update headrace.trigger set {change_it}")
    assert await compute(engine) == 1
    assert not (await row(engine, trigger_id))["finished"]
    assert await fires(engine, trigger_id) == []


async def test_a_finished_schedule_goes_on_from_now_when_it_is_enabled_again(engine: Engine) -> None:
    trigger = await hourly(engine, max_fires=1)
    await trigger.fire()
    assert (await trigger.row())["finished"]
    await trigger.change(enabled=False)
    await trigger.change(enabled=True, max_fires=2)
    assert await compute(engine) == 1
    assert (await trigger.row())["next_run_at"] == trigger.next
    assert await trigger.reasons() == ["fired"]


async def test_jitter_moves_the_fire_and_not_the_due_time(engine: Engine) -> None:
    trigger = await hourly(engine, jitter_seconds=600.0)
    found = await trigger.row()
    assert found["next_run_at"] == trigger.next
    assert trigger.next <= found["fire_at"] < trigger.next + timedelta(minutes=10)
    assert found["version"] == 1


async def test_a_batch_is_no_larger_than_asked(engine: Engine) -> None:
    for n in range(5):
        await add(engine, f"cron {n}", cron="@daily")
    assert [await compute_due_times(engine.db, Rules(), batch=2) for _ in range(4)] == [2, 2, 1, 0]


async def test_an_event_trigger_is_not_the_schedulers(engine: Engine) -> None:
    trigger_id = await add(engine, trigger_type="event", event="a.b")
    assert await tick(engine) == 0
    assert (await row(engine, trigger_id))["next_run_at"] is None
