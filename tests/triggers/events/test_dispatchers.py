"""Several dispatchers at once, and changes that meet a dispatch under way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest
from tests.engine import Engine
from tests.triggers.emitting import Events, until_waits_for_a_lock
from tests.waiting import PATIENCE

from headrace.db.connect import TRANSIENT, Connection, OwnConnection
from headrace.triggers.change import delete_trigger, set_enabled, update_trigger
from headrace.triggers.dispatch import dispatch_events
from headrace.triggers.read import list_triggers
from headrace.triggers.rules import Rules

GATE = 4712


@pytest.fixture
def events(engine: Engine) -> Events:
    return Events(engine)


@pytest.fixture
async def gated(events: Events) -> AsyncIterator[OwnConnection]:
    """A dispatcher's connection that stops right after it has written deliveries, while the test holds the gate."""
    await events.db.execute(
        f"""
        create function headrace.test_gate() returns trigger language plpgsql as $$
        begin
          if current_setting('test.gated', true) = 'on' then
            perform pg_advisory_xact_lock_shared({GATE});
          end if;
          return null;
        end $$;
        create trigger test_gate after insert on headrace.delivery
          for each statement execute function headrace.test_gate()
        """
    )
    async with events.another() as conn:
        await conn.execute("set test.gated = 'on'")
        yield conn


async def test_several_dispatchers_at_once_fire_each_trigger_once_for_each_event(events: Events) -> None:
    for n in range(3):
        await events.trigger(f"t{n}", "order.*", {"n": "{{event.n}}"})
    await events.trigger("rare", "order.*", {"n": "{{event.n}}"}, dedupe_window_seconds=60)
    await events.db.execute(
        "select headrace.emit('order.paid', jsonb_build_object('n', n % 10)) from generate_series(1, 300) as n"
    )

    async def dispatch_all(conn: OwnConnection) -> int:
        handled, rules = 0, Rules()
        while n := await dispatch_events(conn, rules, batch=7):
            handled += n
        return handled

    async with AsyncExitStack() as stack:
        conns = [await stack.enter_async_context(events.another()) for _ in range(4)]
        handled = await asyncio.gather(*map(dispatch_all, conns))
    assert sum(handled) == 300
    assert sum(n > 0 for n in handled) > 1
    counts = await events.db.fetch(
        "select t.name, d.outcome, count(*)"
        "  from headrace.delivery as d join headrace.trigger as t on t.id = d.trigger_id group by 1, 2 order by 1, 2"
    )
    assert [tuple(row) for row in counts] == [
        ("rare", "fired", 10),
        ("rare", "skipped", 290),
        ("t0", "fired", 300),
        ("t1", "fired", 300),
        ("t2", "fired", 300),
    ]
    assert await events.db.fetchval("select count(*) from headrace.job") == 910
    assert await events.db.fetchval("select count(distinct job_id) from headrace.queue") == 910
    counted = {trigger.name: trigger.fires for trigger in await list_triggers(events.db, tenant="default")}
    assert counted == {"rare": 10, "t0": 300, "t1": 300, "t2": 300}


async def test_a_delivery_that_is_on_record_makes_no_second_job(events: Events) -> None:
    await events.trigger("mail")
    await events.trigger("post")
    event_id = await events.emit()
    await events.dispatch()
    await events.db.execute("delete from headrace.delivery where trigger_id = $1", await id_of(events, "post"))
    await events.db.execute(
        "insert into headrace.event_inbox (event_id, tenant_id) select id, tenant_id from headrace.event where id = $1",
        event_id,
    )
    assert await events.dispatch() == 1
    assert len(await events.jobs()) == 3


async def test_a_dispatch_rolled_back_leaves_the_event_for_the_next(events: Events, gated: OwnConnection) -> None:
    await events.trigger("mail")
    await events.emit()
    await events.db.execute(f"select pg_advisory_lock({GATE})")
    dispatching = asyncio.create_task(dispatch_events(gated, Rules()))
    await until_waits_for_a_lock(events.db, gated, dispatching)
    async with events.another() as other:
        assert await dispatch_events(other, Rules()) == 0
    await events.db.execute("select pg_terminate_backend($1)", gated.get_server_pid())
    with pytest.raises(Exception, match=r"terminat|closed"):
        await dispatching
    await events.db.execute(f"select pg_advisory_unlock({GATE})")
    assert (await events.waiting(), await events.jobs()) == (1, [])
    assert await events.dispatch() == 0
    await events.let_holds_end()
    assert await events.dispatch() == 1
    assert await events.deliveries() == [("mail", "fired", None)]
    assert len(await events.jobs()) == 1


@pytest.mark.parametrize("change", ["disable", "delete", "edit"])
async def test_a_change_waits_for_a_dispatch_in_flight_and_then_nothing_fires_by_the_old_word(
    events: Events, gated: OwnConnection, change: str
) -> None:
    await events.trigger("mail", payload={"v": 1})
    await events.emit()
    await events.db.execute(f"select pg_advisory_lock({GATE})")
    dispatching = asyncio.create_task(dispatch_events(gated, Rules()))
    await until_waits_for_a_lock(events.db, gated, dispatching)
    async with events.another() as operator:
        changing = asyncio.create_task(make(change, operator))
        await until_waits_for_a_lock(events.db, operator, changing)
        late = await events.emit()
        await events.db.execute(f"select pg_advisory_unlock({GATE})")
        assert await dispatching == 1
        await changing
    await events.dispatch()
    assert await events.deliveries(late) == ([("mail", "fired", None)] if change == "edit" else [])
    assert await events.payloads() == [{"v": 1}, {"v": 2}] if change == "edit" else [{"v": 1}]


