"""`/jobs/{job_id}/logs`: a job's lines, as a page, as a file, or as they come."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.sse import EventSourceResponse
from pydantic import Field, StringConstraints

from headrace.api.auth import CurrentService, authenticator
from headrace.api.body.route import new_router
from headrace.api.routes.logs.responses import STREAM_NUMBERS, Level, LineAnswer, Stream, line_fields, line_text
from headrace.api.schemas import Page, RequestModel
from headrace.api.sse import STREAM_HEADERS, event, with_heartbeats
from headrace.api.state import state_of
from headrace.logs.read import LinePage as LinePage
from headrace.logs.read import Position
from headrace.model.log.line import LogLine
from headrace.service import Service
from headrace.service.logs.hub import Part

router = new_router(prefix="/jobs", tags=["logs"])
POSITION = r"^[0-9]{1,9}-[0-9]{1,9}$"
PositionText = Annotated[str, StringConstraints(pattern=POSITION)]


class LogQuery(RequestModel):
    """Filters of lines, and the format."""

    after: PositionText | None = Field(
        default=None, description="only lines after this one, as run-seq", examples=["1-250"]
    )
    limit: int = Field(default=1000, ge=1, le=10_000)
    level: Level | None = None
    stream: Stream | None = None
    follow: bool = Field(default=False, description="whether to send server-sent events until the job has ended")
    format: Literal["json", "text"] | None = Field(default=None, description="text: all lines, as a file")

    @property
    def stream_number(self) -> int | None:
        """How the database knows the stream."""
        return None if self.stream is None else STREAM_NUMBERS[self.stream]


class LinesAnswer(Page[LineAnswer]):
    """Lines in order."""

    after: str = Field(description="where to continue, also for future lines")
    ended: bool = Field(description="whether no more lines will come")


OTHER_FORMS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "a page, all lines as text, or events `line` and at last `end`",
        "content": {"text/plain": {"schema": {"type": "string"}}, "text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.get("/{job_id}/logs", response_model=LinesAnswer, responses=OTHER_FORMS)
async def read_job_logs(
    request: Request,
    service: CurrentService,
    job_id: UUID,
    query: Annotated[LogQuery, Query()],
    accept: Annotated[str, Header()] = "",
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response | LinesAnswer:
    """Show the log lines of a job."""
    if query.follow:
        resumed = last_event_id if last_event_id and re.match(POSITION, last_event_id) else query.after
        return await _follow(request, service, job_id, query, _position(resumed))
    if query.format == "text" or (query.format is None and _wants_text(accept)):
        return await _download(request, service, job_id, query)
    page = await _page(service, job_id, query, after=_position(query.after), limit=query.limit)
    after = _text(page.after)
    return LinesAnswer(
        items=[LineAnswer(**line_fields(line)) for line in page.lines],
        next_cursor=after if page.more else None,
        after=after,
        ended=page.ended,
    )


async def _follow(
    request: Request, service: Service, job_id: UUID, query: LogQuery, after: Position | None
) -> Response:
    hub, level, stream = state_of(request).log_hub, query.level, query.stream_number
    parts = service.logs.listen(hub, job_id, after=after, level=level, stream=stream)
    # What is refused is refused before the stream begins, with a status of its own.
    begin = _part_text(await anext(parts))

    async def events() -> AsyncGenerator[bytes, None]:
        try:
            yield begin
            async for part in parts:
                yield _part_text(part)
            job = await service.jobs.get(job_id)
            yield event({"status": job.status}, name="end")
        finally:
            await parts.aclose()

    async def still_allowed() -> None:
        if service.principal.credential is None:  # the host knows the caller; credentials are watched
            await authenticator(request).principal(request)

    return EventSourceResponse(with_heartbeats(events(), still_allowed), headers=STREAM_HEADERS)


def _part_text(part: Part) -> bytes:
    """The part as sent, worked out once for all who get it."""
    if part.text is None:
        part.text = b"".join(map(_line_event, part.lines))
    return part.text


def _line_event(line: LogLine) -> bytes:
    data = LineAnswer(**line_fields(line)).model_dump(mode="json")
    return event(data, name="line", place=_text((line.run, line.seq)))


async def _download(request: Request, service: Service, job_id: UUID, query: LogQuery) -> Response:
    """All lines there are, read in parts while they are sent. It breaks off when the credential ends."""
    hub, after, level, stream = state_of(request).log_hub, _position(query.after), query.level, query.stream_number
    pages = service.logs.download(hub, job_id, after=after, level=level, stream=stream)
    # What is refused is refused before the file begins, with a status of its own.
    first = await anext(pages)

    async def text() -> AsyncIterator[str]:
        try:
            yield "".join(map(line_text, first.lines))
            async for page in pages:
                yield "".join(map(line_text, page.lines))
        finally:
            await pages.aclose()

    headers = {"Content-Disposition": f'attachment; filename="job-{job_id}.log"', "X-Content-Type-Options": "nosniff"}
    return StreamingResponse(text(), media_type="text/plain; charset=utf-8", headers=headers)


async def _page(service: Service, job_id: UUID, query: LogQuery, *, after: Position | None, limit: int) -> LinePage:
    return await service.logs.read(job_id, after=after, limit=limit, level=query.level, stream=query.stream_number)


def _wants_text(accept: str) -> bool:
    """Whether plain text is named, and JSON is not."""
    return "text/plain" in accept.lower() and "json" not in accept.lower()


def _position(text: str | None) -> Position | None:
    if text is None:
        return None
    run, seq = text.split("-")
    return int(run), int(seq)


def _text(position: Position) -> str:
    return f"{position[0]}-{position[1]}"
