"""Waking dispatchers: an emit notifies while one of them sleeps, and nobody pays for it while all are busy."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import pytest
from tests.engine import Engine
from tests.triggers.emitting import Events
from tests.triggers.triggering import UNASKED, nobody_looks_unasked
from tests.waiting import PATIENCE, until
from tests.worker.running import app_on, finished, until_armed, worker_id, working

from headrace.db.link import Link
from headrace.triggers.watch_events import set_armed
from headrace.worker.maintenance.scheduler import Dispatcher


class Ear:
    """Hears what is notified."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._heard: list[str] = []

    def hear(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        self._heard.append(str(payload))

    async def during(self, *calls: Awaitable[Any]) -> list[str]:
        """What was heard while the calls were made, up to a word of our own."""
        self._heard.clear()
        for call in calls:
            await call
        mark = f"mark {uuid.uuid4()}"
        await self._events.db.execute("select pg_notify('headrace', $1)", mark)
        await until("the mark is heard", lambda: mark in self._heard)
        return self._heard[: self._heard.index(mark)]


@pytest.fixture
def events(engine: Engine) -> Events:
    return Events(engine)


@pytest.fixture
async def ear(events: Events) -> AsyncIterator[Ear]:
    ear = Ear(events)
    async with events.another() as listening:
        await listening.add_listener("headrace", ear.hear)
        yield ear
        await listening.remove_listener("headrace", ear.hear)


@pytest.fixture
async def link(events: Events) -> AsyncIterator[Link]:
    link = Link(events.engine.endpoint, "dispatcher")
    yield link
    await link.close()


async def is_armed(events: Events) -> bool:
    return bool(await events.db.fetchval("select armed from headrace.event_watch"))


async def emit_many(events: Events, n: int) -> None:
    await events.db.execute("select headrace.emit('a') from generate_series(1, $1::int)", n)


async def test_an_emit_notifies_while_a_dispatcher_sleeps(events: Events, ear: Ear) -> None:
    assert await ear.during(events.emit()) == ["events"]
    assert await ear.during(emit_many(events, 100)) == ["events"]


async def test_an_emit_notifies_nobody_while_all_are_busy(events: Events, ear: Ear) -> None:
    await set_armed(events.db, armed=False)
    assert await ear.during(events.emit(), emit_many(events, 100)) == []
    await set_armed(events.db, armed=True)
    assert await ear.during(events.emit()) == ["events"]


async def test_an_emit_rolled_back_notifies_nobody(events: Events, ear: Ear) -> None:
    async def rolled_back() -> None:
        transaction = events.db.transaction()
        await transaction.start()
        await events.emit()
        await transaction.rollback()

    assert await ear.during(rolled_back()) == []


async def test_a_busy_dispatcher_says_so_and_takes_it_back_before_it_sleeps(events: Events, link: Link) -> None:
    await events.db.execute(
        """
        create table public.said (n int generated always as identity, armed boolean);
        create function public.note() returns trigger language plpgsql as
          $$ begin insert into public.said (armed) values (new.armed); return null; end $$;
        create trigger note after update on headrace.event_watch for each row execute function public.note()
        """
    )
    dispatcher = Dispatcher(link)
    await emit_many(events, 1200)
    soon = await dispatcher.tick()
    assert [row[0] for row in await events.db.fetch("select armed from public.said order by n")] == [False, True]
    assert await events.waiting() == 0
    # An emit that saw it busy may commit only now, so it looks again soon.
    assert soon is not None
    assert soon < 1


async def test_a_lone_event_costs_no_write_to_the_watch(events: Events, link: Link) -> None:
    before = await events.db.fetchval("select xmin::text from headrace.event_watch")
    await events.emit()
    await Dispatcher(link).tick()
    assert await events.waiting() == 0
    assert await events.db.fetchval("select xmin::text from headrace.event_watch") == before


async def test_emits_notify_again_though_a_busy_dispatcher_was_killed(events: Events, link: Link) -> None:
    await set_armed(events.db, armed=False)
    await events.emit()
    await Dispatcher(link).tick()
    assert await events.waiting() == 0
    assert await is_armed(events)


async def test_an_event_wakes_a_sleeping_worker_at_once_and_runs(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody_looks_unasked(monkeypatch)
    hr = app_on(events.engine.endpoint.url, **UNASKED)
    ran = asyncio.Event()

    @hr.job(event="order.*", payload={"n": "{{event.n}}"})
    async def ship(n: int) -> None:
        assert n == 7
        ran.set()

    async with working(hr) as process:
        await until_armed(events.db, worker_id(process))
        event_id = await hr.emit("order.paid", {"n": 7})
        await asyncio.wait_for(ran.wait(), PATIENCE)
    assert await events.deliveries(event_id) == [("ship:event", "fired", None)]


async def test_a_worker_without_a_scheduler_dispatches_nothing(events: Events) -> None:
    hr = app_on(events.engine.endpoint.url, scheduler_enabled=False)

    @hr.job(event="*", every=0.1)
    async def never() -> None: ...

    @hr.job
    async def plain() -> None: ...

    async with working(hr):
        await hr.emit("order.paid")
        assert (await finished(hr, await plain.enqueue())).status == "succeeded"
        sessions = await events.db.fetch(
            "select application_name from pg_stat_activity where datname = current_database()"
        )
        assert not {row[0] for row in sessions} & {"headrace scheduler", "headrace dispatcher"}
    assert (await events.waiting(), len(await events.jobs())) == (1, 1)
