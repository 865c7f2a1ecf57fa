"""`/admin/workers`: look, drain."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors, Cursor, cut
from headrace.api.schemas import Page, RequestModel, ResponseModel
from headrace.service.workers.service import WorkerRecord, WorkerState

router = new_router(prefix="/admin/workers", tags=["workers"])

WorkerId = Annotated[int, Path(ge=0, le=2**63 - 1)]


class WorkerAnswer(ResponseModel):
    """A worker process."""

    id: int
    name: str
    hostname: str
    pid: int
    version: str
    queues: list[str]
    definitions: list[str]
    concurrency: int
    running: int = Field(description="running jobs at the last heartbeat")
    memory_bytes: int | None = Field(
        description="memory of the process at the last heartbeat, where the system reports it"
    )
    running_jobs: list[UUID] = Field(description="the first hundred jobs that the worker owns now")
    state: WorkerState
    draining: bool = Field(description="whether the worker claims no more, finishes its jobs and stops")
    stale: bool = Field(description="whether a live worker has missed a heartbeat")
    lease_seconds: float
    lease_expires_at: datetime
    heartbeat_at: datetime
    started_at: datetime
    stopped_at: datetime | None


class WorkerQuery(RequestModel):
    """A page of workers."""

    state: WorkerState | None = Field(
        default=None, description="the state; when absent, live workers and those that ended within a day"
    )
    limit: int = Field(default=50, ge=1, le=200)
    cursor: Cursor = None


def _answer(worker: WorkerRecord) -> WorkerAnswer:
    fields = worker._asdict()
    return WorkerAnswer(lease_seconds=fields.pop("lease").total_seconds(), **fields)


@router.get("")
async def list_workers(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[WorkerQuery, Query()]
) -> Page[WorkerAnswer]:
    """List workers, newest first."""
    before = await cursors.read_number(query.cursor)
    workers = await service.workers.list(state=query.state, limit=query.limit + 1, before=before)
    items, cursor = cut(workers, query.limit, lambda worker: worker.id)
    return Page(items=[_answer(worker) for worker in items], next_cursor=await cursors.write(cursor))


@router.get("/{worker_id}")
async def get_worker(service: CurrentService, worker_id: WorkerId) -> WorkerAnswer:
    """Show one worker."""
    return _answer(await service.workers.get(worker_id))


@router.post("/{worker_id}/drain")
async def drain_worker(service: CurrentService, worker_id: WorkerId) -> WorkerAnswer:
    """Let a worker claim no more, finish its jobs and stop."""
    return _answer(await service.workers.drain(worker_id))
