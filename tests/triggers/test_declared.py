"""Triggers in code: the database follows the code, the code respects the operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import asyncpg
import pytest
from tests.engine import Engine
from tests.worker.running import app_on

from headrace import Headrace
from headrace.define.signature import BadHandler
from headrace.triggers.change import reset_trigger
from headrace.triggers.read import get_trigger


def work() -> None:
    """Works."""


Declare = Callable[[Headrace], Any]


async def sync(engine: Engine, *declarations: dict[str, Any], app: str = "shop", force: bool = False) -> None:
    """Start an app whose code declares the job `work` with each of these, under keys work, work2, …"""
    hr = app_on(engine.endpoint.url, app)
    for n, options in enumerate(declarations, 1):
        hr.job("work" if n == 1 else f"work{n}", **options)(work)
    async with hr:
        await hr.sync_definitions(force=force)


async def found(engine: Engine, name: str = "work") -> asyncpg.Record:
    row = await engine.db.fetchrow("select * from headrace.trigger where name = $1", name)
    assert row is not None
    return row


async def test_a_job_declares_its_schedule_under_its_own_name(engine: Engine) -> None:
    await sync(engine, {"cron": "0 3 * * *", "timezone": "Europe/Berlin", "overlap": "skip", "payload": {}})
    row = await found(engine)
    names = ("cron", "timezone", "overlap", "app", "enabled", "version", "trigger_type")
    assert [row[name] for name in names] == ["0 3 * * *", "Europe/Berlin", "skip", "shop", True, 1, "schedule"]


async def test_each_kind_of_rule_is_a_trigger_of_its_own(engine: Engine) -> None:
    await sync(engine, {"every": 5, "init": "v1", "event": "file.*", "payload": {}, "jitter": 1})
    rows = await engine.db.fetch("select name, trigger_type, jitter_seconds from headrace.trigger order by name")
    assert [tuple(row) for row in rows] == [
        ("work", "schedule", 1.0),
        ("work:event", "event", 0.0),
        ("work:init", "init", 1.0),
    ]
    assert (await found(engine, "work:init"))["init_version"] == "v1"


async def test_a_second_start_changes_nothing(engine: Engine) -> None:
    declared = {"every": 5, "init": True, "payload": {}, "misfire_grace": 7, "dedupe_window": 1.5}
    await sync(engine, declared)
    before = await engine.db.fetch("select *, xmin::text from headrace.trigger order by name")
    await sync(engine, declared)
    assert await engine.db.fetch("select *, xmin::text from headrace.trigger order by name") == before


async def test_a_change_of_code_is_followed_in_both_directions(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily", "catch_up": "all", "pause_on_failures": 3})
    await sync(engine, {"every": 60})
    row = await found(engine)
    names = ("cron", "every_seconds", "catch_up", "pause_on_failures", "version")
    assert [row[name] for name in names] == [None, 60.0, "latest", None, 2]
    assert row["starts_at"] is not None


async def test_what_an_operator_changed_stays_and_the_rest_follows(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily", "catch_up": "all"})
    await engine.db.execute("update headrace.trigger set cron = '@hourly', max_fires = 9")
    for _ in range(2):
        await sync(engine, {"cron": "@weekly", "catch_up": "none"})
        row = await found(engine)
        assert [row[name] for name in ("cron", "catch_up", "max_fires")] == ["@hourly", "none", 9]
    trigger = await get_trigger(engine.db, "work", tenant="default")
    assert trigger.overrides == {"cron": ("@weekly", "@hourly")}


async def test_an_overridden_kind_of_rule_stays_whole(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily"})
    await engine.db.execute("update headrace.trigger set cron = null, every_seconds = 5")
    await sync(engine, {"cron": "@weekly", "catch_up": "none"})
    row = await found(engine)
    assert [row[name] for name in ("cron", "every_seconds", "catch_up")] == [None, 5.0, "none"]


async def test_a_reset_brings_back_what_code_says(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily", "overlap": "skip"})
    await engine.db.execute("update headrace.trigger set cron = '@hourly', overlap = 'allow', max_fires = 2")
    await reset_trigger(engine.db, "work", tenant="default")
    row = await found(engine)
    assert [row[name] for name in ("cron", "overlap", "max_fires")] == ["@daily", "skip", 2]
    assert (await get_trigger(engine.db, "work", tenant="default")).overrides == {}


async def test_force_follows_the_code_whatever_an_operator_said(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily"})
    await engine.db.execute("update headrace.trigger set cron = '@hourly', enabled = false")
    await sync(engine, {"cron": "@daily"}, force=True)
    row = await found(engine)
    assert (row["cron"], row["enabled"]) == ("@daily", True)


async def test_force_turns_on_what_differs_in_nothing_else(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily"})
    await engine.db.execute("update headrace.trigger set enabled = false")
    await sync(engine, {"cron": "@daily"})
    assert not (await found(engine))["enabled"]
    await sync(engine, {"cron": "@daily"}, force=True)
    assert (await found(engine))["enabled"]


async def test_what_left_the_code_is_turned_off_and_comes_back_on(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily"}, {})
    await sync(engine, {}, {})
    row = await found(engine)
    assert (row["enabled"], row["pause_note"]) == (False, "the trigger was deleted from code")
    assert row["deleted_from_code_at"] is not None
    await sync(engine, {"cron": "@daily"}, {})
    row = await found(engine)
    assert (row["enabled"], row["pause_note"], row["deleted_from_code_at"]) == (True, None, None)


async def test_what_an_operator_turned_off_is_off_when_it_comes_back(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily"})
    await engine.db.execute("update headrace.trigger set enabled = false, pause_note = 'holidays'")
    await sync(engine, {})
    await sync(engine, {"cron": "@daily"})
    row = await found(engine)
    assert (row["enabled"], row["pause_note"], row["deleted_from_code_at"]) == (False, "holidays", None)


async def test_an_app_says_nothing_of_anothers_triggers(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily"})
    hr = app_on(engine.endpoint.url, "other")
    hr.job("else", cron="@daily")(work)
    async with hr:
        await hr.sync_definitions()
    assert (await found(engine))["enabled"]
    assert (await found(engine, "else"))["app"] == "other"


async def test_a_name_that_was_taken_by_hand_is_left_alone(engine: Engine) -> None:
    await sync(engine, {})
    await engine.db.execute("select headrace.schedule('work', 'work', '@yearly')")
    await sync(engine, {"cron": "@daily"})
    row = await found(engine)
    assert (row["cron"], row["app"], row["declared"]) == ("@yearly", None, None)
    await sync(engine, {})
    assert (await found(engine))["enabled"]


async def test_a_name_that_was_taken_at_run_time_is_left_alone(engine: Engine) -> None:
    hr = app_on(engine.endpoint.url, "shop")
    async with hr:
        await hr.register(work, key="work", every=60)
    await sync(engine, {"cron": "@daily"})
    row = await found(engine)
    assert (row["every_seconds"], row["cron"]) == (60.0, None)


@pytest.mark.parametrize(
    "options",
    [
        {"cron": "* * * * * *"},
        {"cron": "0 0 31 2 *"},
        {"cron": "@daily", "timezone": "Mars/Olympus"},
        {"every": 0},
        {"every": float("nan")},
        {"cron": "@daily", "every": 5},
        {"cron": "@daily", "payload": {"a": "{{"}},
        {"timezone": "UTC"},
        {"event": "a", "condition": "[["},
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_where_it_is_declared(options: dict[str, Any]) -> None:
    with pytest.raises(BadHandler, match="job 'work'"):
        Headrace().job("work", **options)(work)
