"""`/jobs/bulk`: operations on many jobs."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.routes.jobs.requests import Bulk
from headrace.api.routes.jobs.responses import BulkCount, OperationAnswer, operation_answer
from headrace.api.schemas import Page
from headrace.api.state import state_of

router = new_router(prefix="/jobs", tags=["jobs"])


@router.post(
    "/bulk",
    status_code=202,
    responses={200: {"model": BulkCount, "description": "a dry run: the number of matching jobs"}},
)
async def change_jobs(
    service: CurrentService, bulk: Bulk, request: Request, response: Response
) -> OperationAnswer | BulkCount:
    """Cancel, retry or delete every job that matches, in the background. With `dry_run` only count the jobs."""
    if bulk.dry_run:
        response.status_code = 200
        count = await service.jobs.count(bulk.action, bulk.filter.filter())
        return BulkCount(matching=count.matching, capped=count.capped)
    operation = await service.jobs.bulk(bulk.action, bulk.filter.filter(), per_second=bulk.per_second)
    state_of(request).operations.wake()
    return operation_answer(operation)


@router.get("/bulk")
async def list_operations(
    service: CurrentService, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> Page[OperationAnswer]:
    """List bulk operations, newest first."""
    return Page(items=[operation_answer(operation) for operation in await service.operations.list(limit=limit)])


@router.get("/bulk/{operation_id}")
async def get_operation(service: CurrentService, operation_id: UUID) -> OperationAnswer:
    """Show a bulk operation and its progress."""
    return operation_answer(await service.operations.get(operation_id))


@router.post("/bulk/{operation_id}/cancel")
async def cancel_operation(service: CurrentService, operation_id: UUID) -> OperationAnswer:
    """Cancel a bulk operation; jobs that it has changed stay changed."""
    return operation_answer(await service.operations.cancel(operation_id))
