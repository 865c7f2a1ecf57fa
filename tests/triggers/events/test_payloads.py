"""Payloads that events fill in: kept as they are, or an outcome of that one delivery that blocks nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.engine import Engine
from tests.triggers.emitting import Events

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 1}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.fixture
def events(engine: Engine) -> Events:
    return Events(engine)


async def test_a_lone_placeholder_keeps_its_type_and_others_become_text(events: Events) -> None:
    names = ["whole", "real", "yes", "text", "list", "object"]
    data = {"whole": 7, "real": 1.5, "yes": True, "text": "ü\n", "list": [1, None, "a"], "object": {"a": {"b": 1}}}
    template = {name: f"{{{{event.{name}}}}}" for name in names} | {
        "path": "{{event.text}}/{{event.whole}}-{{event.yes}}",
        "deep": [{"x": "{{event.object.a.b}}"}],
        "default": "{{event.missing || `null`}}",
        "literal": "{{{{event.whole}}",
        "about": "{{trigger.name}} {{trigger.event}} {{tenant}}",
        "plain": 1,
    }
    await events.trigger("mail", payload=template)
    await events.emit(data=data)
    await events.dispatch()
    assert await events.payloads() == [
        data
        | {
            "path": "ü\n/7-true",
            "deep": [{"x": 1}],
            "default": None,
            "literal": "{{event.whole}}",
            "about": "mail order.paid default",
            "plain": 1,
        }
    ]


async def test_what_is_missing_is_an_outcome_of_that_delivery_and_blocks_nothing(events: Events) -> None:
    await events.trigger("before", payload={"x": 1})
    await events.trigger("broken", payload={"to": {"mail": "{{event.customer.mail}}"}})
    await events.trigger("later", payload={"x": 2})
    first = await events.emit(data={"customer": {"mail": None}})
    second = await events.emit(data={"customer": {"mail": "a@b"}})
    assert await events.dispatch() == 2
    fired = [("before", "fired", None), ("later", "fired", None)]
    assert sorted(await events.deliveries(first)) == sorted([*fired, ("broken", "skipped", "template_error")])
    assert sorted(await events.deliveries(second)) == sorted([*fired, ("broken", "fired", None)])
    detail = await events.db.fetchval("select detail from headrace.delivery where reason is not null")
    assert "payload.to.mail" in detail
    assert "event.customer.mail" in detail
    assert (await events.waiting(), len(await events.jobs())) == (0, 5)


async def test_a_payload_that_does_not_fit_the_definition_is_recorded_with_the_place(events: Events) -> None:
    await events.engine.define("strict", payload_schema=json.dumps(SCHEMA))
    await events.trigger("strict", payload={"n": "{{event.n}}"}, definition="strict")
    for n in (5, 0, "5"):
        await events.emit(data={"n": n})
    await events.dispatch()
    assert await events.deliveries() == [
        ("strict", "fired", None),
        ("strict", "skipped", "invalid_payload"),
        ("strict", "skipped", "invalid_payload"),
    ]
    details = await events.db.fetch(
        "select detail from headrace.delivery join headrace.event on event.id = event_id where reason is not null"
        " order by emitted_at"
    )
    assert [row[0].partition(":")[0] for row in details] == ["n", "n"]
    assert await events.payloads() == [{"n": 5}]


async def test_a_new_schema_of_the_definition_holds_for_the_next_event(events: Events) -> None:
    await events.engine.define("strict")
    await events.trigger("strict", payload={"n": "{{event.n}}"}, definition="strict")
    await events.emit(data={"n": 0})
    await events.dispatch()
    await events.db.execute("update headrace.definition set payload_schema = $1", json.dumps(SCHEMA))
    await events.emit(data={"n": 0})
    await events.dispatch()
    assert await events.deliveries() == [("strict", "fired", None), ("strict", "skipped", "invalid_payload")]


@pytest.mark.parametrize(
    ("change", "reason"),
    [("enabled = false", "definition_disabled"), ("deleted_from_code_at = now()", "deleted_from_code")],
)
async def test_a_definition_that_cannot_run_skips_and_says_why(events: Events, change: str, reason: str) -> None:
    await events.engine.define("off")
    await events.trigger("off", definition="off")
    await events.trigger("on")
    await events.db.execute(f"update headrace.definition set {change} where key = 'off'")
    await events.emit()
    await events.dispatch()
    assert await events.deliveries() == [("off", "skipped", reason), ("on", "fired", None)]
    assert len(await events.jobs()) == 1


async def test_a_trigger_that_plain_sql_wrote_wrong_is_turned_off_and_stops_nobody(events: Events) -> None:
    await events.trigger("bad")
    await events.trigger("good")
    wrong = '{"x": "{{event.a"}'
    await events.db.execute("update headrace.trigger set payload = $1::jsonb where name = 'bad'", wrong)
    await events.emit()
    await events.emit()
    await events.dispatch()
    await events.emit()
    await events.dispatch()
    assert [d for d in await events.deliveries() if d[0] == "good"] == [("good", "fired", None)] * 3
    assert [d for d in await events.deliveries() if d[0] == "bad"] == [("bad", "skipped", "invalid_trigger")] * 2
    row = await events.db.fetchrow("select enabled, last_error from headrace.trigger where name = 'bad'")
    assert row is not None
    assert not row["enabled"]
    assert "never closed" in row["last_error"]


@pytest.mark.parametrize(
    "data",
    [
        '{"x": ' + "[" * 3000 + "]" * 3000 + "}",
        '{"x": 1' + "0" * 5000 + "}",
        '{"x": 1' + "0" * 400 + ".5}",
        '{"x": "' + "x" * 900_000 + '"}',
    ],
    ids=["nested three thousand deep", "an integer of five thousand digits", "beyond a float", "nearly a megabyte"],
)
async def test_hostile_data_stops_no_other_event(events: Events, data: str) -> None:
    await events.trigger("mail", payload={"x": "{{event.x}}", "y": "{{event.x}}"})
    # As a row from before `emit` refused such data.
    event_id = await events.db.fetchval("select headrace.emit('order.paid')")
    await events.db.execute("update headrace.event set data = $2::jsonb where id = $1", event_id, data)
    good = [await events.emit(data={"x": n}) for n in range(5)]
    await events.dispatch()
    assert [await events.deliveries(event_id) for event_id in good] == [[("mail", "fired", None)]] * 5
    assert [payload["x"] for payload in await events.payloads()] == [0, 1, 2, 3, 4]


async def test_a_condition_that_cannot_be_answered_is_an_outcome_too(events: Events) -> None:
    await events.trigger("mail", condition="starts_with(event.path, '/in')")
    await events.trigger("other")
    for path in ("/in/a", 5, "/out"):
        await events.emit(data={"path": path})
    await events.dispatch()
    assert [d for d in await events.deliveries() if d[0] == "mail"] == [
        ("mail", "fired", None),
        ("mail", "skipped", "template_error"),
        ("mail", "skipped", "condition"),
    ]
    assert len(await events.jobs()) == 4
