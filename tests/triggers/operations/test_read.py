"""`hr.control.triggers`: what comes next, in plain words, and what came of what was due."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.engine import Engine
from tests.triggers.emitting import make_due, open_app, schedule_once

from headrace import Headrace
from headrace.errors import BadRequest, Conflict, NotFound
from headrace.triggers.dispatch import dispatch_events
from headrace.triggers.rules import Rules

HOUR = timedelta(hours=1)
START = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
async def hr(engine: Engine) -> AsyncIterator[Headrace]:
    async with open_app(engine) as hr:
        await hr.control.triggers.create("hourly", "work", every_seconds=3600.0, starts_at=START)
        await schedule_once(engine)
        yield hr


async def test_a_preview_shows_the_next_times_from_the_next_on(engine: Engine, hr: Headrace) -> None:
    due = (await hr.control.triggers.get("hourly")).next_run_at
    assert due is not None
    forecast = await hr.control.triggers.preview("hourly", 3)
    assert [time.due_at for time in forecast.times] == [due, due + HOUR, due + 2 * HOUR]
    assert forecast.words == "Every hour"
    await hr.control.triggers.skip_next("hourly")
    assert (await hr.control.triggers.preview("hourly", 1)).times[0].due_at == due + HOUR
    assert len((await hr.control.triggers.preview("hourly")).times) == 10


async def test_a_preview_of_what_is_not_computed_yet_is_what_will_be(engine: Engine, hr: Headrace) -> None:
    await hr.control.triggers.create("new", "work", cron="*/5 * * * *")
    (first,) = (await hr.control.triggers.preview("new", 1)).times
    await schedule_once(engine)
    assert (await hr.control.triggers.get("new")).next_run_at == first.due_at


async def test_a_preview_of_a_disabled_trigger_starts_from_now(engine: Engine, hr: Headrace) -> None:
    due = (await hr.control.triggers.get("hourly")).next_run_at
    assert due is not None
    await hr.control.triggers.disable("hourly")
    await make_due(engine, "hourly", due - 100 * HOUR)
    assert (await hr.control.triggers.preview("hourly", 1)).times[0].due_at == due


async def test_a_preview_shows_no_more_than_will_still_fire(engine: Engine, hr: Headrace) -> None:
    await hr.control.triggers.create("twice", "work", every_seconds=3600.0, starts_at=START, max_fires=2)
    for left in (2, 1):
        assert len((await hr.control.triggers.preview("twice")).times) == left
        await schedule_once(engine)
        due = (await hr.control.triggers.get("twice")).next_run_at
        assert due is not None
        await make_due(engine, "twice", due - (3 - left) * HOUR)
        await engine.db.execute("delete from headrace.fire")
        await schedule_once(engine)
    assert (await hr.control.triggers.get("twice")).fires == 2
    assert (await hr.control.triggers.preview("twice")).times == []
    assert (await hr.control.triggers.preview("hourly")).times != []


async def test_a_preview_notes_where_clocks_change(engine: Engine, hr: Headrace) -> None:
    await hr.control.triggers.create("night", "work", cron="30 2 * * *", timezone="Europe/Zurich")
    await make_due(engine, "night", datetime(2027, 3, 27, 1, 30, tzinfo=UTC))
    forecast = await hr.control.triggers.preview("night", 3)
    assert forecast.words == "At 02:30"
    assert [time.due_at for time in forecast.times] == [
        datetime(2027, 3, 27, 1, 30, tzinfo=UTC),
        datetime(2027, 3, 28, 1, 0, tzinfo=UTC),
        datetime(2027, 3, 29, 0, 30, tzinfo=UTC),
    ]
    before, on, after = (time.note for time in forecast.times)
    assert (before, after) == (None, None)
    assert on is not None
    assert "02:30" in on
    await make_due(engine, "night", datetime(2027, 10, 31, 0, 30, tzinfo=UTC))
    (back,) = (await hr.control.triggers.preview("night", 1)).times
    assert back.note == "clocks go back: first 02:30, the second does not count"


async def test_settings_can_be_previewed_before_a_trigger_exists(hr: Headrace) -> None:
    forecast = await hr.control.triggers.preview_settings(2, cron="0 9 * * MON-FRI", timezone="Europe/Zurich")
    assert "Monday" in forecast.words
    assert len(forecast.times) == 2
    assert forecast.times[0].due_at > datetime.now(UTC)
    with pytest.raises(BadRequest, match="five fields"):
        await hr.control.triggers.preview_settings(2, cron="0 9 * *")
    with pytest.raises(BadRequest, match="Mars"):
        await hr.control.triggers.preview_settings(2, cron="@daily", timezone="Mars/Base")


async def test_a_preview_of_too_many_or_of_no_times_is_refused(hr: Headrace) -> None:
    for n in (0, -1, 1001):
        with pytest.raises(BadRequest, match=f"1 to 1000 times, not {n}"):
            await hr.control.triggers.preview("hourly", n)
    await hr.control.triggers.create("waits", "work", event="a")
    with pytest.raises(Conflict, match='"waits" is not a schedule'):
        await hr.control.triggers.preview("waits")


async def test_fires_are_listed_newest_first_and_no_more_than_asked_for(hr: Headrace) -> None:
    await hr.control.triggers.backfill("hourly", START, START + 9 * HOUR)
    lines = await hr.control.triggers.fires("hourly", limit=3)
    assert [line.due_at for line in lines] == [START + n * HOUR for n in (9, 8, 7)]
    assert len(await hr.control.triggers.fires("hourly")) == 10
    for limit in (0, -1):
        with pytest.raises(BadRequest, match=f"not {limit}"):
            await hr.control.triggers.fires("hourly", limit=limit)


async def test_deliveries_are_read_by_trigger_newest_first_also_of_one_that_was_deleted(
    engine: Engine, hr: Headrace
) -> None:
    await hr.control.triggers.create("on", "work", event="order.*", payload={"n": "{{event.n}}"})
    ids = [await hr.emit("order.paid", data) for data in ({"n": 1}, {}, {"n": 3})]
    await dispatch_events(engine.db, Rules())
    found = await hr.control.triggers.deliveries("on")
    assert [(line.event_id, line.outcome, line.reason) for line in found] == [
        (ids[2], "fired", None),
        (ids[1], "skipped", "template_error"),
        (ids[0], "fired", None),
    ]
    assert "event.n" in str(found[1].detail)
    await hr.control.triggers.delete("on")
    assert await hr.control.triggers.deliveries("on", limit=2) == found[:2]
    with pytest.raises(BadRequest, match="not 0"):
        await hr.control.triggers.deliveries("on", limit=0)
    with pytest.raises(NotFound, match='unknown trigger "off"'):
        await hr.control.triggers.deliveries("off")
