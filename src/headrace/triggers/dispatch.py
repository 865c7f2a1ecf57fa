"""Dispatch: hand events to the triggers that wait for them, each to each once.

An event is a row of the inbox until the transaction that handled it has committed. No order is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from headrace.db.connect import TRANSIENT, Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest
from headrace.log import get_logger
from headrace.model.expression import TemplateError
from headrace.model.fire_plan import make_payload
from headrace.model.stored_json import MARK, Unreadable, read_object
from headrace.model.text import clean
from headrace.model.trigger import Rule
from headrace.triggers.enqueue import (
    NewJob,
    Place,
    columns,
    enqueue_jobs,
    find_places,
    make_job_ids,
    suppress_repeated,
)
from headrace.triggers.fire import disable_triggers, short_transaction
from headrace.triggers.rules import Rules

SQL = statements(__file__)
BATCH = 500
MOST_TRIES = 5
LONGEST_ERROR = 2000
log = get_logger("headrace.triggers")


class Delivery(NamedTuple):
    """What a trigger makes of an event: a payload, or a reason why none."""

    event: Any
    trigger_id: UUID
    rule: Rule | None
    payload: str | None
    reason: str | None = None
    detail: str | None = None


async def dispatch_events(conn: Connection, rules: Rules, *, batch: int = BATCH) -> int:
    """Handle the oldest events; gives back how many. What fails as a whole is tried again in halves."""
    return await _dispatch(conn, rules, batch, None)


async def _dispatch(conn: Connection, rules: Rules, batch: int, these: list[int] | None) -> int:
    taken: list[tuple[int, UUID]] = []
    try:
        async with short_transaction(conn):
            events = await conn.fetch(SQL["take_events"], batch, these)
            taken = [(event["seq"], event["id"]) for event in events]
            await _deliver(conn, rules, events)
    except TRANSIENT:
        raise
    except Exception as error:  # whatever an event's data can cause, such as RecursionError
        if not taken:
            raise
        if len(taken) == 1:
            await _postpone(conn, *taken[0], error)
        else:
            half = len(taken) // 2
            await _dispatch(conn, rules, batch, [seq for seq, _ in taken[:half]])
            await _dispatch(conn, rules, batch, [seq for seq, _ in taken[half:]])
    return len(taken)


async def _postpone(conn: Connection, seq: int, event_id: UUID, error: Exception) -> None:
    """Put back the one event that fails, for later; after so many times it is given up, with the error."""
    text = clean(f"{type(error).__name__}: {error}", LONGEST_ERROR)
    given_up = await conn.fetchval(SQL["postpone"], seq, text, MOST_TRIES) is not None
    log.error("an event could not be dispatched", event_id=str(event_id), given_up=given_up, error=text)


async def _deliver(conn: Connection, rules: Rules, events: Sequence[Any]) -> None:
    names = {event["name"]: tuple(patterns(event["name"])) for event in events}
    asked = {(event["tenant_id"], pattern) for event in events for pattern in names[event["name"]]}
    if not asked:
        return
    matched = await conn.fetch(SQL["match_triggers"], *columns(sorted(asked)))
    if not matched:
        return
    # Locked by now, so nobody changes them until we are done; and who waited for us sees what we did.
    await rules.load(conn, matched)
    _, bad = rules.valid(matched)
    waiting: dict[tuple[int, str], list[UUID]] = {}
    for m in matched:
        waiting.setdefault((m["tenant_id"], m["event_name"]), []).append(m["id"])
    deliveries = []
    for event in events:
        wanted = [key for pattern in names[event["name"]] for key in waiting.get((event["tenant_id"], pattern), ())]
        if wanted:
            data = read_object(event["data"])
            deliveries += [_make(event, data, trigger_id, rules) for trigger_id in wanted]
    await _write(conn, rules, deliveries)
    if bad:
        await disable_triggers(conn, bad, {})


def patterns(name: str) -> Iterator[str]:
    """What a trigger may call the event: a.b.c is `a.b.c`, `a.b.*`, `a.*` and `*`."""
    yield name
    words = name.split(".")
    for n in range(len(words) - 1, 0, -1):
        yield f"{'.'.join(words[:n])}.*"
    yield "*"


def _make(event: Any, data: Any, trigger_id: UUID, rules: Rules) -> Delivery:
    rule = rules.rule(trigger_id)
    if isinstance(rule, BadRequest):
        return Delivery(event, trigger_id, None, None, "invalid_trigger", str(rule))
    terms = rules.terms(rule)
    if terms.obstacle is not None:
        return Delivery(event, trigger_id, rule, None, terms.obstacle)
    if isinstance(data, Unreadable):
        return Delivery(event, trigger_id, rule, None, "template_error", f"event: {data[MARK]}")
    scope = {
        "event": data,
        "trigger": {"name": rule.name, "event": event["name"]},
        "tenant": event["tenant"],
        "scheduled_for": event["emitted_at"].isoformat(),
    }
    try:
        if rule.condition is not None and not rule.condition.holds(scope):
            return Delivery(event, trigger_id, rule, None, "condition")
    except TemplateError as error:
        return Delivery(event, trigger_id, rule, None, "template_error", str(error))
    return Delivery(event, trigger_id, rule, *make_payload(rule, lambda: scope, terms.check))


async def _write(conn: Connection, rules: Rules, deliveries: Sequence[Delivery]) -> None:
    """The record first, and jobs only for lines that are new."""
    if not deliveries:
        return
    fired = [d for d in deliveries if d.payload is not None]
    ids = await make_job_ids(conn, len(fired))
    given = iter(ids)
    lines = [(d.event["id"], d.trigger_id, d.reason, d.detail, d.payload and next(given)) for d in deliveries]
    written = {row["job_id"] for row in await conn.fetch(SQL["write_deliveries"], *columns(lines))}
    new = [(job_id, d) for job_id, d in zip(ids, fired, strict=True) if job_id in written]
    earlier = await _repeated(conn, new)
    places = await find_places(conn, rules, [d.rule for _, d in new if d.rule is not None])
    await enqueue_jobs(conn, [_job(d, i, places[d.rule]) for i, d in new if d.rule is not None and i not in earlier])


async def _repeated(conn: Connection, new: Sequence[tuple[UUID, Delivery]]) -> dict[UUID, UUID]:
    """Those that the same trigger made with the same payload within its window, with the earlier job."""
    asked = [
        (job_id, d.trigger_id, d.payload or "", d.rule.dedupe_window.total_seconds())
        for job_id, d in new
        if d.rule is not None and d.rule.dedupe_window is not None
    ]
    earlier = await suppress_repeated(conn, asked)
    if earlier:
        lines = [(d.event["id"], d.trigger_id, earlier[job_id]) for job_id, d in new if job_id in earlier]
        await conn.execute(SQL["mark_deduplicated"], *columns(lines))
    return earlier


def _job(delivery: Delivery, job_id: UUID, place: Place) -> NewJob:
    event = delivery.event
    return NewJob(
        id=job_id,
        tenant_id=event["tenant_id"],
        place=place,
        payload=delivery.payload or "{}",
        source="event",
        source_ref=event["id"],
        correlation_id=event["correlation_id"],
        trace_context=event["trace_context"],
        trigger=delivery.rule.name if delivery.rule is not None else "",
    )
