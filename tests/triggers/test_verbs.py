"""Schedules with SQL alone: schedule, unschedule, trigger."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.at_once import refusal
from tests.engine import Engine
from tests.triggers.triggering import add, clock, fires, jobs, live, reasons, row, tick


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
    names = ("name", "cron", "timezone", "payload", "enabled")
    assert [found[name] for name in names] == ["nightly", "0 3 * * *", "Europe/Berlin", '{"n": 1}', True]
    assert found["created_by"] == await engine.db.fetchval("select session_user::text")


async def test_schedule_takes_an_interval(engine: Engine) -> None:
    every = await engine.db.fetchval("select interval '90 seconds'")
    trigger_id = await call(engine, "schedule", "often", "work", every=every, overlap="skip", catch_up="none")
    await tick(engine)
    found = await row(engine, trigger_id)
    assert [found[name] for name in ("every_seconds", "overlap", "catch_up")] == [90.0, "skip", "none"]
    assert await reasons(engine, trigger_id) == ["fired"]


async def test_schedule_again_changes_what_is_there(engine: Engine) -> None:
    first = await call(engine, "schedule", "s", "work", "0 3 * * *")
    await tick(engine)
    assert await call(engine, "schedule", "s", "work", "0 3 * * *") == first
    assert (await row(engine, first))["version"] == 1
    assert await call(engine, "schedule", "s", "work", "0 4 * * *") == first
    found = await row(engine, first)
    assert (found["cron"], found["version"], found["next_run_at"]) == ("0 4 * * *", 2, None)


async def test_names_are_each_tenants_own(engine: Engine) -> None:
    await engine.db.execute("insert into headrace.tenant (name) values ('acme')")
    mine = await call(engine, "schedule", "s", "work", "@daily")
    theirs = await call(engine, "schedule", "s", "work", "@daily", tenant="acme")
    assert mine != theirs
    assert await call(engine, "unschedule", "s", "acme")
    assert (await row(engine, mine))["name"] == "s"


NESTED = '{"a":' * 21 + "1" + "}" * 21
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"cron": "* * * * * *"}, "HR400", "it has 6 fields and not five"),
    ({"cron": "*/70 * * * *"}, "HR400", 'the minute "*/70" is not valid'),
    ({"cron": "61 * * * *"}, "HR400", "it takes 0 to 59"),
    ({"cron": "* * * * FUN"}, "HR400", "day of week"),
    ({"cron": "* * * *"}, "HR400", "it has 4 fields"),
    ({"cron": "@fortnightly"}, "HR400", 'the shorthand "@fortnightly" is not known'),
    ({"cron": "0 8 * * FRI-MON"}, "HR400", 'the day of week "FRI-MON" is not valid: the range runs backwards'),
    ({"cron": "0 17-9 * * *"}, "HR400", "the range runs backwards"),
    ({"cron": "5-5/2 * * * *"}, "HR400", "a range of one value has no steps"),
    ({"cron": "0 0 30 2 *"}, "HR400", "no date ever matches"),
    ({"cron": "@daily", "timezone": "Factory"}, "HR400", 'there is no time zone "Factory"'),
    ({"cron": "@daily", "payload": "[1]"}, "HR400", "its payload must be a JSON object of arguments, not array"),
    ({"cron": "@daily", "payload": "null"}, "HR400", "its payload must be a JSON object of arguments, not null"),
    ({"cron": "@daily", "payload": NESTED}, "HR400", "its payload cannot be read back: it is nested more than 20 deep"),
    ({"cron": "@daily", "payload": '{"a": 1e400}'}, "HR400", "it has a number of more than 400 digits"),
    ({"cron": "@daily", "payload": f'{{"a": "{"x" * 1_000_000}"}}'}, "HR400", "its payload is too large"),
    ({"cron": "@daily", "catch_up": None}, "HR400", "catch_up is one of none, latest, all"),
    ({"cron": "@daily", "overlap": None}, "HR400", "overlap is one of allow, skip"),
    ({"cron": "@daily", "max_attempts": 0}, "HR400", "max_attempts 0 is out of range"),
    ({"cron": "@daily", "max_attempts": 40_000}, "HR400", "max_attempts 40000 is out of range"),
    ({"cron": "@daily", "name": ""}, "HR400", "a name has 1 to 200 characters"),
    ({"cron": "@daily", "name": None}, "HR400", "a name has 1 to 200 characters"),
    ({"cron": "@daily", "name": "n" * 201}, "HR400", "a name has 1 to 200 characters"),
    ({"cron": "@daily", "definition": "sealed"}, "HR409", 'a trigger cannot enqueue "sealed": a trigger has no key'),
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
    await engine.define("sealed", payload_schema='{"properties": {"password": {"x-secret": true}}}')
    for named, state, sentence in REFUSED:
        error = await refusal(call(engine, "schedule", **{"name": "s", "definition": "work", **named}))
        assert (error.sqlstate, sentence in str(error)) == (state, True), str(error)
    assert await engine.db.fetchval("select count(*) from headrace.trigger") == 0


@pytest.mark.parametrize("every", ["0", "-5 seconds", "99 milliseconds", "200 years", "-178000000 years"])
async def test_an_interval_must_be_neither_too_short_nor_too_long(engine: Engine, every: str) -> None:
    await engine.define()
    error = await refusal(engine.db.execute(f"select headrace.schedule('s', 'work', every => '{every}')"))
    assert (error.sqlstate, "0.1 seconds or more" in str(error)) == ("HR400", True)


async def test_what_would_not_fit_other_settings_is_refused_with_a_sentence(engine: Engine) -> None:
    await add(engine, "s", cron="@daily", jitter_seconds=600.0)
    error = await refusal(engine.db.execute("select headrace.schedule('s', 'work', every => '5 seconds')"))
    assert (error.sqlstate, "jitter is shorter than the interval" in str(error)) == ("HR400", True), str(error)


async def test_schedule_emit_and_define_sql_job_read_strings_as_the_session_does_not(engine: Engine) -> None:
    await engine.define()
    await engine.db.execute("create function public.greet(jsonb) returns jsonb language sql as 'select $1'")
    await engine.db.execute("set standard_conforming_strings = off")
    await engine.db.execute("select headrace.schedule('s', 'work', '*/5 9-17 * * MON-FRI', 'Europe/Berlin')")
    await engine.db.execute("select headrace.emit('order.paid')")
    assert (await refusal(engine.db.execute("select headrace.emit('order paid')"))).sqlstate == "HR400"
    await engine.db.execute("select headrace.define_sql_job('greet', 'public.greet( jsonb )')")


async def test_trigger_refuses_a_payload_that_no_worker_could_read(engine: Engine) -> None:
    await add(engine, "deep", cron="@daily", payload='{"a":' * 201 + "1" + "}" * 201)
    error = await refusal(call(engine, "trigger", "deep"))
    assert (error.sqlstate, "nested more than 200 deep" in str(error)) == ("HR409", True), str(error)


async def test_one_that_is_off_stays_off_when_it_is_scheduled_again_unless_asked(engine: Engine) -> None:
    trigger_id = await call(engine, "schedule", "s", "work", "@daily", enabled=False)
    await call(engine, "schedule", "s", "work", "@hourly")
    assert not (await row(engine, trigger_id))["enabled"]
    await call(engine, "schedule", "s", "work", "@hourly", enabled=True)
    assert (await row(engine, trigger_id))["enabled"]


async def test_unschedule_keeps_history_and_says_whether_there_was_one(engine: Engine) -> None:
    trigger_id = await add(engine, "s", every_seconds=3600.0)
    await tick(engine)
    assert await call(engine, "unschedule", "s") is True
    assert await call(engine, "unschedule", "s") is False
    assert await reasons(engine, trigger_id) == ["fired"]
    assert len(await jobs(engine, trigger_id)) == 1
    assert (await refusal(call(engine, "unschedule", "s", "nobody"))).sqlstate == "HR404"


async def test_trigger_runs_it_now_also_when_it_is_off(engine: Engine) -> None:
    trigger_id = await add(engine, "s", cron="@daily", enabled=False, payload={"n": 1})
    answer = json.loads(await call(engine, "trigger", "s"))
    (job,) = await jobs(engine, trigger_id)
    assert answer == {"success": True, "job_id": str(job["id"]), "name": "s"}
    assert (job["source"], job["payload"]) == ("manual", '{"n": 1}')
    (line,) = await fires(engine, trigger_id)
    assert (line.outcome, line.by) == ("fired", "manual")
    found = await row(engine, trigger_id)
    assert (found["fires"], found["runs"], found["last_run_at"]) == (0, 1, line.due_at)
    assert (found["version"], found["next_run_at"]) == (1, None)


async def test_trigger_twice_makes_two_jobs_and_spends_no_due_time(engine: Engine) -> None:
    trigger_id = await add(engine, "s", every_seconds=3600.0, max_fires=1)
    for _ in range(2):
        assert json.loads(await call(engine, "trigger", "s"))["success"]
    await tick(engine)
    assert await reasons(engine, trigger_id) == ["fired"] * 3
    assert await live(engine) == 3


async def test_trigger_does_not_run_beside_a_live_job_where_the_trigger_minds(engine: Engine) -> None:
    trigger_id = await add(engine, "s", every_seconds=3600.0, overlap="skip")
    await tick(engine)
    (job,) = await jobs(engine, trigger_id)
    answer = json.loads(await call(engine, "trigger", "s"))
    assert answer == {"success": False, "job_id": str(job["id"]), "name": "s", "reason": "overlap"}
    assert await live(engine) == 1


async def test_a_job_run_by_hand_is_in_the_way_of_the_schedule(engine: Engine) -> None:
    trigger_id = await add(engine, "s", every_seconds=3600.0, overlap="skip")
    await call(engine, "trigger", "s")
    await tick(engine)
    assert sorted(await reasons(engine, trigger_id)) == ["fired", "overlap"]


async def test_trigger_says_what_it_cannot_do(engine: Engine) -> None:
    await add(engine, "templated", cron="@daily", payload={"a": "{{tenant}}"})
    await add(engine, "event", trigger_type="event", event="a.b")
    await engine.define("off", enabled=False)
    await add(engine, "off", definition="off", cron="@daily")
    for name, state in (("templated", "HR409"), ("event", "HR409"), ("off", "HR409"), ("nothing", "HR404")):
        assert (await refusal(call(engine, "trigger", name))).sqlstate == state
    assert await live(engine) == 0
