"""`hr.control.triggers`: run now, skip the next time, backfill a range."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.engine import Engine
from tests.triggers.emitting import make_due, open_app, schedule_once

from headrace import Headrace
from headrace.errors import BadRequest, Conflict

HOUR = timedelta(hours=1)
START = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
async def hr(engine: Engine) -> AsyncIterator[Headrace]:
    async with open_app(engine) as hr:
        await make(hr, "hourly")
        await schedule_once(engine)
        yield hr


async def make(hr: Headrace, name: str, **settings: Any) -> None:
    rule = {"every_seconds": 3600.0, "starts_at": START} if "trigger_type" not in settings else {}
    await hr.control.triggers.create(name, "work", **{**rule, **settings})


async def payloads(engine: Engine) -> list[str]:
    return [row[0] for row in await engine.db.fetch("select payload from headrace.job order by created_at, id")]


async def finish_all(engine: Engine) -> None:
    worker = await engine.worker()
    while held := await engine.claim(worker):
        await engine.finish(worker, held)


async def test_it_runs_now_beside_its_rule_also_while_it_is_disabled(engine: Engine, hr: Headrace) -> None:
    triggers = hr.control.triggers
    await triggers.update("hourly", payload={"n": 7})
    await triggers.disable("hourly")
    ran = await triggers.fire("hourly", created_by="ada")
    assert (ran.fired, ran.reason) == (True, None)
    job = await engine.job(ran.job_id)
    assert (job.payload, job.source, str(job.status)) == ({"n": 7}, "manual", "queued")
    (line,) = await triggers.fires("hourly")
    assert (line.outcome, line.triggered_by, line.job_id) == ("fired", "manual", ran.job_id)
    assert line.occasion
    after = await triggers.get("hourly")
    assert (after.enabled, after.next_run_at, after.fires, after.runs) == (False, None, 0, 1)
    assert after.last_run_at == line.due_at
    assert await engine.db.fetchval("select created_by from headrace.job where id = $1", ran.job_id) == "ada"


async def test_overlap_is_the_callers_choice_or_else_the_triggers(engine: Engine, hr: Headrace) -> None:
    fire = hr.control.triggers.fire
    first = await fire("hourly", overlap="skip")
    assert first.fired
    assert await fire("hourly", overlap="skip") == (False, first.job_id, "overlap")
    assert (await fire("hourly")).fired
    assert (await fire("hourly", overlap="allow")).fired
    await make(hr, "alone", overlap="queue_one")
    alone = await fire("alone")
    assert alone.fired
    assert await fire("alone") == (False, alone.job_id, "overlap")
    assert (await fire("alone", overlap="allow")).fired
    await finish_all(engine)
    assert (await fire("alone")).fired
    reasons = [(line.outcome, line.reason) for line in await hr.control.triggers.fires("alone")]
    assert reasons == [("fired", None), ("fired", None), ("skipped", "overlap"), ("fired", None)]


async def test_a_running_or_delayed_job_is_live_too(engine: Engine, hr: Headrace) -> None:
    await make(hr, "alone", overlap="skip")
    first = await hr.control.triggers.fire("alone")
    worker = await engine.worker()
    held = await engine.claim(worker)
    assert await hr.control.triggers.fire("alone") == (False, first.job_id, "overlap")
    await engine.finish(worker, held)
    assert (await hr.control.triggers.fire("alone")).fired


async def test_a_choice_that_is_none_is_refused(hr: Headrace) -> None:
    choice: Any = "sometimes"
    with pytest.raises(BadRequest, match="sometimes"):
        await hr.control.triggers.fire("hourly", overlap=choice)
    with pytest.raises(BadRequest, match="sometimes"):
        await hr.control.triggers.backfill("hourly", START, START, overlap=choice)
    assert await hr.control.triggers.fires("hourly") == []


async def test_an_init_trigger_runs_by_hand_too_and_an_event_trigger_does_not(engine: Engine, hr: Headrace) -> None:
    triggers = hr.control.triggers
    await make(hr, "once", trigger_type="init", init_version="1")
    assert (await triggers.fire("once")).fired
    # By hand is not by its rule: that one still comes.
    await schedule_once(engine)
    await schedule_once(engine)
    assert (await triggers.get("once")).runs == 2
    await make(hr, "waits", trigger_type="event", event="a")
    day = START + timedelta(days=1)
    with pytest.raises(Conflict, match='"waits" waits for events'):
        await triggers.fire("waits")
    for name, words in (("waits", "waits for events"), ("once", "fires once and has no due times")):
        with pytest.raises(Conflict, match=words):
            await triggers.skip_next(name)
        with pytest.raises(Conflict, match=words):
            await triggers.backfill(name, START, day)


async def test_what_cannot_run_says_why(engine: Engine, hr: Headrace) -> None:
    await make(hr, "broken", payload={"n": "{{scheduled_for}}"})
    with pytest.raises(BadRequest, match=r'trigger "broken" cannot run: n:'):
        await hr.control.triggers.fire("broken")
    await engine.db.execute("update headrace.definition set enabled = false")
    with pytest.raises(Conflict, match=r"its definition is .*disabled"):
        await hr.control.triggers.fire("hourly")
    assert await payloads(engine) == []


async def test_the_next_time_is_skipped_and_the_one_after_it_fires(engine: Engine, hr: Headrace) -> None:
    triggers = hr.control.triggers
    due = (await triggers.get("hourly")).next_run_at
    assert due is not None
    assert await triggers.skip_next("hourly") == due
    assert (await triggers.get("hourly")).next_run_at == due + HOUR
    assert await triggers.skip_next("hourly") == due + HOUR
    lines = [(line.due_at, line.outcome, line.reason, line.triggered_by) for line in await triggers.fires("hourly")]
    assert lines == [(at, "skipped", "skip_next", "manual") for at in (due + HOUR, due)]
    # Nor does it come back when the trigger is turned off and on, which counts from now.
    await triggers.disable("hourly")
    await triggers.enable("hourly")
    await make_due(engine, "hourly", due - HOUR)
    await engine.db.execute("update headrace.trigger set catch_up = 'all'")
    await schedule_once(engine)
    assert [line.due_at for line in await triggers.fires("hourly") if line.outcome == "fired"] == [due - HOUR]


async def test_a_time_not_yet_computed_can_be_skipped(engine: Engine, hr: Headrace) -> None:
    await make(hr, "new")
    skipped = await hr.control.triggers.skip_next("new")
    assert (skipped - START) % HOUR == timedelta(0)
    await schedule_once(engine)
    assert (await hr.control.triggers.get("new")).next_run_at == skipped + HOUR


async def test_there_is_nothing_to_skip_after_the_last_time(engine: Engine, hr: Headrace) -> None:
    await make(hr, "over", ends_at=START + HOUR)
    with pytest.raises(Conflict, match='"over" has no next time'):
        await hr.control.triggers.skip_next("over")
    await schedule_once(engine)
    with pytest.raises(Conflict, match='"over" has no next time'):
        await hr.control.triggers.skip_next("over")
