"""`hr.control.triggers`: what enabling, disabling, changing, resetting and deleting do to due times and history."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.engine import Engine
from tests.triggers.emitting import make_due, open_app, schedule_once
from tests.worker.running import app_on

from headrace import Headrace
from headrace.errors import Conflict

HOUR = timedelta(hours=1)
START = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
async def hr(engine: Engine) -> AsyncIterator[Headrace]:
    async with open_app(engine) as hr:
        await hr.control.triggers.create("hourly", "work", every_seconds=3600, starts_at=START)
        await schedule_once(engine)
        yield hr


async def due(hr: Headrace, name: str = "hourly") -> datetime:
    at = (await hr.control.triggers.get(name)).next_run_at
    assert at is not None
    return at


async def test_a_disabled_trigger_fires_no_more_and_keeps_its_note_and_its_jobs(engine: Engine, hr: Headrace) -> None:
    triggers = hr.control.triggers
    before = await triggers.fire("hourly")
    following = await due(hr)
    await triggers.disable("hourly", note="too loud")
    await make_due(engine, "hourly", following - 2 * HOUR)
    await schedule_once(engine)
    stopped = await triggers.get("hourly")
    assert (stopped.enabled, stopped.pause_note, stopped.fires, stopped.runs) == (False, "too loud", 0, 1)
    assert [fire.job_id for fire in await triggers.fires("hourly")] == [before.job_id]
    assert await engine.status(before.job_id) == "queued"
    await triggers.disable("hourly")
    assert (await triggers.get("hourly")).pause_note == "too loud"


async def test_enabling_counts_from_now_and_the_disabled_stretch_is_one_line(engine: Engine, hr: Headrace) -> None:
    triggers, following = hr.control.triggers, await due(hr)
    await triggers.disable("hourly", note="too loud")
    await make_due(engine, "hourly", following - 5 * HOUR)
    await triggers.enable("hourly")
    await schedule_once(engine)
    again = await triggers.get("hourly")
    assert (again.enabled, again.pause_note, again.next_run_at, again.fires) == (True, None, following, 0)
    (line,) = await triggers.fires("hourly")
    assert (line.due_at, line.until, line.n) == (following - 5 * HOUR, following - HOUR, 5)
    assert (line.outcome, line.reason, line.job_id) == ("skipped", "disabled", None)


async def test_enabling_what_is_enabled_changes_nothing(hr: Headrace) -> None:
    before = await hr.control.triggers.get("hourly")
    await hr.control.triggers.enable("hourly")
    assert await hr.control.triggers.get("hourly") == before


async def test_a_new_rule_holds_from_now_and_what_the_old_one_left_undone_is_among_the_fires(
    engine: Engine, hr: Headrace
) -> None:
    overdue = await due(hr) - HOUR
    await make_due(engine, "hourly", overdue)
    await hr.control.triggers.update("hourly", every_seconds=7200.0, payload={"n": 2})
    await schedule_once(engine)
    after = await hr.control.triggers.get("hourly")
    assert (after.settings["every_seconds"], after.settings["payload"]) == (7200, {"n": 2})
    assert after.next_run_at is not None
    assert (after.next_run_at - START) % timedelta(hours=2) == timedelta(0)
    (line,) = await hr.control.triggers.fires("hourly")
    assert (line.due_at, line.outcome, line.reason) == (overdue, "skipped", "edited")


async def test_a_new_payload_leaves_the_rhythm_alone(hr: Headrace) -> None:
    before = await hr.control.triggers.get("hourly")
    await hr.control.triggers.update("hourly", payload={"n": 2}, overlap="skip")
    after = await hr.control.triggers.get("hourly")
    assert (after.next_run_at, after.version) == (before.next_run_at, before.version + 1)


async def test_a_reset_brings_back_what_code_declares(engine: Engine) -> None:
    hr = app_on(engine.endpoint.url, "declared")

    @hr.job(cron="0 3 * * *", timezone="Europe/Zurich", payload={"n": 1}, overlap="skip")
    async def report(n: int) -> None: ...

    async with hr:
        triggers = hr.control.triggers
        before = await triggers.get("report")
        assert before.overrides == {}
        await triggers.update("report", cron="0 4 * * *", payload={"n": 2}, max_fires=3)
        assert (await triggers.get("report")).overrides == {
            "cron": ("0 3 * * *", "0 4 * * *"),
            "payload": ({"n": 1}, {"n": 2}),
        }
        await triggers.reset("report")
        after = await triggers.get("report")
        # What code has no word for stays the operator's.
        assert after.settings == before.settings | {"max_fires": 3}
        assert after.overrides == {}


async def test_what_code_does_not_declare_has_nothing_to_be_reset_to(hr: Headrace) -> None:
    with pytest.raises(Conflict, match='trigger "hourly" was not declared in code'):
        await hr.control.triggers.reset("hourly")


async def test_a_deleted_trigger_is_gone_and_its_history_and_jobs_stay(engine: Engine, hr: Headrace) -> None:
    triggers = hr.control.triggers
    ran = await triggers.fire("hourly")
    trigger_id = (await triggers.get("hourly")).id
    await triggers.delete("hourly")
    assert await triggers.list() == []
    assert [line.job_id for line in await triggers.fires("hourly")] == [ran.job_id]
    assert await engine.db.fetchval("select job_id from headrace.fire where trigger_id = $1", trigger_id) == ran.job_id
    gone = await engine.db.fetchval("select name from headrace.deleted_trigger where id = $1", trigger_id)
    assert gone == "hourly"
    assert await engine.status(ran.job_id) == "queued"
    worker = await engine.worker()
    await engine.finish(worker, await engine.claim(worker))
    row = await engine.db.fetchrow("select name, success, triggered_by from headrace.job_history")
    assert tuple(row or ()) == ("hourly", True, "manual")
    # The name is free again, and the new one starts without the old one's past.
    await triggers.create("hourly", "work", every_seconds=60.0)
    assert await triggers.fires("hourly") == []


async def test_a_tenants_triggers_are_its_own(engine: Engine, hr: Headrace) -> None:
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    triggers = hr.control.triggers
    await triggers.create("hourly", "work", tenant="acme", cron="@hourly")
    await triggers.create("daily", "work", tenant="acme", cron="@daily")
    await triggers.disable("hourly", tenant="acme")
    assert [(t.tenant, t.name, t.enabled) for t in await triggers.list(tenant="acme")] == [
        ("acme", "daily", True),
        ("acme", "hourly", False),
    ]
    assert [(t.tenant, t.name, t.enabled) for t in await triggers.list()] == [("default", "hourly", True)]
    ran = await triggers.fire("hourly", tenant="acme")
    tenant = "select t.name from headrace.job join headrace.tenant as t on t.id = tenant_id where job.id = $1"
    assert await engine.db.fetchval(tenant, ran.job_id) == "acme"
    assert await triggers.fires("hourly") == []
