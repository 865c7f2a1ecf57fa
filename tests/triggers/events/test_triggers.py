"""Which triggers an event finds, and what the jobs that they make know of it."""

from __future__ import annotations

import pytest
from tests.engine import Engine
from tests.triggers.emitting import Events

from headrace.model.trigger.delivery import patterns
from headrace.triggers.change import delete_trigger, set_enabled, update_trigger
from headrace.triggers.read import get_trigger


@pytest.fixture
def events(engine: Engine) -> Events:
    return Events(engine)


def test_an_event_may_be_called_by_its_name_or_by_what_it_begins_with() -> None:
    assert list(patterns("a.b.c")) == ["a.b.c", "a.b.*", "a.*", "*"]
    assert list(patterns("a")) == ["a", "*"]


async def test_an_event_finds_its_name_and_each_pattern_that_it_begins_with(events: Events) -> None:
    for pattern in ("a.b.c", "a.b.*", "a.*", "*", "a", "a.b", "a.b.c.*", "a.b.c.d", "b.*", "ab.*"):
        await events.trigger(pattern, pattern)
    found = await events.emit("a.b.c")
    assert await events.dispatch() == 1
    assert {name for name, *_ in await events.deliveries(found)} == {"a.b.c", "a.b.*", "a.*", "*"}
    alone = await events.emit("a")
    await events.dispatch()
    assert {name for name, *_ in await events.deliveries(alone)} == {"a", "*"}
    assert len(await events.jobs()) == 6


async def test_tenants_are_kept_apart(events: Events) -> None:
    for tenant in ("red", "blue"):
        await events.tenant(tenant)
        for pattern in ("order.paid", "order.*", "*"):
            await events.trigger(f"{tenant} {pattern}", pattern, {"tenant": "{{tenant}}"}, tenant=tenant)
    red = await events.emit(tenant="red")
    nobody = await events.emit()
    assert await events.dispatch() == 2
    assert {name for name, *_ in await events.deliveries(red)} == {"red order.paid", "red order.*", "red *"}
    assert await events.deliveries(nobody) == []
    assert await events.payloads() == [{"tenant": "red"}] * 3
    of = await events.db.fetch("select distinct t.name from headrace.job join headrace.tenant as t on t.id = tenant_id")
    assert [row[0] for row in of] == ["red"]


async def test_a_job_knows_its_event_and_carries_its_correlation_id(events: Events) -> None:
    trigger_id = await events.trigger("mail", queue="post", priority=7, max_attempts=9)
    event_id = await events.db.fetchval("select headrace.emit('order.paid', '{}', 'default', 'order 7')")
    plain_id = await events.emit()
    await events.dispatch()
    first, second = await events.jobs()
    assert {(j.source, j.source_ref, j.correlation_id) for j in (first, second)} == {
        ("event", event_id, "order 7"),
        ("event", plain_id, None),
    }
    job = await events.engine.job(first.id)
    assert (job.queue, job.priority, job.max_attempts, str(job.status)) == ("post", 7, 9, "queued")
    row = await events.db.fetchrow(
        "select outcome, job_id, trigger_id from headrace.delivery where job_id = $1", first.id
    )
    assert tuple(row or ()) == ("fired", first.id, trigger_id)
    worker = await events.engine.worker()
    assert {held.job_id for held in await events.engine.claim(worker)} == {first.id, second.id}


async def test_a_trigger_says_when_an_event_fired_it_last(events: Events) -> None:
    await events.trigger("mail")
    event_id = await events.emit()
    await events.dispatch()
    emitted_at = await events.db.fetchval("select emitted_at from headrace.event where id = $1", event_id)
    assert (await get_trigger(events.db, "mail", tenant="default")).last_run_at == emitted_at


async def test_a_condition_decides_and_what_it_turned_away_is_on_record(events: Events) -> None:
    await events.trigger("large", condition="event.total > `100` && event.country == 'CH'")
    await events.trigger("named", condition="event.customer")
    for data in ({"total": 101, "country": "CH"}, {"total": 100, "country": "CH"}, {"total": 500}, {"customer": "x"}):
        await events.emit(data=data)
    await events.dispatch()
    assert await events.deliveries() == [
        ("large", "fired", None),
        ("large", "skipped", "condition"),
        ("large", "skipped", "condition"),
        ("large", "skipped", "condition"),
        ("named", "skipped", "condition"),
        ("named", "skipped", "condition"),
        ("named", "skipped", "condition"),
        ("named", "fired", None),
    ]
    assert len(await events.jobs()) == 2


async def test_a_trigger_sees_events_dispatched_after_it_was_created_and_no_earlier_ones(events: Events) -> None:
    before = await events.emit()
    await events.dispatch()
    waiting = await events.emit()
    await events.trigger("late")
    await events.dispatch()
    assert await events.deliveries(before) == []
    assert await events.deliveries(waiting) == [("late", "fired", None)]


async def test_a_disabled_or_deleted_trigger_fires_for_nothing_and_an_enabled_one_again(events: Events) -> None:
    await events.trigger("off", enabled=False)
    await events.trigger("gone")
    await delete_trigger(events.db, "gone", tenant="default")
    await events.emit()
    assert await events.dispatch() == 1
    assert await events.deliveries() == []
    await set_enabled(events.db, "off", tenant="default", enabled=True)
    event_id = await events.emit()
    await events.dispatch()
    assert await events.deliveries() == await events.deliveries(event_id) == [("off", "fired", None)]


async def test_an_edited_trigger_makes_jobs_by_its_new_word(events: Events) -> None:
    await events.trigger("mail", payload={"v": 1})
    await events.emit()
    await events.dispatch()
    await update_trigger(events.db, "mail", {"payload": {"v": 2}, "event": "order.*"}, tenant="default")
    await events.emit("order.sent")
    await events.dispatch()
    assert await events.payloads() == [{"v": 1}, {"v": 2}]


async def test_an_event_that_nobody_waits_for_is_handled_and_kept(events: Events) -> None:
    event_id = await events.emit("nobody.cares")
    assert await events.dispatch() == 1
    assert (await events.waiting(), await events.deliveries()) == (0, [])
    assert await events.db.fetchval("select error is null from headrace.event where id = $1", event_id)
