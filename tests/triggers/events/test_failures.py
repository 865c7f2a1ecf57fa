"""A batch that fails as a whole: tried in halves until the bad event is alone, which is postponed and then given up."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest
from tests.engine import Engine
from tests.triggers.emitting import Events

from headrace.db.connect import TRANSIENT
from headrace.triggers import postpone
from headrace.triggers.dispatch import MOST_BYTES, SQL, Turns, dispatch_events
from headrace.triggers.postpone import MOST_INTERRUPTIONS, MOST_TRIES
from headrace.triggers.rules import Rules


@pytest.fixture
async def events(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Events:
    """No job may be written whose payload says `bad`. What is postponed comes back when the test lets it."""
    monkeypatch.setattr(postpone, "FIRST_PAUSE", 3600.0)
    monkeypatch.setattr(postpone, "LONGEST_PAUSE", 100 * 3600.0)
    await engine.db.execute(
        "alter table headrace.job add constraint never_bad check (not payload @> '{\"bad\": true}')"
    )
    events = Events(engine)
    await events.trigger("mail", payload={"bad": "{{event.bad}}", "n": "{{event.n}}"})
    return events


async def emit(events: Events, n: int, *, bad: bool = False) -> UUID:
    return await events.emit(data={"bad": bad, "n": n})


async def attempts(events: Events, event_id: UUID) -> tuple[int, bool]:
    """How often it was tried, and whether it waits for later."""
    row = await events.db.fetchrow(
        "select attempts, not_before > clock_timestamp() from headrace.event_inbox where event_id = $1", event_id
    )
    assert row is not None
    return row[0], row[1]


async def error_of(events: Events, event_id: UUID) -> str | None:
    text: str | None = await events.db.fetchval("select error from headrace.event where id = $1", event_id)
    return text


async def test_one_bad_event_fails_alone_and_the_rest_of_its_batch_fires_once(events: Events) -> None:
    ids = [await emit(events, n, bad=n == 37) for n in range(100)]
    await events.dispatch()
    assert sorted(p["n"] for p in await events.payloads()) == [n for n in range(100) if n != 37]
    assert await events.db.fetchval("select count(*) from headrace.queue") == 99
    assert await events.deliveries(ids[37]) == []
    assert await events.waiting() == 1
    assert await attempts(events, ids[37]) == (1, True)
    assert await error_of(events, ids[37]) is None
    # It waits, and is in nobody's way.
    assert await dispatch_events(events.db, events.rules) == 0
    await emit(events, 100)
    assert await dispatch_events(events.db, events.rules) == 1


async def test_several_bad_events_are_each_found(events: Events) -> None:
    bad = {0, 1, 5, 7}
    ids = [await emit(events, n, bad=n in bad) for n in range(8)]
    await events.dispatch()
    assert sorted(p["n"] for p in await events.payloads()) == [2, 3, 4, 6]
    assert [await attempts(events, ids[n]) for n in sorted(bad)] == [(1, True)] * 4


async def test_a_bad_event_is_given_up_after_five_tries_with_the_error(events: Events) -> None:
    bad = await emit(events, 1, bad=True)
    waits = []
    for n in range(1, MOST_TRIES):
        assert await dispatch_events(events.db, events.rules) == 1
        assert await attempts(events, bad) == (n, True)
        waits.append(
            await events.db.fetchval("select round(extract(epoch from not_before - now())) from headrace.event_inbox")
        )
        await events.let_holds_end()
    assert waits == sorted(waits)
    assert waits[-1] > waits[0]
    assert await dispatch_events(events.db, events.rules) == 1
    assert await events.waiting() == 0
    assert "never_bad" in str(await error_of(events, bad))
    assert (await events.jobs(), await events.deliveries()) == ([], [("mail", "skipped", "dispatch_failed")])
    assert "never_bad" in await events.detail("mail")
    assert await dispatch_events(events.db, events.rules) == 0


async def test_an_event_whose_trouble_has_passed_fires_once_on_its_next_try(events: Events) -> None:
    bad = await emit(events, 1, bad=True)
    await dispatch_events(events.db, events.rules)
    await events.db.execute("alter table headrace.job drop constraint never_bad")
    await events.let_holds_end()
    assert await dispatch_events(events.db, events.rules) == 1
    assert await events.deliveries(bad) == [("mail", "fired", None)]
    assert len(await events.jobs()) == 1


async def test_two_dispatchers_that_meet_bad_events_fire_the_good_ones_once(events: Events) -> None:
    for n in range(60):
        await emit(events, n, bad=n % 20 == 0)
    async with events.another() as one, events.another() as two:
        while sum(await asyncio.gather(*(dispatch_events(conn, Rules(), batch=16) for conn in (one, two)))):
            pass
    assert sorted(p["n"] for p in await events.payloads()) == [n for n in range(60) if n % 20]
    assert await events.waiting() == 3


async def test_a_window_that_a_failed_batch_opened_is_not_open(events: Events) -> None:
    await events.trigger("rare", payload={"bad": False}, dedupe_window_seconds=60)
    bad, good = await emit(events, 1, bad=True), await emit(events, 2)
    await events.dispatch()
    assert await events.deliveries(bad) == []
    assert await events.deliveries(good) == [("mail", "fired", None), ("rare", "fired", None)]


@pytest.fixture
async def fatal(events: Events) -> Events:
    """The server ends the session that writes a job whose payload says `bad`."""
    await events.db.execute(
        """
        alter table headrace.job drop constraint never_bad;
        create function headrace.test_fatal() returns trigger language plpgsql as $$
        begin
          if new.payload @> '{"bad": true}' then
            perform pg_terminate_backend(pg_backend_pid());
          end if;
          return new;
        end $$;
        create trigger test_fatal before insert on headrace.job for each row execute function headrace.test_fatal()
        """
    )
    return events


async def tick(events: Events, turns: Turns) -> int | None:
    """What a dispatcher does with a new connection; gives back how many events it held, or none when it lost that."""
    async with events.another() as conn:
        try:
            return await dispatch_events(conn, events.rules, turns=turns)
        except TRANSIENT:
            return None


async def test_an_event_that_ends_the_session_is_found_in_halves_and_given_up_and_the_rest_fires(fatal: Events) -> None:
    ids = [await emit(fatal, n, bad=n == 5) for n in range(8)]
    turns = Turns()
    lost = 0
    while (n := await tick(fatal, turns)) != 0:
        lost += n is None
    # Eight together, four, two, and it alone.
    assert lost == 4
    assert sorted(p["n"] for p in await fatal.payloads()) == [0, 1, 2, 3, 4, 6, 7]
    assert await attempts(fatal, ids[5]) == (1, True)
    for _ in range(MOST_INTERRUPTIONS - 1):
        await fatal.let_holds_end()
        assert await tick(fatal, turns) is None
        assert await fatal.waiting() == 1
        assert await tick(fatal, turns) == 0
    assert await fatal.waiting() == 0
    assert "terminat" in str(await error_of(fatal, ids[5]))
    assert await fatal.deliveries(ids[5]) == [("mail", "skipped", "dispatch_failed")]


async def test_a_database_that_is_away_counts_against_no_event(fatal: Events) -> None:
    bad = await emit(fatal, 1, bad=True)
    turns = Turns()
    for _ in range(MOST_INTERRUPTIONS + 1):
        assert await tick(fatal, turns) is None
        async with fatal.another() as gone:
            gone.terminate()
            with pytest.raises(TRANSIENT):
                await dispatch_events(gone, fatal.rules, turns=turns)
        await fatal.let_holds_end()
    assert (await attempts(fatal, bad))[0] == 0


async def test_a_dispatcher_that_dies_with_its_batch_leaves_it_in_halves(events: Events) -> None:
    for n in range(8):
        await emit(events, n)
    claimed = await events.db.fetch(SQL["claim_events"], 500, 0, 3600.0, MOST_BYTES)
    assert len(claimed) == 8
    assert await events.dispatch() == 0
    await events.let_holds_end()
    assert await dispatch_events(events.db, events.rules) == 4
    assert await dispatch_events(events.db, events.rules) == 4
    assert len(await events.jobs()) == 8


async def test_an_event_whose_deliveries_cannot_be_written_is_given_up_all_the_same(events: Events) -> None:
    await events.db.execute("alter table headrace.delivery add constraint none_at_all check (false) not valid")
    bad = await emit(events, 1)
    for _ in range(MOST_TRIES):
        await events.dispatch()
        await events.let_holds_end()
    assert await events.waiting() == 0
    assert "none_at_all" in str(await error_of(events, bad))
