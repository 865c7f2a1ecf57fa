"""Tenants take turns: neither the backlog nor the costly triggers of one hold up the events of another."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from tests.engine import Engine
from tests.triggers.emitting import Events
from tests.triggers.triggering import add

from headrace.triggers import dispatch, evaluate
from headrace.triggers.change import set_enabled
from headrace.triggers.dispatch import Turns, dispatch_events

# Plain SQL wrote it before there was a bound on function calls.
COSTLY = f"not_null({','.join(['to_string(event)'] * 57)})"
LARGE = "select headrace.emit('big', jsonb_build_object('x', repeat('x', 900000)), 'red')"


@pytest.fixture
async def events(engine: Engine) -> Events:
    events = Events(engine)
    for tenant in ("red", "blue"):
        await events.tenant(tenant)
    return events


async def tenant_ids(events: Events) -> dict[str, int]:
    return {row[0]: row[1] for row in await events.db.fetch("select name, id from headrace.tenant")}


async def left(events: Events) -> dict[str, int]:
    """How many events of each tenant wait."""
    rows = await events.db.fetch(
        "select name, count(*) from headrace.event_inbox join headrace.tenant on tenant.id = tenant_id group by 1"
    )
    return {row[0]: row[1] for row in rows}


async def test_a_batch_holds_events_of_one_tenant_and_tenants_take_turns(events: Events) -> None:
    for tenant, n in (("red", 7), ("blue", 3), ("default", 1)):
        for _ in range(n):
            await events.emit(tenant=tenant)
    turns, counts = Turns(), []
    while n := await dispatch_events(events.db, events.rules, batch=2, turns=turns):
        counts.append((n, await left(events)))
    assert [n for n, _ in counts] == [1, 2, 2, 2, 1, 2, 1]
    # Each has had a turn before any has another.
    assert counts[2][1] == {"red": 5, "blue": 1}


async def test_a_postponed_or_held_event_of_one_tenant_is_in_nobodys_way(events: Events) -> None:
    await events.emit(tenant="red")
    await events.db.execute("update headrace.event_inbox set not_before = now() + interval '1 hour'")
    await events.emit(tenant="blue")
    assert await dispatch_events(events.db, events.rules) == 1
    assert await left(events) == {"red": 1}


async def test_costly_triggers_of_one_tenant_are_template_errors_and_no_transaction_is_open_meanwhile(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    red = (await tenant_ids(events))["red"]
    for n in range(12):
        await add(events.engine, f"costly {n}", tenant_id=red, trigger_type="event", event="*", condition=COSTLY)
    await events.trigger("ping", "*", tenant="blue")
    evaluated_in: list[tuple[bool, bool]] = []

    def watched(*batch: Any) -> evaluate.Evaluated:
        is_main = threading.current_thread() is threading.main_thread()
        evaluated_in.append((is_main, events.db.is_in_transaction()))
        return evaluate.evaluate(*batch)

    monkeypatch.setattr(dispatch, "evaluate", watched)
    await events.db.execute(LARGE)
    await events.emit(tenant="blue")
    turns = Turns()
    for _ in range(2):
        assert await dispatch_events(events.db, events.rules, turns=turns) == 1
    # By then red has had its first turn, which is not enough for all of its triggers, and blue its own.
    assert await left(events) == {"red": 1}
    assert ("ping", "fired", None) in await events.deliveries()
    await events.dispatch()
    costly = [(f"costly {n}", "skipped", "template_error") for n in range(12)]
    assert await events.deliveries() == sorted([*costly, ("ping", "fired", None)])
    assert "it exceeds the budget of 2,000,000 characters of text" in await events.detail("costly 0")
    assert set(evaluated_in) == {(False, False)}


async def test_a_turn_ends_when_it_has_cost_enough_and_the_rest_waits_for_the_next(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "MOST_DELIVERIES", 4)
    for name in ("a", "b", "c"):
        await events.trigger(name, "*", tenant="red")
    for _ in range(5):
        await events.emit(tenant="red")
    await events.emit(tenant="blue")
    turns = Turns()
    await dispatch_events(events.db, events.rules, turns=turns)
    # One event whole, and the first trigger of the next.
    assert (await left(events), len(await events.jobs())) == ({"red": 4, "blue": 1}, 4)
    await dispatch_events(events.db, events.rules, turns=turns)
    assert await left(events) == {"red": 4}
    await events.dispatch()
    assert (await events.waiting(), len(await events.jobs())) == (0, 15)
    assert await events.deliveries() == [(name, "fired", None) for name in "abc" for _ in range(5)]


async def test_a_trigger_that_is_locked_for_long_holds_up_no_other_tenant_and_no_event_fails_for_it(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "LOCK_WAIT", "50ms")
    for tenant in ("red", "blue"):
        await events.trigger(tenant, tenant=tenant)
        await events.emit(tenant=tenant)
    async with events.another() as operator, operator.transaction():
        await set_enabled(operator, "red", tenant="red", enabled=False)
        await events.dispatch()
        assert await events.deliveries() == [("blue", "fired", None)]
        await operator.execute("update headrace.trigger set enabled = true where name = 'red'")
    assert await events.db.fetchval("select attempts from headrace.event_inbox") == 0
    await events.let_holds_end()
    await events.dispatch()
    assert await events.deliveries() == [("blue", "fired", None), ("red", "fired", None)]


async def test_large_events_come_in_small_batches(events: Events) -> None:
    for _ in range(20):
        await events.db.execute(LARGE)
    first = await dispatch_events(events.db, events.rules)
    assert 10 < first < 20
    assert await events.dispatch() == 20 - first
