"""Views: how schedules are doing and what became of their jobs, for people who read with SQL."""

from __future__ import annotations

from typing import Any

import asyncpg
from tests.engine import Engine
from tests.triggers.triggering import FAILED, add, end_jobs, hourly, jobs, tick

from headrace.model.job.outcome import Succeeded


async def status(engine: Engine) -> asyncpg.Record:
    (found,) = await engine.db.fetch("select * from headrace.schedule_status")
    return found


async def history(engine: Engine) -> list[tuple[Any, ...]]:
    rows = await engine.db.fetch(
        "select name, success, message, details, triggered_by from headrace.job_history order by completed_at"
    )
    return [tuple(found) for found in rows]


async def test_a_new_schedule_has_run_never(engine: Engine) -> None:
    trigger = await hourly(engine)
    found = await status(engine)
    names = ("name", "tenant", "definition", "enabled", "next_run_at", "total_runs")
    assert [found[name] for name in names] == ["hourly", "default", "work", True, trigger.next, 0]
    rest = ("last_run_at", "last_run_success", "success_rate_percent", "avg_duration_ms", "max_duration_ms")
    assert [found[name] for name in rest] == [None] * 5


async def test_rates_and_durations_are_those_of_its_jobs(engine: Engine) -> None:
    trigger = await hourly(engine)
    for outcome in (None, None, FAILED):
        await trigger.next_hour()
        await end_jobs(engine, outcome)
    await engine.enqueue()
    await end_jobs(engine, FAILED)
    for milliseconds, at in zip((1000, 2000, 6000), (-3, -2, -1), strict=True):
        await engine.db.execute(
            "update headrace.attempt set started_at = finished_at - make_interval(secs => $2 / 1000.0)"
            " where job_id = (select job_id from headrace.fire where due_at = $1)",
            trigger.hour(at),
            milliseconds,
        )
    found = await status(engine)
    names = ("total_runs", "last_run_success", "success_rate_percent", "avg_duration_ms", "max_duration_ms")
    assert [float(found[name]) for name in names] == [3.0, 0.0, 66.7, 3000.0, 6000.0]
    assert found["last_run_at"] == trigger.hour(-1)


async def test_one_that_is_off_or_finished_has_no_next_time_and_events_are_not_shown(engine: Engine) -> None:
    await add(engine, "event", trigger_type="event", event="a")
    trigger = await hourly(engine, max_fires=1)
    await trigger.change(enabled=False, pause_note="holidays")
    found = await status(engine)
    assert (found["enabled"], found["next_run_at"], found["pause_note"]) == (False, None, "holidays")
    await trigger.change(enabled=True)
    await tick(engine)
    await trigger.fire()
    assert (await status(engine))["next_run_at"] is None


async def test_history_has_each_job_that_ended_under_its_triggers_name(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.fire()
    (job,) = await jobs(engine, trigger.id)
    assert await history(engine) == []
    await end_jobs(engine, Succeeded('{"message": "done", "details": {"n": 1}}'))
    assert await history(engine) == [("hourly", True, "done", '{"n": 1}', "scheduler")]
    (found,) = await engine.db.fetch("select * from headrace.job_history")
    assert (found["job"], found["scheduled_for"], found["tenant"]) == (job["id"], trigger.hour(-1), "default")
    assert found["duration_ms"] >= 0
    assert found["completed_at"] >= found["started_at"]


async def test_history_of_failures_and_of_jobs_without_a_trigger(engine: Engine) -> None:
    await engine.enqueue()
    await end_jobs(engine, FAILED)
    await engine.enqueue()
    await end_jobs(engine, Succeeded('"text"'))
    first, second = await history(engine)
    assert first[:2] == ("work", False)
    assert "no" in first[2]
    assert second == ("work", True, None, '"text"', "sql")


async def test_history_keeps_the_name_of_a_trigger_that_is_gone(engine: Engine) -> None:
    trigger = await hourly(engine, "departed")
    await trigger.fire()
    await end_jobs(engine)
    await engine.db.execute("delete from headrace.trigger")
    assert [line[0] for line in await history(engine)] == ["departed"]
    again = await hourly(engine, "departed")
    await again.fire()
    await end_jobs(engine)
    assert [line[0] for line in await history(engine)] == ["departed", "departed"]
    assert (await status(engine))["total_runs"] == 1
