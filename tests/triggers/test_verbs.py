"""Schedules with SQL alone: schedule, unschedule, trigger."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.at_once import refusal
from tests.engine import Engine
from tests.triggers.triggering import add, clock, jobs, ledger, live, reasons, row, tick


async def call(engine: Engine, verb: str, *given: object, **named: object) -> Any:
    await engine.define()
    places = [f"${n}" for n in range(1, len(given) + 1)]
    places += [f"{name} => ${n}" for n, name in enumerate(named, len(given) + 1)]
    return await engine.db.fetchval(f"select headrace.{verb}({', '.join(places)})", *given, *named.values())


async def test_schedule_makes_a_trigger_that_fires(engine: Engine) -> None:
    trigger_id = await call(engine, "schedule", "nightly", "work", "0 3 * * *", "Europe/Berlin", '{"n": 1}', "default")
    await tick(engine)
    found = await row(engine, trigger_id)
    assert found["next_run_at"] > await clock(engine)
    names = ("name", "cron_expr", "timezone", "payload", "enabled")
    assert [found[name] for name in names] == ["nightly", "0 3 * * *", "Europe/Berlin", '{"n": 1}', True]
    assert found["created_by"] == await engine.db.fetchval("select session_user::text")


async def test_schedule_takes_an_interval(engine: Engine) -> None:
    every = await engine.db.fetchval("select interval '90 seconds'")
    trigger_id = await call(engine, "schedule", "often", "work", every=every, overlap="skip", catch_up="none")
    await tick(engine)
    found = await row(engine, trigger_id)
    assert [found[name] for name in ("interval_seconds", "overlap", "catch_up")] == [90.0, "skip", "none"]
    assert await reasons(engine, trigger_id) == ["fired"]


async def test_schedule_again_changes_what_is_there(engine: Engine) -> None:
    first = await call(engine, "schedule", "s", "work", "0 3 * * *")
    await tick(engine)
    assert await call(engine, "schedule", "s", "work", "0 3 * * *") == first
    assert (await row(engine, first))["version"] == 1
    assert await call(engine, "schedule", "s", "work", "0 4 * * *") == first
    found = await row(engine, first)
    assert (found["cron_expr"], found["version"], found["next_run_at"]) == ("0 4 * * *", 2, None)


async def test_names_are_each_tenants_own(engine: Engine) -> None:
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    mine = await call(engine, "schedule", "s", "work", "@daily")
    theirs = await call(engine, "schedule", "s", "work", "@daily", tenant="acme")
    assert mine != theirs
    assert await call(engine, "unschedule", "s", "acme")
    assert (await row(engine, mine))["name"] == "s"


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"cron": "* * * * * *"}, "HR400", "it has 6 fields and not five"),
    ({"cron": "*/70 * * * *"}, "HR400", 'the minute "*/70" is not valid'),
    ({"cron": "61 * * * *"}, "HR400", "it takes 0 to 59"),
    ({"cron": "* * * * FUN"}, "HR400", "day of week"),
    ({"cron": "* * * *"}, "HR400", "it has 4 fields"),
    ({"cron": "@fortnightly"}, "HR400", "not five"),
    ({"cron": ""}, "HR400", "not five"),
    ({"cron": "9" * 300}, "HR400", "300 characters"),
    ({"cron": "99999999999 * * * *"}, "HR400", "minute"),
    ({}, "HR400", "needs either cron or every"),
    ({"cron": "@daily", "timezone": "Mars/Olympus"}, "HR400", 'there is no time zone "Mars/Olympus"'),
    ({"cron": "@daily", "timezone": ""}, "HR400", "no time zone"),
    ({"cron": "@daily", "timezone": None}, "HR400", "no time zone"),
    *(({"cron": "@daily", "timezone": zone}, "HR400", "no time zone") for zone in ("PST", "+05", "europe/berlin")),
    ({"cron": "@daily", "definition": "nothing"}, "HR404", 'unknown definition "nothing"'),
    ({"cron": "@daily", "tenant": "nobody"}, "HR404", 'unknown tenant "nobody"'),
]


async def test_what_cannot_be_scheduled_is_refused_with_the_reason(engine: Engine) -> None:
    for named, state, sentence in REFUSED:
        error = await refusal(call(engine, "schedule", **{"name": "s", "definition": "work", **named}))
        assert (error.sqlstate, sentence in str(error)) == (state, True), str(error)
    assert await engine.db.fetchval("select count(*) from headrace.trigger") == 0


@pytest.mark.parametrize("every", ["0", "-5 seconds", "99 milliseconds"])
async def test_an_interval_must_not_be_too_short(engine: Engine, every: str) -> None:
    await engine.define()
    error = await refusal(engine.db.execute(f"select headrace.schedule('s', 'work', every => '{every}')"))
    assert (error.sqlstate, "0.1 seconds or more" in str(error)) == ("HR400", True)


async def test_one_that_is_off_stays_off_when_it_is_scheduled_again_unless_asked(engine: Engine) -> None:
    trigger_id = await call(engine, "schedule", "s", "work", "@daily", enabled=False)
    await call(engine, "schedule", "s", "work", "@hourly")
    assert not (await row(engine, trigger_id))["enabled"]
    await call(engine, "schedule", "s", "work", "@hourly", enabled=True)
    assert (await row(engine, trigger_id))["enabled"]


async def test_unschedule_keeps_history_and_says_whether_there_was_one(engine: Engine) -> None:
    trigger_id = await add(engine, "s", interval_seconds=3600.0)
    await tick(engine)
    assert await call(engine, "unschedule", "s") is True
    assert await call(engine, "unschedule", "s") is False
    assert await reasons(engine, trigger_id) == ["fired"]
    assert len(await jobs(engine, trigger_id)) == 1
    assert (await refusal(call(engine, "unschedule", "s", "nobody"))).sqlstate == "HR404"


async def test_trigger_runs_it_now_also_when_it_is_off(engine: Engine) -> None:
    trigger_id = await add(engine, "s", cron_expr="@daily", enabled=False, payload={"n": 1})
    answer = json.loads(await call(engine, "trigger", "s"))
    (job,) = await jobs(engine, trigger_id)
    assert answer == {"success": True, "job_id": str(job["id"]), "name": "s"}
    assert (job["source"], job["payload"]) == ("manual", '{"n": 1}')
    (line,) = await ledger(engine, trigger_id)
    assert (line.outcome, line.by) == ("fired", "manual")
    found = await row(engine, trigger_id)
    assert (found["fires"], found["runs"], found["last_run_at"]) == (0, 1, line.due_at)
    assert (found["version"], found["next_run_at"]) == (1, None)


async def test_trigger_twice_makes_two_jobs_and_spends_no_due_time(engine: Engine) -> None:
    trigger_id = await add(engine, "s", interval_seconds=3600.0, max_fires=1)
    for _ in range(2):
        assert json.loads(await call(engine, "trigger", "s"))["success"]
    await tick(engine)
    assert await reasons(engine, trigger_id) == ["fired"] * 3
    assert await live(engine) == 3


async def test_trigger_does_not_run_beside_a_live_job_where_the_trigger_minds(engine: Engine) -> None:
    trigger_id = await add(engine, "s", interval_seconds=3600.0, overlap="skip")
    await tick(engine)
    (job,) = await jobs(engine, trigger_id)
    answer = json.loads(await call(engine, "trigger", "s"))
    assert answer == {"success": False, "job_id": str(job["id"]), "name": "s", "reason": "overlap"}
    assert await live(engine) == 1


async def test_a_job_run_by_hand_is_in_the_way_of_the_schedule(engine: Engine) -> None:
    trigger_id = await add(engine, "s", interval_seconds=3600.0, overlap="skip")
    await call(engine, "trigger", "s")
    await tick(engine)
    assert sorted(await reasons(engine, trigger_id)) == ["fired", "overlap"]


async def test_trigger_says_what_it_cannot_do(engine: Engine) -> None:
    await add(engine, "templated", cron_expr="@daily", payload={"a": "{{tenant}}"})
    await add(engine, "event", trigger_type="event", event_name="a.b")
    await engine.define("off", enabled=False)
    await add(engine, "off", definition="off", cron_expr="@daily")
    for name, state in (("templated", "HR409"), ("event", "HR409"), ("off", "HR409"), ("nothing", "HR404")):
        assert (await refusal(call(engine, "trigger", name))).sqlstate == state
    assert await live(engine) == 0
