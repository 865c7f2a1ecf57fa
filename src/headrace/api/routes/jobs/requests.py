"""What is sent about jobs."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from headrace.api.paging import Cursor
from headrace.api.schemas import Name, RequestModel, Text
from headrace.model.job.request import JobRequest
from headrace.model.job.status import StatusWord, statuses_of
from headrace.model.time.timestamps import Moment
from headrace.service.jobs.enqueue import LARGEST_BATCH
from headrace.service.jobs.filter import JobFilter

Window = Literal["1h", "6h", "24h", "7d", "30d"]
WINDOWS: dict[Window, int] = {"1h": 1, "6h": 6, "24h": 24, "7d": 168, "30d": 720}


class Batch(RequestModel):
    """Jobs to enqueue together, all or none."""

    jobs: list[JobRequest] = Field(fail_fast=True, max_length=LARGEST_BATCH)


class RetryRequest(RequestModel):
    """How to retry a job."""

    payload: dict[str, Any] | None = Field(
        default=None,
        description="another payload, which makes a new job in place of a failed one; masked values are kept",
    )


class FilterRequest(RequestModel):
    """Filters of jobs; all must match."""

    definition: Name | None = None
    queue: Name | None = None
    source: Text | None = Field(default=None, max_length=200)
    trigger: UUID | None = Field(default=None, description="only jobs of this trigger")
    event: UUID | None = Field(default=None, description="only jobs of this event")
    correlation_id: Text | None = Field(default=None, max_length=500)
    worker: Text | None = Field(
        default=None, max_length=200, description="a worker's name or number; searches a bounded window"
    )
    q: Text | None = Field(
        default=None, min_length=1, max_length=200, description="text of an error; searches a bounded window"
    )
    created_after: Moment | None = None
    created_before: Moment | None = None
    include_system: bool = Field(default=False, description="whether to include Headrace's own jobs, for super-admins")


class JobQuery(FilterRequest):
    """Filters of a list; all must match."""

    status: list[StatusWord] = Field(
        fail_fast=True,
        default=[],
        description="statuses, of which a job has any; unsuccessful stands for failed and dead_letter",
    )
    limit: int = Field(default=50, ge=1, le=500)
    cursor: Cursor = None
    offset: int = Field(default=0, ge=0, le=10_000)

    def filter(self) -> JobFilter:
        """What the service is asked for."""
        chosen = self.model_dump(exclude={"limit", "cursor", "offset", "status"})
        return JobFilter(status=statuses_of(self.status), **chosen)


class BulkFilter(FilterRequest):
    """Filters of jobs; all must match."""

    status: list[StatusWord] = Field(
        fail_fast=True,
        default=[],
        description="statuses; by default live jobs for cancel, failed and dead_letter for retry; required for delete",
    )
    ids: list[UUID] = Field(fail_fast=True, default=[], max_length=1000, description="only jobs with these ids")

    def filter(self) -> JobFilter:
        """What the service is asked for."""
        chosen = self.model_dump(exclude={"status", "ids"})
        return JobFilter(status=statuses_of(self.status), ids=tuple(self.ids), **chosen)


class Bulk(RequestModel):
    """A bulk operation on every job that matches."""

    action: Literal["cancel", "retry", "delete"]
    filter: BulkFilter = BulkFilter()
    per_second: int | None = Field(
        default=None, ge=1, le=1000, description="the most jobs a second; no limit by default"
    )
    dry_run: bool = Field(default=False, description="whether to only count the matching jobs")
