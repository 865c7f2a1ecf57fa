"""`/jobs`: enqueue, look, change."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Annotated
from uuid import UUID

from fastapi import Header, Query, Response

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors, Cursor
from headrace.api.routes.jobs.requests import WINDOWS, Batch, JobQuery, RetryRequest, Window
from headrace.api.routes.jobs.responses import (
    AttemptsAnswer,
    BatchAnswer,
    BatchItem,
    CountAnswer,
    CountsAnswer,
    JobsAnswer,
    ReasonAnswer,
    SummaryAnswer,
    WhyAnswer,
    attempts_answer,
    jobs_answer,
    summary_answer,
)
from headrace.model.job.job import Job
from headrace.model.job.request import JobRequest

router = new_router(prefix="/jobs", tags=["jobs"])


@router.post("", status_code=201, responses={200: {"model": Job, "description": "the job existed"}})
async def enqueue(
    service: CurrentService,
    new: JobRequest,
    response: Response,
    idempotency_key: Annotated[str | None, Header(max_length=500)] = None,
) -> Job:
    """Enqueue a job; 200 with the existing job when a dedupe key or an idempotency key finds one."""
    if idempotency_key is not None and new.idempotency_key is None:
        new = replace(new, idempotency_key=idempotency_key)
    enqueued = await service.jobs.enqueue(new)
    response.status_code = 201 if enqueued.created else 200
    return enqueued.job


@router.post("/batch", status_code=201)
async def enqueue_batch(service: CurrentService, batch: Batch) -> BatchAnswer:
    """Enqueue up to 10,000 jobs, all or none."""
    made = await service.jobs.enqueue_many(batch.jobs)
    return BatchAnswer(jobs=[BatchItem(id=job_id, created=created) for job_id, created in made])


@router.get("")
async def list_jobs(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[JobQuery, Query()]
) -> JobsAnswer:
    """List jobs, newest first."""
    cursor = await cursors.read(query.cursor)
    page = await service.jobs.list(query.filter(), limit=query.limit, cursor=cursor, offset=query.offset)
    return await jobs_answer(page, cursors)


@router.get("/summary")
async def get_summary(service: CurrentService, window: Window = "24h") -> SummaryAnswer:
    """Count jobs by status."""
    return summary_answer(await service.jobs.summary(window=timedelta(hours=WINDOWS[window])))


@router.get("/counts")
async def count_jobs(service: CurrentService) -> CountsAnswer:
    """Count the jobs of a list by status."""
    return CountsAnswer(items=[CountAnswer.model_validate(one) for one in await service.jobs.counts()])


@router.get("/{job_id}")
async def get_job(service: CurrentService, job_id: UUID) -> Job:
    """Show one job."""
    return await service.jobs.get(job_id)


@router.get("/{job_id}/attempts")
async def list_attempts(
    service: CurrentService,
    cursors: CurrentCursors,
    job_id: UUID,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    cursor: Cursor = None,
) -> AttemptsAnswer:
    """Show the outcome of the newest attempts of a job, in order; `next_cursor` leads to earlier attempts."""
    page = await service.jobs.attempts(job_id, limit=limit, before=await cursors.read_number(cursor))
    return await attempts_answer(page, cursors)


@router.get("/{job_id}/why")
async def why(service: CurrentService, job_id: UUID) -> WhyAnswer:
    """Show why a job is not running; for a running job its worker, the start, and whether the worker is `silent`."""
    return WhyAnswer(reasons=[ReasonAnswer(code=r.code, detail=r.detail) for r in await service.jobs.why(job_id)])


@router.post("/{job_id}/cancel")
async def cancel_job(service: CurrentService, job_id: UUID) -> Job:
    """Cancel a job. A running job is asked to stop; an ended job does not change."""
    return await service.jobs.cancel(job_id)


@router.post("/{job_id}/retry")
async def retry_job(service: CurrentService, job_id: UUID, retry: RetryRequest | None = None) -> Job:
    """Retry an ended job. Another payload makes a new job, which replaces a failed one."""
    return await service.jobs.retry(job_id, payload=None if retry is None else retry.payload)
