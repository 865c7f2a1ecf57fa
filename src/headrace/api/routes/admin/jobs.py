"""`/admin/jobs`: jobs of all tenants."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import Query
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors
from headrace.api.routes.jobs.requests import WINDOWS, JobQuery, Window
from headrace.api.routes.jobs.responses import JobsAnswer, SummaryAnswer, jobs_answer, summary_answer
from headrace.api.schemas import Text
from headrace.service.jobs.filter import JobFilter

router = new_router(prefix="/admin/jobs", tags=["jobs"])


class AllJobsQuery(JobQuery):
    """The filters of a tenant's list, and the tenant."""

    tenant: Text | None = Field(default=None, max_length=100, description="a tenant's name; all when absent")

    def filter(self) -> JobFilter:
        """What the service is asked for."""
        return JobQuery(**self.model_dump(exclude={"tenant"})).filter()


@router.get("/summary")
async def get_summary_of_all(service: CurrentService, window: Window = "24h") -> SummaryAnswer:
    """Count the jobs of all tenants by status."""
    return summary_answer(await service.all_jobs.summary(window=timedelta(hours=WINDOWS[window])))


@router.get("")
async def list_all_jobs(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[AllJobsQuery, Query()]
) -> JobsAnswer:
    """List the jobs of all tenants, newest first."""
    cursor = await cursors.read(query.cursor)
    page = await service.all_jobs.list(
        query.filter(), limit=query.limit, cursor=cursor, offset=query.offset, tenant=query.tenant
    )
    return await jobs_answer(page, cursors)
