"""`/admin/queues`: look, change, pause, resume."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors, Cursor, cut
from headrace.api.routes.admin.pausing import PauseAnswer, PauseRequest
from headrace.api.schemas import Page, RequestModel, ResponseModel
from headrace.service.queues.service import QueueRecord

router = new_router(prefix="/admin/queues", tags=["queues"])

QueueName = Annotated[str, Path(max_length=100, pattern=r"^[^\x00]*$")]


class DepthAnswer(ResponseModel):
    """Live jobs by status, from the last sample."""

    scheduled: int
    queued: int
    running: int


class LastHourAnswer(ResponseModel):
    """Counts of the last hour, of definitions with this queue."""

    enqueued: int
    succeeded: int
    failed: int = Field(description="jobs that ended as failed or dead_letter")
    retried: int = Field(description="attempts after which another one follows")


class QueueSettingsAnswer(ResponseModel):
    """How the queue is served."""

    max_running: int | None = Field(description="the most running jobs, over all workers; null is no limit")
    fair: bool = Field(description="whether tenants take turns, by their weights")
    ageing_seconds: int = Field(description="the wait after which a job is served like the most urgent; 0 is never")


class QueueAnswer(ResponseModel):
    """A queue."""

    queue: str
    paused: bool
    pause: PauseAnswer | None
    paused_definitions: list[str] = Field(description="definitions that are paused in this queue by themselves")
    depth: DepthAnswer
    oldest_age_seconds: float | None = Field(description="the wait of the oldest queued job")
    workers: int = Field(description="live workers that serve the queue")
    last_hour: LastHourAnswer
    settings: QueueSettingsAnswer


class QueueQuery(RequestModel):
    """A page of queues."""

    limit: int = Field(default=50, ge=1, le=500)
    cursor: Cursor = None
    include_system: bool = Field(default=False, description="whether to include the queue of Headrace's own jobs")


class QueueChange(RequestModel):
    """Settings to change; others stay."""

    max_running: int | None = Field(
        default=None, ge=1, le=1_000_000, description="the most running jobs, over all workers; null removes the limit"
    )
    fair: bool = False
    ageing_seconds: int = Field(default=3600, ge=0, le=31_536_000)


def _answer(queue: QueueRecord) -> QueueAnswer:
    return QueueAnswer.model_validate({**queue._asdict(), "paused": queue.pause is not None}, from_attributes=True)


@router.get("")
async def list_queues(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[QueueQuery, Query()]
) -> Page[QueueAnswer]:
    """List queues by name."""
    after = await cursors.read(query.cursor)
    queues = await service.queues.list(limit=query.limit + 1, after=after, include_system=query.include_system)
    items, cursor = cut(queues, query.limit, lambda queue: queue.queue)
    return Page(items=[_answer(queue) for queue in items], next_cursor=await cursors.write(cursor))


@router.get("/{queue}")
async def get_queue(service: CurrentService, queue: QueueName) -> QueueAnswer:
    """Show one queue."""
    return _answer(await service.queues.get(queue))


@router.patch("/{queue}")
async def change_queue(service: CurrentService, queue: QueueName, changes: QueueChange) -> QueueAnswer:
    """Change how a queue is served, from now on and in every worker."""
    return _answer(await service.queues.change(queue, **changes.model_dump(exclude_unset=True)))


@router.post("/{queue}/pause")
async def pause_queue(service: CurrentService, queue: QueueName, pause: PauseRequest | None = None) -> QueueAnswer:
    """Stop claims of the queue's jobs; running jobs continue, and enqueues are accepted."""
    pause = pause or PauseRequest()
    return _answer(await service.queues.pause(queue, note=pause.note, resume_at=pause.end()))


@router.post("/{queue}/resume")
async def resume_queue(service: CurrentService, queue: QueueName) -> QueueAnswer:
    """Resume claims of the queue's jobs."""
    return _answer(await service.queues.resume(queue))
