"""The dedupe window: the same payload of the same trigger makes no second job while it is open."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.engine import Engine
from tests.triggers.emitting import Events

from headrace.triggers.prune import prune_windows


@pytest.fixture
def events(engine: Engine) -> Events:
    return Events(engine)


async def pass_time(events: Events, seconds: float) -> None:
    """Let all windows be so much older."""
    await events.db.execute("update headrace.dedupe set until = until - $1::interval", timedelta(seconds=seconds))


async def handled(events: Events, data: dict[str, Any]) -> tuple[str, str | None, UUID]:
    """Emit and dispatch one event; gives back what its only delivery says."""
    event_id = await events.emit(data=data)
    await events.dispatch()
    row = await events.db.fetchrow(
        "select outcome, reason, job_id from headrace.delivery where event_id = $1", event_id
    )
    assert row is not None
    return row[0], row[1], row[2]


async def test_the_same_payload_makes_one_job_and_the_delivery_names_it(events: Events) -> None:
    await events.trigger("mail", payload={"to": "{{event.to}}"}, dedupe_window_seconds=60)
    outcome, reason, job_id = await handled(events, {"to": "a", "other": 1})
    assert (outcome, reason) == ("fired", None)
    assert await handled(events, {"to": "a", "other": 2}) == ("skipped", "deduplicated", job_id)
    assert (await handled(events, {"to": "b"}))[0] == "fired"
    assert await events.payloads() == [{"to": "a"}, {"to": "b"}]
    assert await events.db.fetchval("select count(*) from headrace.queue") == 2


async def test_the_window_counts_from_the_last_job_and_what_it_suppressed_does_not_extend_it(events: Events) -> None:
    await events.trigger("mail", dedupe_window_seconds=60)
    first = (await handled(events, {}))[2]
    await pass_time(events, 40)
    assert await handled(events, {}) == ("skipped", "deduplicated", first)
    await pass_time(events, 19)
    assert await handled(events, {}) == ("skipped", "deduplicated", first)
    await pass_time(events, 2)
    outcome, _, second = await handled(events, {})
    assert (outcome, second != first) == ("fired", True)
    await pass_time(events, 59)
    assert await handled(events, {}) == ("skipped", "deduplicated", second)


async def test_of_equal_payloads_in_one_batch_the_first_goes(events: Events) -> None:
    await events.trigger("mail", payload={"n": "{{event.n}}"}, dedupe_window_seconds=60)
    for n in (1, 2, 1, 1, 2):
        await events.emit(data={"n": n})
    assert await events.dispatch() == 5
    rows = await events.db.fetch(
        "select outcome, job_id from headrace.delivery join headrace.event on event.id = event_id order by emitted_at"
    )
    one, two = rows[0]["job_id"], rows[1]["job_id"]
    assert [tuple(row) for row in rows] == [
        ("fired", one),
        ("fired", two),
        ("skipped", one),
        ("skipped", one),
        ("skipped", two),
    ]
    assert {job.id: job.payload for job in await events.jobs()} == {one: {"n": 1}, two: {"n": 2}}


async def test_each_trigger_has_windows_of_its_own_and_one_without_has_none(events: Events) -> None:
    for name in ("a", "b"):
        await events.trigger(name, payload={"x": 1}, dedupe_window_seconds=60)
    await events.trigger("free", payload={"x": 1})
    await events.emit()
    await events.emit()
    await events.dispatch()
    assert await events.deliveries() == [
        ("a", "fired", None),
        ("a", "skipped", "deduplicated"),
        ("b", "fired", None),
        ("b", "skipped", "deduplicated"),
        ("free", "fired", None),
        ("free", "fired", None),
    ]


async def test_any_text_can_be_compared_and_the_order_of_keys_does_not_matter(events: Events) -> None:
    await events.trigger("mail", payload={"x": "{{event.x}}"}, dedupe_window_seconds=60)
    first = (await handled(events, {"x": {"a": 'line\nline \\ " ü', "b": 1}}))[2]
    assert (await handled(events, {"x": {"b": 1, "a": 'line\nline \\ " ü'}}))[2] == first
    assert (await handled(events, {"x": {"b": 1, "a": 'line\nline \\ " u'}}))[0] == "fired"


async def test_a_payload_that_could_not_be_made_opens_no_window(events: Events) -> None:
    await events.trigger("mail", payload={"x": "{{event.x}}"}, dedupe_window_seconds=60)
    assert (await handled(events, {}))[1] == "template_error"
    assert (await handled(events, {"x": 1}))[0] == "fired"
    assert await events.db.fetchval("select count(*) from headrace.dedupe") == 1


async def test_windows_that_have_run_out_are_forgotten_and_open_ones_kept(events: Events) -> None:
    await events.trigger("mail", payload={"x": "{{event.x}}"}, dedupe_window_seconds=60)
    await handled(events, {"x": 1})
    await pass_time(events, 61)
    open_one = (await handled(events, {"x": 2}))[2]
    assert await prune_windows(events.db) == 1
    assert await events.db.fetchval("select job_id from headrace.dedupe") == open_one
