"""What is sent about jobs."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from headrace.api.schemas import Name, RequestModel, Text
from headrace.model.job.request import JobRequest
from headrace.model.job.status import JobStatus
from headrace.model.time.timestamps import Moment
from headrace.service.jobs.enqueue import LARGEST_BATCH
from headrace.service.jobs.filter import JobFilter

Window = Literal["1h", "6h", "24h", "7d", "30d"]
WINDOWS: dict[Window, int] = {"1h": 1, "6h": 6, "24h": 24, "7d": 168, "30d": 720}


class Batch(RequestModel):
    """Jobs to enqueue together, all or none."""

    jobs: list[JobRequest] = Field(max_length=LARGEST_BATCH)


class RetryRequest(RequestModel):
    """How to run a job again."""

    payload: dict[str, Any] | None = Field(
        default=None,
        description="another payload: makes a new job, which replaces this one if it failed; masked values are kept",
    )


class FilterRequest(RequestModel):
    """Which jobs; all must hold."""

    definition: Name | None = None
    queue: Name | None = None
    source: Text | None = None
    trigger: UUID | None = Field(default=None, description="made by this trigger, at its times or by its events")
    event: UUID | None = Field(default=None, description="made by triggers of this event")
    correlation_id: Text | None = None
    worker: Text | None = Field(default=None, description="a worker's name or number; looks at a bounded window")
    q: Text | None = Field(default=None, min_length=1, max_length=200, description="text of an error, within a window")
    created_after: Moment | None = None
    created_before: Moment | None = None
    include_system: bool = Field(default=False, description="Headrace's own jobs too, for super-admins")


class JobQuery(FilterRequest):
    """Filters of a list; all must hold."""

    status: list[JobStatus] = Field(default=[], description="any of these")
    limit: int = Field(default=50, ge=1, le=500)
    cursor: UUID | None = Field(default=None, description="`next_cursor` of the page before")
    offset: int = Field(default=0, ge=0, le=10_000)

    def filter(self) -> JobFilter:
        """What the service is asked for."""
        chosen = self.model_dump(exclude={"limit", "cursor", "offset", "status"})
        return JobFilter(status=tuple(self.status), **chosen)


class BulkFilter(FilterRequest):
    """Which jobs; all must hold."""

    status: list[JobStatus] = Field(
        default=[], description="cancel: live ones by default; retry: failed and dead_letter; delete: must be said"
    )
    ids: list[UUID] = Field(default=[], max_length=1000, description="of these only")

    def filter(self) -> JobFilter:
        """What the service is asked for."""
        chosen = self.model_dump(exclude={"status", "ids"})
        return JobFilter(status=tuple(self.status), ids=tuple(self.ids), **chosen)


class Bulk(RequestModel):
    """A change to every job that fits."""

    action: Literal["cancel", "retry", "delete"]
    filter: BulkFilter = BulkFilter()
    per_second: int | None = Field(default=None, ge=1, le=1000, description="at most; as fast as it goes by default")
    dry_run: bool = Field(default=False, description="only count what it would be about")
