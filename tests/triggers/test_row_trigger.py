"""Plain SQL is as safe as the API: the table itself counts versions, clears due times and wakes schedulers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from tests.at_once import Another
from tests.engine import Engine
from tests.queue.test_wake import Ear
from tests.triggers.triggering import Hourly, add, change, clock, hourly, row, tick

RULE: dict[str, Any] = {
    "every_seconds": 60.0,
    "timezone": "Asia/Tokyo",
    "max_fires": 5,
    "init_version": "2",
}
HOW: dict[str, Any] = {
    "payload": '{"a": 1}',
    "queue": "other",
    "priority": 1,
    "max_attempts": 1,
    "catch_up": "all",
    "catch_up_cap": 7,
    "misfire_grace_seconds": 1.0,
    "overlap": "skip",
    "jitter_seconds": 1.0,
    "dedupe_window_seconds": 1.0,
    "pause_on_failures": 1,
    "name": "renamed",
}


@pytest.fixture
async def ear(engine: Engine, another: Another) -> AsyncIterator[Ear]:
    listening, ear = await another(), Ear(engine)
    await listening.add_listener("headrace", ear.hear)
    yield ear
    await listening.remove_listener("headrace", ear.hear)


async def test_a_change_of_the_rule_clears_the_due_time(engine: Engine, ear: Ear) -> None:
    for column, value in RULE.items():
        trigger = await hourly(engine, column)
        assert await ear.during(trigger.change(**{column: value})) == ["triggers"]
        found = await trigger.row()
        assert (column, found["version"], found["next_run_at"], found["fire_at"]) == (column, 2, None, None)


async def test_start_and_end_are_part_of_the_rule(engine: Engine) -> None:
    trigger = await hourly(engine)
    for n, column in enumerate(("ends_at", "starts_at"), 2):
        await trigger.change(**{column: trigger.hour(5 - n)})
        found = await trigger.row()
        assert (found["version"], found["next_run_at"]) == (n, None)
        await tick(engine)
        assert (await trigger.row())["next_run_at"] is not None


async def test_a_change_of_what_it_does_leaves_the_due_time(engine: Engine, ear: Ear) -> None:
    for column, value in HOW.items():
        trigger = await hourly(engine, column)
        assert await ear.during(trigger.change(**{column: value})) == ["triggers"]
        found = await trigger.row()
        assert (column, found["version"], found["next_run_at"]) == (column, 2, trigger.next)
        assert found["fire_at"] == trigger.next


async def test_turning_on_clears_the_due_time_and_turning_off_keeps_it(engine: Engine, ear: Ear) -> None:
    trigger = await hourly(engine)
    assert await ear.during(trigger.change(enabled=False)) == []
    found = await trigger.row()
    assert (found["version"], found["next_run_at"]) == (2, trigger.next)
    assert await ear.during(trigger.change(enabled=True)) == ["triggers"]
    found = await trigger.row()
    assert (found["version"], found["next_run_at"], found["uncovered_from"]) == (3, None, trigger.next)


async def test_an_update_that_changes_nothing_is_no_change(engine: Engine, ear: Ear) -> None:
    trigger = await hourly(engine)
    before = await trigger.row()
    for columns in ({"every_seconds": 3600.0}, {"enabled": True}, {"last_error": "x", "pause_note": "y"}):
        assert await ear.during(trigger.change(**columns)) == []
    after = await trigger.row()
    assert [after[name] for name in ("version", "next_run_at")] == [before["version"], trigger.next]


async def test_a_due_time_written_by_hand_moves_the_fire_with_it(engine: Engine, ear: Ear) -> None:
    trigger = await hourly(engine)
    assert await ear.during(trigger.change(next_run_at=trigger.hour(3))) == ["triggers"]
    found = await trigger.row()
    assert (found["next_run_at"], found["fire_at"], found["version"]) == (trigger.hour(3), trigger.hour(3), 1)


async def test_a_due_time_written_with_the_rule_is_kept(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.change(every_seconds=60.0, next_run_at=trigger.hour(2))
    assert (await trigger.row())["next_run_at"] == trigger.hour(2)


async def test_null_asks_for_a_new_computation_from_now(engine: Engine, ear: Ear) -> None:
    trigger = await hourly(engine)
    await trigger.come_due(3)
    before = await clock(engine)
    assert await ear.during(trigger.change(next_run_at=None)) == ["triggers"]
    assert (await trigger.row())["effective_from"] >= before
    await tick(engine)
    assert (await trigger.row())["next_run_at"] == trigger.next
    assert await trigger.fired() == []


async def test_what_was_due_before_null_was_written_is_among_the_fires(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.come_due(3)
    await trigger.change(next_run_at=None)
    await tick(engine)
    (line,) = await trigger.fires()
    assert (line.due_at, line.outcome) == (trigger.hour(-3), "skipped")


async def test_a_schedulers_own_advance_wakes_nobody_and_is_no_change(engine: Engine, ear: Ear) -> None:
    trigger = await hourly(engine, overlap="queue_one")
    await engine.enqueue()  # so that its lane is there

    async def advance(trigger: Hourly) -> None:
        for _ in range(3):
            await trigger.next_hour()

    assert await ear.during(advance(trigger)) == []
    assert (await trigger.row())["version"] == 1


async def test_a_new_row_wakes_a_scheduler_unless_it_is_off_or_for_events(engine: Engine, ear: Ear) -> None:
    await engine.define()
    assert await ear.during(add(engine, "on", cron="@daily")) == ["triggers"]
    assert await ear.during(add(engine, "off", cron="@daily", enabled=False)) == []
    assert await ear.during(add(engine, "event", trigger_type="event", event="a")) == []


async def test_whoever_inserts_cannot_choose_version_or_fire_time(engine: Engine) -> None:
    now = await clock(engine)
    trigger_id = await add(engine, cron="@daily", version=77, fire_at=now, next_run_at=now)
    found = await row(engine, trigger_id)
    assert (found["version"], found["fire_at"]) == (1, now)


async def test_enabling_clears_what_was_noted_unless_something_new_is_said(engine: Engine) -> None:
    trigger_id = await add(engine, cron="@daily", enabled=False, pause_note="holidays", last_error="bad")
    await change(engine.db, trigger_id, enabled=True)
    found = await row(engine, trigger_id)
    assert (found["pause_note"], found["last_error"]) == (None, None)
    await change(engine.db, trigger_id, enabled=False, pause_note="why")
    assert (await row(engine, trigger_id))["pause_note"] == "why"
    await change(engine.db, trigger_id, enabled=True, pause_note="all is well")
    assert (await row(engine, trigger_id))["pause_note"] == "all is well"


async def test_an_interval_that_replaces_a_cron_starts_now(engine: Engine) -> None:
    trigger_id = await add(engine, cron="@daily")
    before = await clock(engine)
    await change(engine.db, trigger_id, cron=None, every_seconds=60.0)
    found = await row(engine, trigger_id)
    assert found["starts_at"] == found["effective_from"] >= before


BAD: list[dict[str, Any]] = [
    {"cron": "@daily", "every_seconds": 5.0},
    {},
    {"trigger_type": "init", "cron": "@daily"},
    {"every_seconds": 0.0},
    {"every_seconds": -1.0},
    {"cron": "@daily", "max_fires": 0},
    {"cron": "@daily", "payload": "[]"},
    {"cron": "@daily", "catch_up": "some"},
    {"cron": "@daily", "overlap": "maybe"},
    {"cron": "@daily", "condition": "event.a"},
    {"cron": "@daily", "priority": 1001},
    {"cron": "@daily", "misfire_grace_seconds": float("nan")},
    {"cron": "@daily", "jitter_seconds": -1.0},
    {"every_seconds": 5.0, "jitter_seconds": 5.0},
    {"cron": "@daily", "name": ""},
]


async def test_a_row_that_makes_no_sense_is_refused(engine: Engine) -> None:
    for columns in BAD:
        with pytest.raises(asyncpg.CheckViolationError):
            await add(engine, **{"name": "bad", **columns})
