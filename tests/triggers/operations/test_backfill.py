"""`hr.control.triggers.backfill`: jobs for a range of due times, whatever became of them before."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.engine import Engine
from tests.triggers.emitting import make_due, open_app, schedule_once

from headrace import Headrace
from headrace.errors import BadRequest

HOUR = timedelta(hours=1)
START = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
async def hr(engine: Engine) -> AsyncIterator[Headrace]:
    async with open_app(engine) as hr:
        await hr.control.triggers.create("hourly", "work", every_seconds=3600.0, starts_at=START)
        await schedule_once(engine)
        # When a full hour began just now, the trigger has fired: that is no part of a backfill.
        await engine.db.execute("delete from headrace.queue; delete from headrace.job; delete from headrace.fire")
        yield hr


async def jobs(engine: Engine) -> list[tuple[datetime, str]]:
    rows = await engine.db.fetch("select scheduled_for, source from headrace.job order by id")
    return [(row[0], row[1]) for row in rows]


async def test_each_due_time_of_the_range_gets_a_job_oldest_first_with_both_ends(engine: Engine, hr: Headrace) -> None:
    before = await hr.control.triggers.get("hourly")
    made = await hr.control.triggers.backfill("hourly", START + 2 * HOUR, START + 5 * HOUR)
    times = [START + n * HOUR for n in (2, 3, 4, 5)]
    assert await jobs(engine) == [(at, "backfill") for at in times]
    assert (len(made.job_ids), made.skipped, made.job_ids) == (4, 0, sorted(made.job_ids))
    lines = await hr.control.triggers.fires("hourly")
    assert [(line.due_at, line.job_id) for line in lines][::-1] == list(zip(times, made.job_ids, strict=True))
    assert {(line.outcome, line.triggered_by, line.occasion) for line in lines} == {
        ("fired", "backfill", str(made.occasion))
    }
    after = await hr.control.triggers.get("hourly")
    assert (after.next_run_at, after.fires, after.runs) == (before.next_run_at, 0, 4)


async def test_times_that_fired_already_or_were_filled_before_get_a_job_again(engine: Engine, hr: Headrace) -> None:
    due = (await hr.control.triggers.get("hourly")).next_run_at
    assert due is not None
    await make_due(engine, "hourly", due - HOUR)
    await schedule_once(engine)
    assert [at for at, _ in await jobs(engine)] == [due - HOUR]
    first = await hr.control.triggers.backfill("hourly", due - HOUR, due - HOUR)
    second = await hr.control.triggers.backfill("hourly", due - HOUR, due - HOUR)
    assert (len(first.job_ids), len(second.job_ids)) == (1, 1)
    assert [at for at, _ in await jobs(engine)] == [due - HOUR] * 3
    assert (await hr.control.triggers.get("hourly")).next_run_at == due


async def test_a_disabled_trigger_can_be_filled_and_payloads_know_their_time(engine: Engine, hr: Headrace) -> None:
    await engine.define("free")
    await hr.control.triggers.create(
        "free",
        "free",
        cron="30 2 * * *",
        timezone="Europe/Zurich",
        payload={"at": "{{scheduled_for}}"},
        enabled=False,
    )
    # Over the night in which half past two does not exist in Zurich.
    await hr.control.triggers.backfill("free", datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 3, 31, tzinfo=UTC))
    payloads = await engine.db.fetch("select payload from headrace.job order by id")
    assert [json.loads(row[0])["at"] for row in payloads] == [
        "2026-03-28T01:30:00+00:00",
        "2026-03-29T01:00:00+00:00",
        "2026-03-30T00:30:00+00:00",
    ]


async def test_with_skip_one_job_is_made_and_none_while_one_is_live(engine: Engine, hr: Headrace) -> None:
    backfill = hr.control.triggers.backfill
    made = await backfill("hourly", START, START + 4 * HOUR, overlap="skip")
    assert (len(made.job_ids), made.skipped) == (1, 4)
    assert [at for at, _ in await jobs(engine)] == [START]
    again = await backfill("hourly", START, START + HOUR, overlap="skip")
    assert (again.job_ids, again.skipped) == ([], 2)
    of_it = [line for line in await hr.control.triggers.fires("hourly") if line.occasion == str(again.occasion)]
    assert [(line.outcome, line.reason) for line in of_it] == [("skipped", "overlap")] * 2


async def test_a_range_beyond_the_cap_is_refused_as_a_whole(engine: Engine, hr: Headrace) -> None:
    backfill = hr.control.triggers.backfill
    with pytest.raises(BadRequest, match='more than 100 due times of "hourly"'):
        await backfill("hourly", START, START + 100 * HOUR)
    with pytest.raises(BadRequest, match='more than 3 due times of "hourly"'):
        await backfill("hourly", START, START + 3 * HOUR, cap=3)
    assert await jobs(engine) == []
    assert len((await backfill("hourly", START, START + 3 * HOUR, cap=4)).job_ids) == 4


async def test_a_range_that_is_none_is_refused(engine: Engine, hr: Headrace) -> None:
    backfill = hr.control.triggers.backfill
    with pytest.raises(BadRequest, match="runs backwards"):
        await backfill("hourly", START + HOUR, START)
    with pytest.raises(BadRequest, match="with a time zone"):
        await backfill("hourly", datetime(2020, 1, 1), START)
    for cap in (0, -1, 10_001):
        with pytest.raises(BadRequest, match=f"1 to 10,000, not {cap}"):
            await backfill("hourly", START, START, cap=cap)
    assert await jobs(engine) == []


async def test_a_range_without_due_times_makes_nothing(engine: Engine, hr: Headrace) -> None:
    before = await hr.control.triggers.get("hourly")
    for first, until in ((START - 5 * HOUR, START - HOUR), (START + HOUR / 3, START + HOUR / 2)):
        made = await hr.control.triggers.backfill("hourly", first, until)
        assert (made.job_ids, made.skipped) == ([], 0)
    assert (await jobs(engine), await hr.control.triggers.get("hourly")) == ([], before)


async def test_a_payload_that_cannot_be_made_is_skipped_and_says_why(hr: Headrace) -> None:
    settings: Any = {"payload": {"n": "{{scheduled_for}}"}}
    await hr.control.triggers.update("hourly", **settings)
    made = await hr.control.triggers.backfill("hourly", START, START + HOUR)
    assert (made.job_ids, made.skipped) == ([], 2)
    lines = await hr.control.triggers.fires("hourly")
    assert {line.reason for line in lines} == {"invalid_payload"}
    assert all(str(line.detail).startswith("n:") for line in lines)
