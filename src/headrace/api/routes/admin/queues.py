"""`/admin/queues`: look, pause, resume."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from headrace.api.moment import Moment
from headrace.api.paging import cut
from headrace.api.schemas import Answer, Page, Request_, Text
from headrace.api.who import Asked
from headrace.service.queues import QueueRecord

router = APIRouter(prefix="/queues", tags=["queues"])

QueueName = Annotated[str, Path(max_length=100, pattern=r"^[^\x00]*$")]


class DepthAnswer(Answer):
    """Live jobs by status, as they were last sampled."""

    scheduled: int
    queued: int
    running: int


class LastHourAnswer(Answer):
    """What became of jobs within the last hour, of definitions whose queue this is."""

    enqueued: int
    succeeded: int
    failed: int = Field(description="failed or dead letter")
    retried: int = Field(description="attempts after which the job waits again")


class PauseAnswer(Answer):
    """Why it stands still, and until when."""

    paused_at: datetime
    paused_by: str
    note: str
    resume_at: datetime | None


class QueueAnswer(Answer):
    """A queue."""

    queue: str
    paused: bool
    pause: PauseAnswer | None
    paused_definitions: list[str] = Field(description="those whose lane in it is paused by itself")
    depth: DepthAnswer
    oldest_age_seconds: float | None = Field(description="of the job that has been queued for longest")
    workers: int = Field(description="live ones that serve it")
    last_hour: LastHourAnswer


class QueueQuery(Request_):
    """A part of the list."""

    limit: int = Field(default=50, ge=1, le=500)
    cursor: Text | None = Field(default=None, max_length=100, description="`next_cursor` of the page before")


class PauseRequest(Request_):
    """How a queue is paused."""

    note: Text = Field(default="", max_length=1000, description="why, for others", examples=["provider is down"])
    resume_at: Moment | None = Field(default=None, description="when it goes on by itself")


def _answer(queue: QueueRecord) -> QueueAnswer:
    return QueueAnswer.model_validate({**queue._asdict(), "paused": queue.pause is not None}, from_attributes=True)


@router.get("")
async def list_queues(service: Asked, query: Annotated[QueueQuery, Query()]) -> Page[QueueAnswer]:
    """Queues by name."""
    found = await service.queues.list(limit=query.limit + 1, after=query.cursor)
    items, cursor = cut(found, query.limit, lambda queue: queue.queue)
    return Page(items=[_answer(queue) for queue in items], next_cursor=cursor)


@router.get("/{queue}")
async def get_queue(service: Asked, queue: QueueName) -> QueueAnswer:
    """One queue."""
    return _answer(await service.queues.get(queue))


@router.post("/{queue}/pause")
async def pause_queue(service: Asked, queue: QueueName, how: PauseRequest | None = None) -> QueueAnswer:
    """Have no more of its jobs claimed; what runs, runs on."""
    how = how or PauseRequest()
    return _answer(await service.queues.pause(queue, note=how.note, resume_at=how.resume_at))


@router.post("/{queue}/resume")
async def resume_queue(service: Asked, queue: QueueName) -> QueueAnswer:
    """Have its jobs claimed again."""
    return _answer(await service.queues.resume(queue))
