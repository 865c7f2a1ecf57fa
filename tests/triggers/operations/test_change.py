"""`hr.control.triggers`: made, changed, turned on and off, reset and deleted; refused with what is wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.engine import Engine
from tests.triggers.emitting import open_app, schedule_once

from headrace import Headrace
from headrace.errors import BadRequest, Conflict, HeadraceError, NotFound, ValidationError

START = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
async def hr(engine: Engine) -> AsyncIterator[Headrace]:
    async with open_app(engine) as hr:
        yield hr


async def test_a_trigger_is_made_with_what_was_said_and_defaults_for_the_rest(engine: Engine, hr: Headrace) -> None:
    trigger_id = await hr.control.triggers.create(
        "nightly", "work", cron="0 3 * * *", timezone="Europe/Zurich", payload={"n": 1}, created_by="ada"
    )
    trigger = await hr.control.triggers.get("nightly")
    assert (trigger.id, trigger.tenant, trigger.definition, trigger.enabled) == (trigger_id, "default", "work", True)
    assert (trigger.created_by, trigger.version, trigger.fires, trigger.runs) == ("ada", 1, 0, 0)
    said = {"cron": "0 3 * * *", "timezone": "Europe/Zurich", "payload": {"n": 1}}
    assert trigger.settings == trigger.settings | said | {"catch_up": "latest", "overlap": "allow"}
    assert trigger.next_run_at is None
    await schedule_once(engine)
    due = (await hr.control.triggers.get("nightly")).next_run_at
    assert due is not None
    assert due > datetime.now(UTC)


async def test_event_and_init_triggers_are_made_too(hr: Headrace) -> None:
    await hr.control.triggers.create("on", "work", event="order.*", condition="event.n > `1`")
    await hr.control.triggers.create("once", "work", trigger_type="init", init_version="2")
    assert (await hr.control.triggers.get("on")).settings["trigger_type"] == "event"
    assert (await hr.control.triggers.get("once")).settings["init_version"] == "2"


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "either cron or every_seconds"),
    ({"cron": "* * * * *", "every_seconds": 5}, "either cron or every_seconds"),
    ({"cron": "0 * * * * *"}, "five fields .* not 6"),
    ({"cron": "*/70 * * * *"}, r"\*/70"),
    ({"cron": "0 0 31 2 *"}, "day of month '31', month '2'"),
    ({"cron": ""}, "fields"),
    ({"cron": "@daily", "timezone": "Mars/Base"}, "Mars/Base"),
    ({"every_seconds": 0}, "from 0.1 to"),
    ({"every_seconds": -1}, "from 0.1 to .* not -1"),
    ({"every_seconds": 0.001}, "from 0.1 to"),
    ({"every_seconds": float("nan")}, "from 0.1 to .* not nan"),
    ({"every_seconds": float("inf")}, "from 0.1 to"),
    ({"cron": "@daily", "crom": 1}, "unknown setting crom"),
    ({"cron": "@daily", "starts_at": datetime(2030, 1, 1)}, "starts_at is a time with a time zone"),
    ({"cron": "@daily", "starts_at": START, "ends_at": START}, "must end after it starts"),
    ({"every_seconds": 60, "ends_at": START}, "must end after it starts"),
    ({"cron": "@daily", "max_fires": 0}, "max_fires"),
    ({"cron": "@daily", "catch_up": "some"}, "catch_up"),
    ({"cron": "@daily", "catch_up_cap": 0}, "catch_up_cap"),
    ({"cron": "@daily", "overlap": "never"}, "overlap"),
    ({"cron": "@daily", "priority": 1001}, "priority"),
    ({"cron": "@daily", "max_attempts": 0}, "max_attempts"),
    ({"cron": "@daily", "queue": "a b"}, "queue"),
    ({"cron": "@daily", "misfire_grace_seconds": -1}, "misfire_grace_seconds"),
    ({"cron": "@daily", "jitter_seconds": -1}, "jitter_seconds"),
    ({"every_seconds": 5, "jitter_seconds": 5}, "jitter_seconds must be less than every_seconds"),
    ({"cron": "@daily", "dedupe_window_seconds": 0}, "dedupe_window_seconds"),
    ({"cron": "@daily", "pause_on_failures": 0}, "pause_on_failures"),
    ({"cron": "@daily", "condition": "event.a"}, "Only an event trigger has a condition"),
    ({"event": "a b"}, "event is words of .* not .a b."),
    ({"event": "a.*.b"}, "event is words of"),
    ({"event": "a", "condition": "event.a ||"}, r'"event\.a \|\|": it is not JMESPath'),
    ({"event": "a", "max_fires": 1}, "event trigger has no max_fires"),
    ({"event": "a", "overlap": "skip"}, "event trigger has no .*overlap"),
    ({"event": "a", "trigger_type": "init"}, "has an event, and no other"),
    ({"trigger_type": "never"}, "trigger_type is one of .* not .never"),
    ({"event": "a", "payload": {"n": "{{event.n"}}, r"payload\.n.*never closed"),
    ({"cron": "@daily", "payload": {"n": "{{a | b}}"}}, r"payload\.n"),
    ({"cron": "@daily", "payload": [1]}, "payload"),
    ({"cron": "@daily", "payload": {"n": {1, 2}}}, "payload"),
    ({"cron": "@daily", "payload": {"n": "x"}}, "does not fit its definition: n:"),
    ({"cron": 5}, "cron is a cron rule .* not 5"),
    ({"every_seconds": "5"}, "every_seconds"),
    ({"cron": "@daily", "timezone": None}, "timezone is an IANA name"),
    ({"cron": "@daily", "max_fires": "x"}, "max_fires is a whole number"),
    ({"cron": "@daily", "starts_at": "tomorrow"}, "starts_at is a time .* not .tomorrow"),
    ({"cron": "@daily", "misfire_grace_seconds": float("nan")}, "misfire_grace_seconds"),
    ({"cron": "@daily", "jitter_seconds": 1e300}, "jitter_seconds"),
    ({"every_seconds": 5, "jitter_seconds": None}, "jitter_seconds is a number"),
    ({"cron": "@daily", "queue": 5}, "queue is .* not 5"),
]


async def test_what_will_not_do_is_refused_with_what_is_wrong(hr: Headrace) -> None:
    for settings, words in BAD:
        with pytest.raises(BadRequest, match=words):
            await hr.control.triggers.create("bad", "work", **settings)
    assert await hr.control.triggers.list() == []


async def test_a_change_that_will_not_do_is_refused_and_changes_nothing(hr: Headrace) -> None:
    triggers = hr.control.triggers
    await triggers.create("cron", "work", cron="@hourly")
    await triggers.create("interval", "work", every_seconds=60)
    await triggers.create("event", "work", event="good")
    before = await triggers.list()
    for settings, words in BAD[1:]:
        name = "event" if "event" in settings else "interval" if "every_seconds" in settings else "cron"
        with pytest.raises(BadRequest, match=words):
            await triggers.update(name, **settings)
    assert await triggers.list() == before


async def test_names_definitions_and_tenants_that_are_none_are_named(hr: Headrace) -> None:
    triggers = hr.control.triggers
    with pytest.raises(NotFound, match='unknown definition "nothing"'):
        await triggers.create("a", "nothing", cron="@daily")
    with pytest.raises(NotFound, match='unknown tenant "nobody"'):
        await triggers.create("a", "work", cron="@daily", tenant="nobody")
    for name in ("", "x" * 201):
        with pytest.raises(BadRequest, match="name"):
            await triggers.create(name, "work", cron="@daily")
    await triggers.create("a", "work", cron="@daily")
    with pytest.raises(Conflict, match='tenant "default" already has a trigger "a"'):
        await triggers.create("a", "work", event="x")
    later = START + timedelta(days=1)
    for call in (
        lambda of: triggers.get("b", tenant=of),
        lambda of: triggers.update("b", tenant=of, max_fires=1),
        lambda of: triggers.reset("b", tenant=of),
        lambda of: triggers.enable("b", tenant=of),
        lambda of: triggers.disable("b", tenant=of),
        lambda of: triggers.delete("b", tenant=of),
        lambda of: triggers.fire("b", tenant=of),
        lambda of: triggers.skip_next("b", tenant=of),
        lambda of: triggers.backfill("b", START, later, tenant=of),
        lambda of: triggers.fires("b", tenant=of),
        lambda of: triggers.preview("b", tenant=of),
    ):
        with pytest.raises(NotFound, match='unknown trigger "b" of tenant "default"'):
            await call("default")
        with pytest.raises(NotFound, match='unknown tenant "nobody"'):
            await call("nobody")
    with pytest.raises(NotFound, match='unknown tenant "nobody"'):
        await triggers.list(tenant="nobody")


async def test_a_payload_with_placeholders_is_held_against_the_definition_only_when_it_fires(hr: Headrace) -> None:
    await hr.control.triggers.create("a", "work", event="x", payload={"n": "{{event.n}}"})
    with pytest.raises(ValidationError, match="does not fit its definition"):
        await hr.control.triggers.update("a", payload={"n": "seven"})
    assert issubclass(ValidationError, HeadraceError)
