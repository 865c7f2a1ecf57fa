"""Disable and enable: off means off whoever comes first, and what was due meanwhile is one line."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import asyncpg
import pytest
from tests.at_once import Another, until_blocked
from tests.engine import Engine
from tests.triggers.triggering import Line, add, change, clock, fires, hourly, jobs, live, reasons, row, tick

from headrace.triggers.compute import compute_due_times
from headrace.triggers.fire import SQL, fire_due, short_transaction
from headrace.triggers.rules import Rules


async def test_a_disabled_trigger_never_fires_nor_is_it_computed(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.change(enabled=False)
    new = await add(engine, "new", every_seconds=3600.0, enabled=False)
    await trigger.come_due(3)
    assert await tick(engine) == 0
    assert (await row(engine, new))["next_run_at"] is None
    assert await live(engine) == 0


async def test_the_disabled_time_is_one_line_and_enabling_goes_on_from_now(engine: Engine) -> None:
    trigger = await hourly(engine, catch_up="all")
    await trigger.change(enabled=False)
    await trigger.come_due(4)
    await trigger.change(enabled=True)
    await tick(engine)
    assert await trigger.fires() == [Line(trigger.hour(-4), "skipped", "disabled", trigger.hour(-1), 4)]
    found = await trigger.row()
    assert (found["next_run_at"], found["fire_at"]) == (trigger.next, trigger.next)
    assert (found["uncovered_from"], found["uncovered_why"]) == (None, None)
    assert await live(engine) == 0


async def test_a_short_pause_between_two_due_times_leaves_no_line(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.change(enabled=False)
    await trigger.change(enabled=True)
    await tick(engine)
    assert await trigger.fires() == []
    assert (await trigger.row())["next_run_at"] == trigger.next


async def test_turned_on_and_off_and_on_again_before_anybody_looks_loses_no_time(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.change(enabled=False)
    await trigger.come_due(4)
    for enabled in (True, False, True):
        await trigger.change(enabled=enabled)
    await tick(engine)
    assert await trigger.fires() == [Line(trigger.hour(-4), "skipped", "disabled", trigger.hour(-1), 4)]


async def test_a_long_pause_is_not_counted_beyond_a_thousand(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.change(enabled=False)
    await trigger.come_due(1500)
    await trigger.change(enabled=True)
    await tick(engine)
    assert await trigger.fires() == [Line(trigger.hour(-1500), "skipped", "disabled", trigger.hour(-1), None)]


async def test_what_was_due_while_it_was_edited_and_off_is_called_edited(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.change(enabled=False)
    await trigger.come_due(4)
    await trigger.change(every_seconds=7200.0)
    await trigger.change(enabled=True)
    await tick(engine)
    (line,) = await trigger.fires()
    assert (line.due_at, line.reason, line.n) == (trigger.hour(-4), "edited", None)
    assert line.until is not None
    assert line.until <= await clock(engine)


async def test_jobs_that_were_enqueued_before_are_left_alone(engine: Engine) -> None:
    trigger = await hourly(engine, overlap="skip")
    await trigger.fire()
    await trigger.change(enabled=False)
    (job,) = await jobs(engine, trigger.id)
    assert await engine.status(job["id"]) == "queued"


async def test_a_disable_that_is_not_committed_yet_is_not_overtaken(engine: Engine, another: Another) -> None:
    trigger, other = await hourly(engine), await hourly(engine, "other")
    for each in (trigger, other):
        await each.come_due()
    operator, scheduler = await another(), await another()
    async with operator.transaction():
        await change(operator, trigger.id, enabled=False)
        # It does not wait either: the others fire.
        assert await fire_due(scheduler, Rules()) == 1
    assert await tick(engine) == 0
    assert await trigger.fired() == []
    assert await other.fired() == other.hours(-1)


async def test_a_disable_between_read_and_lock_wins(engine: Engine, another: Another) -> None:
    # A scheduler that knows the rule already, from an earlier tick, and looks again.
    trigger, rules = await hourly(engine), Rules()
    await trigger.come_due()
    await fire_due(engine.db, rules)
    await trigger.pass_hour()
    await trigger.come_due()
    operator = await another()
    await change(operator, trigger.id, enabled=False)
    assert await fire_due(engine.db, rules) == 0
    assert len(await trigger.fired()) == 1


@pytest.mark.parametrize("commits", [True, False])
async def test_a_disable_waits_for_a_fire_under_way_and_none_comes_after(
    engine: Engine, another: Another, commits: bool
) -> None:
    trigger = await hourly(engine, catch_up="all")
    await trigger.come_due(2)
    scheduler, operator = await another(), await another()
    transaction = scheduler.transaction()
    await transaction.start()
    await fire_due(scheduler, Rules())
    disabling = asyncio.create_task(change(operator, trigger.id, enabled=False))
    await until_blocked(engine.db, operator, scheduler)
    await (transaction.commit() if commits else transaction.rollback())
    await disabling
    assert await trigger.fired() == (trigger.hours(-2, -1) if commits else [])
    assert await tick(engine) == 0
    # Enabled again, the time that did not fire is written down.
    await trigger.change(enabled=True)
    await tick(engine)
    assert await trigger.reasons() == (["fired", "fired"] if commits else ["disabled"])


async def test_an_edit_waits_for_a_fire_under_way_and_holds_from_then_on(engine: Engine, another: Another) -> None:
    trigger = await hourly(engine)
    await trigger.come_due()
    scheduler, operator = await another(), await another()
    transaction = scheduler.transaction()
    await transaction.start()
    await fire_due(scheduler, Rules())
    editing = asyncio.create_task(change(operator, trigger.id, payload='{"new": 1}', every_seconds=7200.0))
    await until_blocked(engine.db, operator, scheduler)
    await transaction.commit()
    await editing
    assert await trigger.fired() == trigger.hours(-1)
    found = await trigger.row()
    assert (found["version"], found["next_run_at"]) == (2, None)
    await tick(engine)
    (next_one,) = [k for k in (0, 1) if trigger.hour(k) == (await trigger.row())["next_run_at"]]
    assert (2001 + next_one) % 2 == 0


async def test_a_scheduler_that_knew_the_rule_reads_it_again_after_an_edit(engine: Engine) -> None:
    trigger, rules = await hourly(engine), Rules()
    for payload in ('{"n": 1}', '{"n": 2}'):
        await trigger.change(payload=payload)
        await trigger.pass_hour()
        await trigger.come_due()
        await fire_due(engine.db, rules)
    assert [job["payload"] for job in await jobs(engine, trigger.id)] == ['{"n": 1}', '{"n": 2}']


async def test_an_edit_writes_down_what_the_old_rule_left_undone(engine: Engine) -> None:
    trigger = await hourly(engine)
    await trigger.come_due(3)
    before = await clock(engine)
    await trigger.change(every_seconds=1800.0)
    await tick(engine)
    (line,) = await trigger.fires()
    assert (line.due_at, line.outcome, line.reason, line.n) == (trigger.hour(-3), "skipped", "edited", None)
    assert line.until is not None
    assert before <= line.until <= await clock(engine)
    assert (await trigger.row())["next_run_at"] > line.until


async def test_an_edit_before_anything_was_due_leaves_no_line(engine: Engine) -> None:
    trigger_id = await add(engine, cron="@daily")
    await tick(engine)
    await change(engine.db, trigger_id, cron="@hourly")
    await tick(engine)
    assert await fires(engine, trigger_id) == []


async def test_a_scheduler_that_stops_inside_its_transaction_loses_its_locks(engine: Engine, another: Another) -> None:
    trigger = await hourly(engine)
    await trigger.come_due()
    stopped, operator = await another(), await another()
    with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, ConnectionError):
        async with short_transaction(stopped):
            assert len(await stopped.fetch(SQL["lock_due"], 10)) == 1
            await change(operator, trigger.id, enabled=False)
            await stopped.fetchval("select 1")
            raise AssertionError("the session should have been ended")
    assert await tick(engine) == 0
    assert await reasons(engine, trigger.id) == []


@pytest.mark.parametrize("step", [fire_due, compute_due_times])
async def test_the_bound_is_gone_with_the_transaction(engine: Engine, step: object) -> None:
    assert callable(step)
    await (await hourly(engine)).come_due()
    before = await engine.db.fetchval("show idle_in_transaction_session_timeout")
    await step(engine.db, Rules())
    assert await engine.db.fetchval("show idle_in_transaction_session_timeout") == before