@pytest.mark.parametrize("change", ["disable", "delete", "edit"])
async def test_a_dispatch_waits_for_a_change_under_way_and_goes_by_what_it_says(events: Events, change: str) -> None:
    await events.trigger("mail", payload={"v": 1})
    await events.trigger("other")
    await events.emit()
    await events.dispatch()
    event_id = await events.emit()
    async with events.another() as operator, events.another() as conn:
        changing = operator.transaction()
        await changing.start()
        await make(change, operator)
        # With what it has learned of the trigger before, which is no longer true.
        dispatching = asyncio.create_task(dispatch_events(conn, events.rules))
        await until_waits_for_a_lock(events.db, conn, dispatching)
        await changing.commit()
        assert await dispatching == 1
    mail = [("mail", "fired", None)] if change == "edit" else []
    assert await events.deliveries(event_id) == [*mail, ("other", "fired", None)]
    made = [job.payload for job in await events.jobs() if job.source_ref == event_id]
    assert sorted(map(str, made)) == sorted(map(str, [{}, {"v": 2}] if change == "edit" else [{}]))


class StandsStill(Rules):
    """Stands still where a dispatcher reads its rules: before it evaluates, or later, with the triggers locked."""

    def __init__(self, *, locked: bool) -> None:
        super().__init__()
        self.stands, self.go_on = asyncio.Event(), asyncio.Event()
        self._reads_before = 1 if locked else 0

    async def load(self, conn: Connection, rows: Sequence[Any]) -> None:
        await super().load(conn, rows)
        if self._reads_before == 0:
            self.stands.set()
            await self.go_on.wait()
        self._reads_before -= 1


async def test_a_dispatcher_that_stands_still_in_its_transaction_loses_its_locks(events: Events) -> None:
    await events.trigger("mail")
    await events.emit()
    async with events.another() as stalled, events.another() as operator:
        rules = StandsStill(locked=True)
        dispatching = asyncio.create_task(dispatch_events(stalled, rules))
        await rules.stands.wait()
        disabling = asyncio.create_task(set_enabled(operator, "mail", tenant="default", enabled=False))
        await until_waits_for_a_lock(events.db, operator, disabling)
        await asyncio.wait_for(disabling, PATIENCE)
        dispatching.cancel()
        with pytest.raises((asyncio.CancelledError, *TRANSIENT)):
            await dispatching
    await events.let_holds_end()
    assert await events.dispatch() == 1
    assert await events.deliveries() == []


@pytest.mark.parametrize("change", ["disable", "delete", "edit", "create"])
async def test_an_evaluation_locks_nobody_and_what_changes_meanwhile_holds(events: Events, change: str) -> None:
    await events.trigger("mail", payload={"v": 1})
    await events.emit()
    async with events.another() as conn, events.another() as operator:
        rules = StandsStill(locked=False)
        dispatching = asyncio.create_task(dispatch_events(conn, rules))
        await rules.stands.wait()
        assert not conn.is_in_transaction()
        if change == "create":
            await events.trigger("new", payload={"v": 2})
        else:
            await make(change, operator)
        rules.go_on.set()
        assert await dispatching == 1
    fired = {"edit": [2], "create": [1, 2]}.get(change, [])
    assert sorted(payload["v"] for payload in await events.payloads()) == fired
    assert await events.waiting() == 0


async def test_a_definition_disabled_during_an_evaluation_makes_no_job(events: Events) -> None:
    await events.trigger("mail")
    await events.emit()
    async with events.another() as conn:
        rules = StandsStill(locked=False)
        dispatching = asyncio.create_task(dispatch_events(conn, rules))
        await rules.stands.wait()
        await events.db.execute("update headrace.definition set enabled = false")
        rules.go_on.set()
        await dispatching
    assert await events.deliveries() == [("mail", "skipped", "definition_disabled")]


async def test_a_dispatcher_whose_hold_ran_out_changes_nothing_when_another_took_over(events: Events) -> None:
    await events.trigger("mail")
    await events.emit()
    async with events.another() as slow:
        rules = StandsStill(locked=False)
        dispatching = asyncio.create_task(dispatch_events(slow, rules))
        await rules.stands.wait()
        await events.let_holds_end()
        assert await events.dispatch() == 1
        await events.trigger("late")  # the event was dispatched before there was this trigger
        rules.go_on.set()
        await dispatching
    assert await events.deliveries() == [("mail", "fired", None)]
    assert len(await events.jobs()) == 1


async def make(change: str, conn: OwnConnection) -> None:
    match change:
        case "disable":
            await set_enabled(conn, "mail", tenant="default", enabled=False)
        case "delete":
            await delete_trigger(conn, "mail", tenant="default")
        case _:
            await update_trigger(conn, "mail", {"payload": {"v": 2}}, tenant="default")


async def id_of(events: Events, name: str) -> object:
    return await events.db.fetchval("select id from headrace.trigger where name = $1", name)
