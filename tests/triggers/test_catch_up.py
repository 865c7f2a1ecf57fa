"""Catch-up: what was missed follows the trigger's policy and is written down, in constant work."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.engine import Engine
from tests.triggers.triggering import (
    HOUR,
    SECOND,
    Line,
    add,
    change,
    fires,
    hourly,
    jobs,
    move,
    row,
    tick,
)

from headrace.model.time.cron import CronRule
from headrace.triggers.fire import fire_due
from headrace.triggers.rules import Rules


async def test_none_fires_a_time_within_the_grace_only(engine: Engine) -> None:
    soon = await hourly(engine, "soon", catch_up="none", late=20 * SECOND)
    late = await hourly(engine, "late", catch_up="none", late=70 * SECOND)
    for trigger in (soon, late):
        await trigger.fire()
    assert await soon.fires() == [Line(soon.hour(-1), "fired")]
    assert await late.fires() == [Line(late.hour(-1), "skipped", "missed", late.hour(-1), 1)]
    assert [(await trigger.row())["next_run_at"] for trigger in (soon, late)] == [soon.next, late.next]


async def test_the_grace_is_the_triggers_own(engine: Engine) -> None:
    patient = await hourly(engine, "patient", catch_up="none", late=600 * SECOND, misfire_grace_seconds=700.0)
    strict = await hourly(engine, "strict", catch_up="none", late=10 * SECOND, misfire_grace_seconds=5.0)
    for trigger in (patient, strict):
        await trigger.fire()
    assert await patient.reasons() == ["fired"]
    assert await strict.reasons() == ["missed"]


async def test_with_jitter_the_grace_is_longer_by_as_much(engine: Engine) -> None:
    trigger = await hourly(engine, catch_up="none", late=100 * SECOND, jitter_seconds=600.0)
    await trigger.fire()
    assert await trigger.fires() == [Line(trigger.hour(-1), "fired")]


async def test_none_passes_over_what_was_missed_as_one_range(engine: Engine) -> None:
    trigger = await hourly(engine, catch_up="none", late=70 * SECOND)
    await trigger.fire(5)
    assert await trigger.fires() == [Line(trigger.hour(-5), "skipped", "missed", trigger.hour(-1), 5)]


async def test_latest_fires_the_newest_and_passes_over_the_rest(engine: Engine) -> None:
    trigger = await hourly(engine, catch_up="latest", late=70 * SECOND)
    await trigger.fire(5)
    assert await trigger.fires() == [
        Line(trigger.hour(-5), "skipped", "superseded", trigger.hour(-2), 4),
        Line(trigger.hour(-1), "fired", by="catchup"),
    ]
    assert [job["source"] for job in await jobs(engine, trigger.id)] == ["catchup"]


async def test_all_fires_each_oldest_first(engine: Engine) -> None:
    trigger = await hourly(engine, catch_up="all")
    await trigger.fire(3)
    assert await trigger.fires() == [Line(trigger.hour(k), "fired", by="catchup") for k in (-3, -2, -1)]
    rows = await engine.db.fetch(
        "select scheduled_for from headrace.queue join headrace.job on id = job_id order by seq"
    )
    assert [found[0] for found in rows] == trigger.hours(-3, -2, -1)
    found = await trigger.row()
    assert (found["fires"], found["last_run_at"]) == (3, trigger.hour(-1))


async def test_all_stops_at_its_cap_and_counts_the_rest(engine: Engine) -> None:
    trigger = await hourly(engine, catch_up="all", catch_up_cap=2)
    await trigger.fire(10)
    assert await trigger.fires() == [
        Line(trigger.hour(-10), "skipped", "over_cap", trigger.hour(-3), 8),
        Line(trigger.hour(-2), "fired", by="catchup"),
        Line(trigger.hour(-1), "fired", by="catchup"),
    ]


@pytest.mark.parametrize(("missed", "n"), [(1000, 1000), (1001, None)])
async def test_a_range_is_counted_to_a_thousand(engine: Engine, missed: int, n: int | None) -> None:
    trigger = await hourly(engine, catch_up="none", late=70 * SECOND)
    await trigger.fire(missed)
    assert await trigger.fires() == [Line(trigger.hour(-missed), "skipped", "missed", trigger.hour(-1), n)]


@pytest.mark.parametrize("policy", ["none", "latest", "all"])
async def test_a_scheduler_that_was_down_for_two_months_has_constant_work(
    engine: Engine, policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = count_steps(monkeypatch)
    spent = []
    for days in (3, 61):
        trigger_id = await add(engine, f"{days} days", cron="* * * * *", catch_up=policy, timezone="Europe/Berlin")
        await tick(engine)
        await move(engine, trigger_id, -timedelta(days=days))
        first = (await row(engine, trigger_id))["next_run_at"]
        steps.clear()
        assert await fire_due(engine.db, Rules()) == 1
        spent.append(len(steps))
        await change(engine.db, trigger_id, enabled=False)
    assert 0 < spent[1] <= spent[0] + 10, "87,840 due times cost as much as 4,320, and a change of clocks a little"
    lines = await fires(engine, trigger_id)
    fired = [line for line in lines if line.outcome == "fired"]
    # The newest came within the last minute, so that even "none" fires it.
    assert len(fired) == {"none": 1, "latest": 1, "all": 100}[policy]
    (stretch,) = [line for line in lines if line.outcome == "skipped"]
    assert (stretch.due_at, stretch.n) == (first, None)
    assert stretch.until == fired[0].due_at - timedelta(minutes=1)


def count_steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every step from one due time to another is in this list from now on."""
    steps: list[str] = []
    for name in ("next_naive", "previous_naive", "_time"):
        step = getattr(CronRule, name)

        def counted(*args: Any, step: Any = step, name: str = name) -> Any:
            steps.append(name)
            return step(*args)

        monkeypatch.setattr(CronRule, name, counted)
    return steps


async def test_catching_up_needs_no_more_statements_for_a_longer_outage(engine: Engine) -> None:
    await (await hourly(engine, "warm")).fire(2)
    counts = []
    for n in (2, 1900):
        trigger = await hourly(engine, f"down for {n}")
        await trigger.come_due(n)
        asked: list[str] = []
        with engine.db.query_logger(lambda query, asked=asked: asked.append(query.query)):
            await fire_due(engine.db, Rules())
        counts.append(len(asked))
    assert counts[0] == counts[1] > 0


async def test_an_hour_lost_by_the_clock_is_as_an_hour_down(engine: Engine) -> None:
    # The clock jumps forward: several due times lie behind all at once.
    trigger = await hourly(engine, catch_up="all")
    await trigger.fire()
    await trigger.pass_hour()
    await trigger.pass_hour()
    await trigger.fire(2)
    assert [(line.outcome, line.by) for line in await trigger.fires()] == [
        ("fired", "scheduler"),
        ("fired", "catchup"),
        ("fired", "catchup"),
    ]


async def test_a_clock_that_goes_back_makes_silence_until_the_time_has_passed_again(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.fire()
    await move(engine, trigger.id, 2 * HOUR)
    assert await tick(engine) == 0
    assert (await trigger.row())["next_run_at"] == trigger.hour(2)
    assert await trigger.fired() == trigger.hours(-1)
