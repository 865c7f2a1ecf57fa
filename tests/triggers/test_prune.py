"""Prune: fires and dedupe windows do not grow for ever, and what is young stays."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.engine import Engine
from tests.triggers.triggering import hourly, tick

from headrace.triggers import prune
from headrace.triggers.prune import prune_fires, prune_windows


async def test_old_lines_go_and_young_ones_stay(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "BATCH", 3)
    trigger = await hourly(engine, catch_up="all")
    await trigger.fire(10)
    await engine.db.execute("update headrace.fire set at = at - interval '31 days' where due_at < $1", trigger.hour(-3))
    assert await prune_fires(engine.db, keep=timedelta(days=30)) == 7
    assert [line.due_at for line in await trigger.fires()] == trigger.hours(-3, -2, -1)
    assert await prune_fires(engine.db, keep=timedelta(days=30)) == 0


async def test_age_is_when_it_was_written_and_not_when_it_was_due(engine: Engine) -> None:
    trigger = await hourly(engine, catch_up="none", late=timedelta(minutes=5))
    await trigger.fire(1500)
    assert await prune_fires(engine.db, keep=timedelta(days=30)) == 0
    assert await trigger.reasons() == ["missed"]


async def test_a_pruned_due_time_does_not_come_again(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.fire()
    await engine.db.execute("update headrace.fire set at = at - interval '31 days'")
    await prune_fires(engine.db, keep=timedelta(days=30))
    assert await tick(engine) == 0
    assert await trigger.fired() == trigger.hours(-1)


async def test_windows_that_ran_out_go(engine: Engine) -> None:
    for name in ("open", "closed"):
        await (await hourly(engine, name, dedupe_window_seconds=60.0)).fire()
    await engine.db.execute(
        "update headrace.dedupe set until = now() - interval '1 second'"
        " where trigger_id = (select id from headrace.trigger where name = 'closed')"
    )
    assert await prune_windows(engine.db) == 1
    assert await engine.db.fetchval("select count(*) from headrace.dedupe") == 1
