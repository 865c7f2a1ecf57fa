"""Traces through triggers: an event's goes on, a schedule's begins with its fire."""

from __future__ import annotations

from tests.engine import Engine
from tests.spans import Spans, context_of, is_child
from tests.triggers.triggering import add, hourly

from headrace.triggers.dispatch import dispatch_events
from headrace.triggers.emit import EMIT, emit_parameters, emitting
from headrace.triggers.rules import Rules

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
CARRIED = "select trace_context from headrace.job"


async def test_what_an_event_fires_is_below_its_emit(engine: Engine, spans: Spans) -> None:
    await add(engine, "on paid", trigger_type="event", event="order.paid")
    with emitting("order.paid", tenant="default", correlation_id=None) as trace:
        await engine.db.fetchval(EMIT, *emit_parameters("order.paid", {}), trace)
    await dispatch_events(engine.db, Rules())
    fired = spans.one("fire on paid")
    assert is_child(fired, spans.one("emit order.paid"))
    ids = context_of(fired)
    assert (await engine.db.fetchval(CARRIED)).startswith(f"00-{ids.trace_id:032x}-{ids.span_id:016x}-")
    assert (fired.attributes or {})["headrace.trigger"] == "on paid"


async def test_without_an_sdk_what_an_event_fires_carries_its_trace_on(engine: Engine) -> None:
    await add(engine, "on paid", trigger_type="event", event="order.paid")
    await engine.db.fetchval(EMIT, *emit_parameters("order.paid", {}), PARENT)
    await dispatch_events(engine.db, Rules())
    assert await engine.db.fetchval(CARRIED) == PARENT


async def test_a_scheduled_fire_begins_a_trace(engine: Engine, spans: Spans) -> None:
    trigger = await hourly(engine, "hourly")
    await trigger.fire()
    fired = spans.one("fire hourly")
    assert fired.parent is None
    assert format(context_of(fired).trace_id, "032x") in await engine.db.fetchval(CARRIED)


async def test_without_an_sdk_a_scheduled_job_carries_nothing(engine: Engine) -> None:
    trigger = await hourly(engine, "hourly")
    await trigger.fire()
    assert await engine.db.fetchval(CARRIED) is None
