"""A row written with plain SQL that turns out to be invalid is turned off, says why, and stops nobody else."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest
from tests.engine import Engine
from tests.triggers.triggering import add, change, clock, hourly, jobs, reasons, row, tick

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "six fields": ({"cron": "* * * * * *"}, "five fields"),
    "a step too large": ({"cron": "*/70 * * * *"}, "step"),
    "a word": ({"cron": "whenever you like"}, "five fields"),
    "a long rule": ({"cron": "9" * 5000}, "characters"),
    "31 February": ({"cron": "0 0 31 2 *"}, "No date ever matches"),
    "an unknown zone": ({"cron": "@daily", "timezone": "Mars/Olympus"}, "no time zone"),
    "an unknown zone of an interval": ({"every_seconds": 5.0, "timezone": "Mars"}, "no time zone"),
    "an open placeholder": ({"cron": "@daily", "payload": {"a": "{{ tenant"}}, "never closed"),
    "a forbidden expression": ({"cron": "@daily", "payload": {"a": "{{ tenant | [0] }}"}}, "payload.a"),
    "a number of many digits": ({"cron": "@daily", "payload": f'{{"a": {"9" * 5000}}}'}, "digits"),
    "a deep payload": ({"cron": "@daily", "payload": f'{{"a": {"[" * 2000}{"]" * 2000}}}'}, ""),
}


@pytest.mark.parametrize("what", BAD)
async def test_it_is_disabled_with_the_reason_and_the_others_go_on(engine: Engine, what: str) -> None:
    columns, sentence = BAD[what]
    bad = await add(engine, "bad", **columns)
    good = await add(engine, "good", every_seconds=3600.0)
    await tick(engine)
    found = await row(engine, bad)
    assert not found["enabled"]
    assert sentence in found["last_error"]
    assert len(await jobs(engine, good)) == 1
    assert (await row(engine, good))["last_error"] is None
    assert await tick(engine) == 0


async def test_a_whole_batch_of_such_that_were_due_does_not_stop_one_that_is_right(engine: Engine) -> None:
    bad = {}
    for what, (columns, sentence) in BAD.items():
        times: dict[str, Any] = {"next_run_at": await clock(engine), "starts_at": await clock(engine)}
        bad[await add(engine, what, **times, **columns)] = sentence
    good = await hourly(engine)
    await good.come_due()
    await tick(engine)
    for trigger_id, sentence in bad.items():
        found = await row(engine, trigger_id)
        assert not found["enabled"]
        assert sentence in found["last_error"]
        assert await jobs(engine, trigger_id) == []
    assert await good.reasons() == ["fired"]


OPEN = ["starts_at = '-infinity'", "ends_at = 'infinity'", "next_run_at = 'infinity'"]
BEYOND = [
    "starts_at = 'infinity'",
    "ends_at = '-infinity'",
    "next_run_at = '-infinity'",
    "next_run_at = '0001-01-01 BC'",
]
FAR = ["starts_at = '20000-01-01'", "ends_at = '20000-01-01'", "next_run_at = '20000-01-01'"]


@pytest.mark.parametrize("change_it", OPEN)
async def test_an_open_end_stops_nobody(engine: Engine, change_it: str) -> None:
    strange = await add(engine, "strange", cron="0 0 29 2 *", enabled=False)
    good = await hourly(engine)
    await good.come_due()
    await engine.db.execute(f"update headrace.trigger set {change_it} where id = $1", strange)
    await change(engine.db, strange, enabled=True)
    await tick(engine)
    assert (await row(engine, strange))["next_run_at"] > await clock(engine)
    assert await good.reasons() == ["fired"]


@pytest.mark.parametrize("change_it", [*BEYOND, *FAR])
async def test_a_time_that_no_calendar_holds_is_refused(engine: Engine, change_it: str) -> None:
    strange = await add(engine, "strange", cron="* * * * *")
    with pytest.raises(asyncpg.CheckViolationError, match="between_1900_and_9000"):
        await engine.db.execute(f"update headrace.trigger set {change_it} where id = $1", strange)


async def test_one_that_is_mended_starts_anew(engine: Engine) -> None:
    trigger_id = await add(engine, cron="0 0 31 2 *")
    await tick(engine)
    await change(engine.db, trigger_id, cron="0 0 29 2 *", enabled=True)
    await tick(engine)
    found = await row(engine, trigger_id)
    assert (found["enabled"], found["last_error"]) == (True, None)
    assert found["next_run_at"] > await clock(engine)
    assert await reasons(engine, trigger_id) == []


async def test_one_that_is_enabled_without_being_mended_is_disabled_again(engine: Engine) -> None:
    trigger_id = await add(engine, cron="0 0 31 2 *")
    for _ in range(2):
        await tick(engine)
        found = await row(engine, trigger_id)
        assert not found["enabled"]
        assert "No date ever matches" in found["last_error"]
        await change(engine.db, trigger_id, enabled=True)
