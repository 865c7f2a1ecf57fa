"""Jobs of all tenants, for who operates the server."""

from __future__ import annotations

from datetime import timedelta

from headrace.service.base import ServerService
from headrace.service.jobs import Jobs
from headrace.service.jobs.filter import JobFilter
from headrace.service.jobs.service import ALL, JobPage
from headrace.service.jobs.summary import JobSummary
from headrace.service.permissions import authorise


class AllJobs(ServerService):
    """The lists of `Jobs`, over all tenants or one of them."""

    async def summary(self, *, window: timedelta = timedelta(hours=24)) -> JobSummary:
        """How many there are of each status."""
        authorise(self._principal, "jobs.list_all")
        return await Jobs(self._runtime, self._principal).summary(window=window)

    async def list(
        self,
        wanted: JobFilter = ALL,
        *,
        limit: int = 50,
        cursor: str | None = None,
        offset: int = 0,
        tenant: str | None = None,
    ) -> JobPage:
        """A page of jobs that fit, newest first."""
        authorise(self._principal, "jobs.list_all")
        jobs = Jobs(self._runtime, self._principal)
        return await jobs.list(wanted, limit=limit, cursor=cursor, offset=offset, tenant=tenant)
