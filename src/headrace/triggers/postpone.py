"""Postpone: a batch that fails is tried in halves, an event that fails alone later and later, until it is given up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headrace.db.connect import TRANSIENT, Connection
from headrace.db.statements import statements
from headrace.log import get_logger
from headrace.model.text import clean
from headrace.model.trigger.delivery import patterns

SQL = statements(__file__)
MOST_TRIES = 5
# A session or transaction that was ended may have had other reasons than the event.
MOST_INTERRUPTIONS = 10
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0
LONGEST_ERROR = 2000
log = get_logger("headrace.triggers")


class Failure(NamedTuple):
    """A batch that failed, and with what. `interrupted`: the server ended the session or the transaction."""

    events: Sequence[Any]
    error: str
    interrupted: bool

    @classmethod
    def of(cls, events: Sequence[Any], error: BaseException) -> Failure:
        # A session that was ended shows when its transaction is rolled back; what ended it came before.
        first = error
        while first.__context__ is not None and not first.__suppress_context__:
            first = first.__context__
        text = clean(f"{type(first).__name__}: {first}", LONGEST_ERROR)
        return cls(events, text, isinstance(error, TRANSIENT))


async def release_events(conn: Connection, events: Sequence[Any], seconds: float = 0.0) -> None:
    """Let go of held events, for now or for some seconds later; nothing is counted."""
    await conn.execute(SQL["release"], [event["seq"] for event in events], seconds)


async def note_failure(conn: Connection, failure: Failure) -> None:
    """Put the events back: many in halves and at once, one alone for later. The last attempt at one gives it up."""
    if len(failure.events) > 1:
        # Their hold has said already that they come in halves.
        await release_events(conn, failure.events)
        log.warning("event batch failed", events=len(failure.events), error=failure.error)
        return
    (event,) = failure.events
    most = MOST_INTERRUPTIONS if failure.interrupted else MOST_TRIES
    attempts = await conn.fetchval(SQL["postpone"], event["seq"], most, FIRST_PAUSE, LONGEST_PAUSE)
    about = {"event_id": str(event["id"]), "tenant": event["tenant"], "error": failure.error}
    if attempts is not None:
        log.warning("event postponed", attempts=attempts, **about)
        return
    await _give_up(conn, event, failure.error)
    log.error("event given up", attempts=most, **about)


async def _give_up(conn: Connection, event: Any, error: str) -> None:
    names = list(patterns(event["name"]))
    try:
        await conn.execute(SQL["give_up"], event["seq"], error, names)
    except TRANSIENT:
        raise
    except Exception:
        # What is wrong may be the writing of deliveries. The event must not come back in any case.
        await conn.execute(SQL["give_up_without_deliveries"], event["seq"], error)
