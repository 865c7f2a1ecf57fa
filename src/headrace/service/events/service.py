"""Events: publish, and see what came of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any, NamedTuple
from uuid import UUID

from headrace.aside import by_size
from headrace.db.page import fetch_page
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound, PayloadTooLarge
from headrace.model.field_context import field_context
from headrace.model.payload.stored_json import read_object
from headrace.model.secret.events import mask_event
from headrace.model.secret.fields import MASKED
from headrace.model.secret.masking import Masker
from headrace.service.base import TenantService
from headrace.service.events.secrets import secrets_of_events
from headrace.service.paging import check_limit, read_cursor, write_cursor
from headrace.service.session import Scope
from headrace.triggers.emit import emit_parameters, emit_statement, emitting

SQL = statements(__file__)
# Of one event; and of a page, which ends there, give or take one event.
MOST_DELIVERIES = 1000
MOST_OF_A_PAGE = 5000


class EventDelivery(NamedTuple):
    """What one trigger made of an event."""

    trigger_id: UUID
    trigger: str | None
    outcome: str
    reason: str | None
    detail: str | None
    job_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """An event, and what each trigger that waited for it made of it. `error`: it could not be dispatched at all.

    Where there are `more_deliveries` than these, or too much to look through for secrets, all of its data is masked.
    """

    id: UUID
    tenant: str
    name: str
    data: dict[str, Any]
    correlation_id: str | None
    emitted_at: datetime
    error: str | None
    deliveries: Sequence[EventDelivery]
    more_deliveries: bool


class Emitted(NamedTuple):
    """An event, and whether this request made it."""

    id: UUID
    created: bool


class EventPage(NamedTuple):
    """Events, newest first."""

    items: Sequence[EventRecord]
    next_cursor: str | None


class Events(TenantService):
    """Emit, list, read."""

    async def emit(
        self,
        name: str,
        data: Mapping[str, Any] | None = None,
        *,
        correlation_id: str | None = None,
        tenant: str | None = None,
    ) -> UUID:
        """Publish an event; gives back its id. Triggers hear of it in a moment."""
        return (await self.emit_once(name, data, correlation_id=correlation_id, tenant=tenant)).id

    async def emit_once(
        self,
        name: str,
        data: Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        correlation_id: str | None = None,
        tenant: str | None = None,
    ) -> Emitted:
        """Publish an event, or give the one that has the key already; `Conflict` if that is another."""
        async with self._begin("events.emit") as scope:
            owner = tenant or scope.owner
            emitted = await _emit(
                scope, name, data, tenant=owner, correlation_id=correlation_id, idempotency_key=idempotency_key
            )
            await scope.audit(emitted.id, name=name, tenant=owner, created=emitted.created)
            return emitted

    async def get(self, event_id: UUID, *, tenant: str | None = None) -> EventRecord:
        """The event with its deliveries, or `NotFound`."""
        async with self._begin("events.read", tenant) as scope:
            events, _ = await _read(scope, event_id=event_id, name=None, before=None, limit=1)
        if not events:
            raise NotFound(f'unknown event "{event_id}"')
        return events[0]

    async def list(
        self, *, name: str | None = None, limit: int = 50, cursor: str | None = None, tenant: str | None = None
    ) -> EventPage:
        """The newest, with their deliveries."""
        check_limit(limit)
        before = None if cursor is None else read_cursor(cursor, UUID)[0]
        async with self._begin("events.read", tenant) as scope:
            events, more = await _read(scope, event_id=None, name=name, before=before, limit=limit)
        return EventPage(events, write_cursor(events[-1].id) if more else None)


async def _emit(
    scope: Scope,
    name: str,
    data: Mapping[str, Any] | None,
    *,
    tenant: str,
    correlation_id: str | None,
    idempotency_key: str | None,
) -> Emitted:
    with field_context("data"):
        parameters = emit_parameters(name, data, tenant=tenant, correlation_id=correlation_id)
    try:
        with translated_errors():
            with emitting(name, tenant=tenant, correlation_id=correlation_id) as trace:
                statement, values = emit_statement(parameters, trace, idempotency_key)
                [(event_id, *created)] = await scope.conn.fetch(statement, *values)
            return Emitted(event_id, all(created))
    except BadRequest as error:
        error.field = "data" if isinstance(error, PayloadTooLarge) else "name"
        raise


async def _read(
    scope: Scope, *, event_id: UUID | None, name: str | None, before: UUID | None, limit: int
) -> tuple[Sequence[EventRecord], bool]:
    values = (scope.tenant_id, event_id, name, before, limit + 1)
    rows, more = await fetch_page(scope.conn, SQL["read_events"], *values, limit=limit, json_columns=("data",))
    counted = await scope.conn.fetch(SQL["count_deliveries"], [row["id"] for row in rows], MOST_DELIVERIES + 1)
    counts = {row["event_id"]: row["n"] for row in counted}
    shown = _up_to_many_deliveries(rows, counts)
    made = await scope.conn.fetch(SQL["read_deliveries"], [row["id"] for row in shown], MOST_DELIVERIES)
    secrets = await secrets_of_events(scope, shown, made)
    crowded = {event_id for event_id, n in counts.items() if n > MOST_DELIVERIES}
    # Jobs of deliveries that were not read may have secrets of it too.
    secrets |= dict.fromkeys(crowded & secrets.keys())
    deliveries: dict[UUID, list[EventDelivery]] = {}
    for of_event, *delivery in made:
        deliveries.setdefault(of_event, []).append(EventDelivery(*delivery))
    # To look for a secret takes longer than to show it.
    size = sum(len(row["data"]) + 8 * sum(map(len, secrets[row["id"]] or ())) for row in shown)

    def records() -> list[EventRecord]:
        return [
            _record(row, deliveries.get(row["id"], []), secrets[row["id"]], more=row["id"] in crowded) for row in shown
        ]

    return await by_size(size, records), more or len(shown) < len(rows)


def _up_to_many_deliveries(rows: Sequence[Any], counts: Mapping[UUID, int]) -> Sequence[Any]:
    """The first events, as far as their deliveries fit a page; at least one."""
    so_far = accumulate(counts[row["id"]] for row in rows)
    return [row for n, (row, total) in enumerate(zip(rows, so_far, strict=True)) if n == 0 or total <= MOST_OF_A_PAGE]


def _record(
    found: Mapping[str, Any], deliveries: Sequence[EventDelivery], secrets: Collection[str] | None, *, more: bool
) -> EventRecord:
    row = dict(found)
    del row["tenant_id"]
    row["data"] = mask_event(read_object(row["data"]), secrets)
    masked = (lambda _text: MASKED) if secrets is None else Masker(secrets).mask_text
    row["error"] = row["error"] and masked(row["error"])
    shown = [one._replace(detail=one.detail and masked(one.detail)) for one in deliveries]
    return EventRecord(**row, deliveries=shown, more_deliveries=more)
