"""`/events`: publish facts, and see what triggers made of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Header, Query, Response
from pydantic import Field, StringConstraints

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors, Cursor
from headrace.api.schemas import Page, RequestModel, ResponseModel, Text
from headrace.service.events.service import EventRecord

router = new_router(prefix="/events", tags=["events"])

EventName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$", max_length=200)]


class NewEvent(RequestModel):
    """An event to emit."""

    name: EventName = Field(description="words with dots between them", examples=["provider.folder.updated"])
    data: dict[str, Any] = Field(default={}, examples=[{"folder_path": "/reports"}])
    correlation_id: Text | None = Field(
        default=None, max_length=500, description="the correlation id of the event and its jobs"
    )
    idempotency_key: Text | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        description="a repeated request with this key returns the same event, for as long as the event is kept",
    )


class EmittedAnswer(ResponseModel):
    """The event's id."""

    id: UUID


class DeliveredAnswer(ResponseModel):
    """A delivery: what one trigger made of the event."""

    trigger_id: UUID
    trigger: str | None
    outcome: Literal["fired", "skipped"]
    reason: str | None
    detail: str | None
    job_id: UUID | None


class EventAnswer(ResponseModel):
    """An event with its deliveries."""

    id: UUID
    tenant: str
    name: str
    data: dict[str, Any] = Field(
        description="with secrets masked; each value, where there are too many triggers or deliveries to look through"
    )
    correlation_id: str | None
    emitted_at: datetime
    error: str | None = Field(description="why the event could not be dispatched")
    deliveries: list[DeliveredAnswer]
    more_deliveries: bool = Field(description="whether the event has more deliveries than the 1,000 shown")


class EventQuery(RequestModel):
    """Filters of events."""

    name: Text | None = None
    limit: int = Field(default=50, ge=1, le=500)
    cursor: Cursor = None


EventsAnswer = Page[EventAnswer]


def event_answer(event: EventRecord) -> EventAnswer:
    """With the names that the API has for them."""
    return EventAnswer(
        id=event.id,
        tenant=event.tenant,
        name=event.name,
        data=event.data,
        correlation_id=event.correlation_id,
        emitted_at=event.emitted_at,
        error=event.error,
        deliveries=[DeliveredAnswer.model_validate(one) for one in event.deliveries],
        more_deliveries=event.more_deliveries,
    )


@router.post("", status_code=201, responses={200: {"model": EmittedAnswer, "description": "the event existed"}})
async def emit_event(
    service: CurrentService,
    new: NewEvent,
    response: Response,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=500)] = None,
) -> EmittedAnswer:
    """Emit an event, which is dispatched within moments; 200 with the existing event when its key was used before."""
    emitted = await service.events.emit_once(
        new.name,
        new.data,
        correlation_id=new.correlation_id,
        idempotency_key=new.idempotency_key or idempotency_key,
    )
    response.status_code = 201 if emitted.created else 200
    return EmittedAnswer(id=emitted.id)


@router.get("")
async def list_events(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[EventQuery, Query()]
) -> EventsAnswer:
    """List events, newest first, with their deliveries."""
    after = await cursors.read(query.cursor)
    page = await service.events.list(name=query.name, limit=query.limit, cursor=after)
    items = [event_answer(event) for event in page.items]
    return EventsAnswer(items=items, next_cursor=await cursors.write(page.next_cursor))


@router.get("/{event_id}")
async def get_event(service: CurrentService, event_id: UUID) -> EventAnswer:
    """Show one event with its deliveries."""
    return event_answer(await service.events.get(event_id))
