"""`/admin/queues`: look, change, pause, resume."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import cut
from headrace.api.routes.admin.pausing import PauseAnswer, PauseRequest
from headrace.api.schemas import Page, RequestModel, ResponseModel, Text
from headrace.service.queues.service import QueueRecord

router = new_router(prefix="/admin/queues", tags=["queues"])

QueueName = Annotated[str, Path(max_length=100, pattern=r"^[^\x00]*$")]


class DepthAnswer(ResponseModel):
    """Live jobs by status, as they were last sampled."""

    scheduled: int
    queued: int
    running: int


class LastHourAnswer(ResponseModel):
    """What became of jobs within the last hour, of definitions whose queue this is."""

    enqueued: int
    succeeded: int
    failed: int = Field(description="failed or dead letter")
    retried: int = Field(description="attempts after which the job waits again")


class QueueSettingsAnswer(ResponseModel):
    """How its jobs are served."""

    max_running: int | None = Field(description="at once, over all workers; null is no limit")
    fair: bool = Field(description="whether tenants take turns, by their weights")
    ageing_seconds: int = Field(description="after so long a job is served as the most urgent are; 0 is never")


class QueueAnswer(ResponseModel):
    """A queue."""

    queue: str
    paused: bool
    pause: PauseAnswer | None
    paused_definitions: list[str] = Field(description="those whose lane in it is paused by itself")
    depth: DepthAnswer
    oldest_age_seconds: float | None = Field(description="of the job that has been queued for longest")
    workers: int = Field(description="live ones that serve it")
    last_hour: LastHourAnswer
    settings: QueueSettingsAnswer


class QueueQuery(RequestModel):
    """A part of the list."""

    limit: int = Field(default=50, ge=1, le=500)
    cursor: Text | None = Field(default=None, max_length=100, description="`next_cursor` of the page before")
    include_system: bool = Field(default=False, description="that of Headrace's own jobs too")


class QueueChange(RequestModel):
    """What to change; what is left out stays."""

    max_running: int | None = Field(default=None, ge=1, le=1_000_000, description="null lifts the limit")
    fair: bool = False
    ageing_seconds: int = Field(default=3600, ge=0, le=31_536_000)


def _answer(queue: QueueRecord) -> QueueAnswer:
    return QueueAnswer.model_validate({**queue._asdict(), "paused": queue.pause is not None}, from_attributes=True)


@router.get("")
async def list_queues(service: CurrentService, query: Annotated[QueueQuery, Query()]) -> Page[QueueAnswer]:
    """Queues by name."""
    queues = await service.queues.list(limit=query.limit + 1, after=query.cursor, include_system=query.include_system)
    items, cursor = cut(queues, query.limit, lambda queue: queue.queue)
    return Page(items=[_answer(queue) for queue in items], next_cursor=cursor)


@router.get("/{queue}")
async def get_queue(service: CurrentService, queue: QueueName) -> QueueAnswer:
    """One queue."""
    return _answer(await service.queues.get(queue))


@router.patch("/{queue}")
async def change_queue(service: CurrentService, queue: QueueName, changes: QueueChange) -> QueueAnswer:
    """Change how its jobs are served, from now on and in every worker."""
    return _answer(await service.queues.change(queue, **changes.model_dump(exclude_unset=True)))


@router.post("/{queue}/pause")
async def pause_queue(service: CurrentService, queue: QueueName, pause: PauseRequest | None = None) -> QueueAnswer:
    """Have no more of its jobs claimed; what runs, runs on."""
    pause = pause or PauseRequest()
    return _answer(await service.queues.pause(queue, note=pause.note, resume_at=pause.end()))


@router.post("/{queue}/resume")
async def resume_queue(service: CurrentService, queue: QueueName) -> QueueAnswer:
    """Have its jobs claimed again."""
    return _answer(await service.queues.resume(queue))
