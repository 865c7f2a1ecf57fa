"""What an error turned off goes on when it is mended, whoever does so; what a person turned off stays off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest
from tests.engine import Engine
from tests.triggers.test_declared import sync
from tests.triggers.triggering import FAILED, add, change, clock, end_jobs, hourly, row, tick

from headrace.triggers.change import set_enabled, update_trigger

BAD = "0 8 * * FRI-MON"
GOOD = "0 8 * * FRI,SAT,SUN,MON"
Mend = Callable[[Engine, UUID], Awaitable[object]]


async def stopped(engine: Engine) -> UUID:
    """A trigger of a plain INSERT that its scheduler turned off."""
    trigger_id = await add(engine, "x", cron=BAD)
    await tick(engine)
    found = await row(engine, trigger_id)
    assert (found["enabled"], "runs backwards" in found["last_error"]) == (False, True)
    return trigger_id


async def with_schedule(engine: Engine, _trigger_id: UUID) -> None:
    await engine.db.execute("select headrace.schedule('x', 'work', $1)", GOOD)


async def with_a_patch(engine: Engine, _trigger_id: UUID) -> None:
    await update_trigger(engine.db, "x", {"cron": GOOD}, tenant="default")


async def with_an_update(engine: Engine, trigger_id: UUID) -> None:
    await change(engine.db, trigger_id, cron=GOOD)


@pytest.mark.parametrize("mend", [with_schedule, with_a_patch, with_an_update])
async def test_what_an_error_stopped_goes_on_when_it_is_mended(engine: Engine, mend: Mend) -> None:
    trigger_id = await stopped(engine)
    await mend(engine, trigger_id)
    await tick(engine)
    found = await row(engine, trigger_id)
    assert [found[name] for name in ("enabled", "last_error", "pause_note", "stopped_at")] == [True, None, None, None]
    assert found["next_run_at"] > await clock(engine)


async def test_what_code_declares_anew_goes_on_too(engine: Engine) -> None:
    await sync(engine, {"cron": "@daily"})
    await engine.db.execute(
        "update headrace.trigger set timezone = 'Mars/Olympus', declared = declared || $1::jsonb",
        '{"timezone": "Mars/Olympus"}',
    )
    await tick(engine)
    assert not await engine.db.fetchval("select enabled from headrace.trigger")
    await sync(engine, {"cron": "@daily"})
    await tick(engine)
    found = await engine.db.fetchrow("select enabled, last_error, timezone from headrace.trigger")
    assert tuple(found or ()) == (True, None, "UTC")


async def test_an_edit_that_mends_nothing_leaves_it_off_with_the_reason(engine: Engine) -> None:
    trigger_id = await stopped(engine)
    await change(engine.db, trigger_id, priority=5)
    await tick(engine)
    found = await row(engine, trigger_id)
    assert (found["enabled"], "runs backwards" in found["last_error"]) == (False, True)


async def off_by_a_verb(engine: Engine, _trigger_id: UUID) -> None:
    await set_enabled(engine.db, "x", tenant="default", enabled=False)


async def off_by_schedule(engine: Engine, _trigger_id: UUID) -> None:
    await engine.db.execute("select headrace.schedule('x', 'work', $1, enabled => false)", GOOD)


async def off_by_a_note(engine: Engine, trigger_id: UUID) -> None:
    await change(engine.db, trigger_id, enabled=False, pause_note="moving house")


@pytest.mark.parametrize("turn_off", [off_by_a_verb, off_by_schedule, off_by_a_note])
@pytest.mark.parametrize("mend", [with_schedule, with_a_patch, with_an_update])
async def test_what_a_person_turned_off_stays_off(engine: Engine, turn_off: Mend, mend: Mend) -> None:
    trigger_id = await stopped(engine)
    await turn_off(engine, trigger_id)
    await mend(engine, trigger_id)
    await tick(engine)
    assert not (await row(engine, trigger_id))["enabled"]


async def test_what_failing_jobs_stopped_stays_off_and_says_so(engine: Engine) -> None:
    trigger = await hourly(engine, "x", pause_on_failures=1)
    await trigger.fire()
    await end_jobs(engine, FAILED)
    await trigger.next_hour()
    note = (await trigger.row())["pause_note"]
    assert note is not None
    await with_schedule(engine, trigger.id)
    found = await trigger.row()
    assert (found["enabled"], found["pause_note"]) == (False, note)
