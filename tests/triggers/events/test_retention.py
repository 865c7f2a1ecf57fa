"""Events are forgotten by age, with what triggers made of them, but never before they are dispatched."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from tests.engine import Engine
from tests.triggers.emitting import Events

from headrace.triggers.prune import prune_events

WEEK = timedelta(days=7)


@pytest.fixture
def events(engine: Engine) -> Events:
    return Events(engine)


async def age(events: Events, event_id: UUID, days: float) -> UUID:
    """Make an event so old; gives back its id, which is a time."""
    old: UUID = await events.db.fetchval("select headrace._first_id(now() - $1::interval)", timedelta(days=days))
    for statement in (
        "update headrace.event set id = $2, emitted_at = now() where id = $1",
        "update headrace.event_inbox set event_id = $2 where event_id = $1",
        "update headrace.delivery set event_id = $2 where event_id = $1",
    ):
        await events.db.execute(statement, event_id, old)
    return old


async def kept(events: Events) -> set[UUID]:
    return {row[0] for row in await events.db.fetch("select id from headrace.event")}


async def test_old_events_go_with_their_deliveries_and_young_ones_and_jobs_stay(events: Events) -> None:
    await events.trigger("mail")
    old, young = await events.emit(), await events.emit()
    await events.dispatch()
    await age(events, old, 7.01)
    young = await age(events, young, 6.99)
    assert await prune_events(events.db, keep=WEEK) == 1
    assert await kept(events) == {young}
    assert await events.deliveries() == await events.deliveries(young) == [("mail", "fired", None)]
    assert len(await events.jobs()) == 2
    assert await prune_events(events.db, keep=WEEK) == 0


async def test_an_event_not_yet_dispatched_stays_however_old_it_is(events: Events) -> None:
    await events.trigger("mail")
    old = await age(events, await events.emit(), 400)
    assert await prune_events(events.db, keep=WEEK) == 0
    assert await events.dispatch() == 1
    assert await events.deliveries(old) == [("mail", "fired", None)]
    assert await prune_events(events.db, keep=WEEK) == 1
    assert (await kept(events), await events.deliveries()) == (set(), [])


async def test_more_than_one_batch_goes(events: Events) -> None:
    await events.db.execute("select headrace.emit('a') from generate_series(1, 5200)")
    await events.db.execute("delete from headrace.event_inbox")
    await events.db.execute(
        "update headrace.event set id = overlay(id::text placing '01800000-0000' from 1 for 13)::uuid"
        " where id in (select id from headrace.event limit 5100)"
    )
    assert await prune_events(events.db, keep=WEEK) == 5100
    assert len(await kept(events)) == 100
