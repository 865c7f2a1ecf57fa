"""`/stream`: what changes, as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Header, Request
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.sse import HEARTBEAT_SECONDS, STREAM_HEADERS, event
from headrace.api.state import state_of
from headrace.model.job.job import JobRecord
from headrace.service import Service
from headrace.service.stream.hub import Batch, Hub
from headrace.service.stream.service import event_id

router = new_router(prefix="/stream", tags=["stream"])

# How long a browser waits before it comes back.
RETRY = b"retry: 2000\n\n"
JOB = TypeAdapter(JobRecord)


@router.get("", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def stream(
    service: CurrentService,
    request: Request,
    last_event_id: Annotated[str | None, Header(max_length=40)] = None,
) -> StreamingResponse:
    """Stream changes of jobs and counts as server-sent events.

    `job` is a job as it now is, as in a list. `summary` has the counts: `live` as last sampled, `ended` and `enqueued`
    since the beginning; with `many` more jobs changed than are named, so read again what you show. A client that comes
    back with Last-Event-ID within five minutes misses nothing.
    """
    events = _follow(service, state_of(request).hub, last_event_id)
    # What is refused is refused before the stream begins, with a status of its own.
    begin = await anext(events)
    return StreamingResponse(_all(begin, events), media_type="text/event-stream", headers=STREAM_HEADERS)


async def _all(begin: bytes, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    try:
        yield begin
        async for text in events:
            yield text
    finally:
        await events.aclose()  # type: ignore[attr-defined] # a generator


async def _follow(service: Service, hub: Hub, since: str | None) -> AsyncIterator[bytes]:
    async with service.stream.follow(hub, since) as (first, listener):
        yield RETRY + _text(first)
        while True:
            try:
                batch = await asyncio.wait_for(listener.batches.get(), HEARTBEAT_SECONDS)
            except TimeoutError:
                # The id alone is no event, but it is remembered: whoever hears nothing for long can still come back.
                heard_to = "" if listener.heard_to is None else f"id: {event_id(listener.heard_to)}\n"
                yield f": alive\n{heard_to}\n".encode()
                continue
            if batch is None:
                return
            yield _text(batch)


def _text(batch: Batch) -> bytes:
    """The batch as sent; only its last event has the id, so that who hears half of it comes back for all."""
    if batch.text is None:
        events = [("job", JOB.dump_python(job, mode="json")) for job in batch.jobs]
        if batch.summary is not None:
            events.append(("summary", {**batch.summary._asdict(), "many": batch.many}))
        last = len(events) - 1
        batch.text = b"".join(
            event(data, name=name, place=event_id(batch.at) if n == last else None)
            for n, (name, data) in enumerate(events)
        )
    return batch.text
