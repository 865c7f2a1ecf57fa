"""The verbs of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from headrace.aside import by_size
from headrace.db.page import fetch_page
from headrace.db.statements import statements
from headrace.errors import BadRequest, Conflict
from headrace.model.job.job import Job, JobRecord
from headrace.model.job.request import JobRequest
from headrace.model.payload.stored_json import read_object
from headrace.model.secret.encrypted_arguments import encrypted_fields
from headrace.model.secret.encryption import decrypt_fields
from headrace.model.secret.schema import read_secret_schema
from headrace.model.secret.unmask import unmask
from headrace.queue.change import cancel_job, replace_job, retry_job
from headrace.queue.read import get_job, list_jobs
from headrace.service.base import TenantService
from headrace.service.jobs.bulk import (
    Action,
    Count,
    Operation,
    count_matching,
    create_operation,
    moment,
    narrowed,
    read_operation,
    write_filter,
)
from headrace.service.jobs.counts import StatusCount, count_statuses
from headrace.service.jobs.enqueue import enqueue_requests
from headrace.service.jobs.filter import JobFilter
from headrace.service.jobs.find import find_ids
from headrace.service.jobs.records import AttemptRecord, read_attempts
from headrace.service.jobs.summary import JobSummary, read_summary
from headrace.service.jobs.why import Reason, read_facts, reasons
from headrace.service.paging import check_limit
from headrace.service.session import Scope

SQL = statements(__file__)
LARGEST_PAGE = 500
FURTHEST_OFFSET = 10_000
ALL = JobFilter()


@dataclass(frozen=True, slots=True)
class JobPage:
    """Jobs, newest first. `searched_to` is set when the page is short because no index answers the filter alone."""

    items: list[JobRecord]
    next_cursor: str | None
    searched_to: datetime | None


class AttemptPage(NamedTuple):
    """Attempts in order, and the run before which the page of earlier ones ends."""

    items: Sequence[AttemptRecord]
    next_cursor: int | None


class Enqueued(NamedTuple):
    """A job, and whether this request made it."""

    job: Job
    created: bool


class Jobs(TenantService):
    """List, read, enqueue, cancel, retry."""

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
        if not 1 <= limit <= LARGEST_PAGE:
            raise BadRequest(f"limit is 1 to {LARGEST_PAGE}, not {limit}", field="limit")
        if not 0 <= offset <= FURTHEST_OFFSET:
            raise BadRequest(f"offset is 0 to {FURTHEST_OFFSET}; continue with next_cursor", field="offset")
        after = None if cursor is None else _cursor(cursor)
        async with self._begin("jobs.list", tenant) as scope:
            page = await find_ids(
                scope.conn, wanted, tenant_id=scope.tenant_id, limit=limit, after=after, offset=offset
            )
            records = await list_jobs(scope.conn, page.ids)
        items = [records[job_id] for job_id in page.ids if job_id in records]
        cursor = None if page.cursor is None else str(page.cursor)
        return JobPage(items, cursor, None if page.looked_to is None else time_of(page.looked_to))

    async def get(self, job_id: UUID, *, tenant: str | None = None) -> Job:
        """The job as it stands, or `NotFound`."""
        async with self._begin("jobs.read", tenant) as scope:
            return await read_job(scope, job_id)

    async def attempts(
        self, job_id: UUID, *, limit: int = 100, before: int | None = None, tenant: str | None = None
    ) -> AttemptPage:
        """What came of the newest runs, or of those before a run, in order."""
        check_limit(limit)
        async with self._begin("jobs.read", tenant) as scope:
            await read_job(scope, job_id)
            place = SQL["list_attempts"], job_id, before, limit + 1
            large = ["result", "detail", "traceback", "error"]
            page = await fetch_page(scope.conn, *place, limit=limit, json_columns=large)
        items = await read_attempts(page.rows[::-1])
        return AttemptPage(items, items[0].run if page.more else None)

    async def enqueue(self, request: JobRequest, *, tenant: str | None = None) -> Enqueued:
        """One job, or the live one that has its key already."""
        async with self._begin("jobs.enqueue", tenant) as scope:
            [(job_id, created)] = await enqueue_requests(self._runtime.secret_box(), scope, [request])
            return Enqueued(await read_job(scope, job_id), created)

    async def enqueue_many(
        self, requests: Sequence[JobRequest], *, tenant: str | None = None
    ) -> Sequence[tuple[UUID, bool]]:
        """Many at once, all or none; gives back the ids in order, each with whether it is new."""
        async with self._begin("jobs.enqueue", tenant) as scope:
            return await enqueue_requests(self._runtime.secret_box(), scope, requests)

    async def cancel(self, job_id: UUID, *, tenant: str | None = None) -> Job:
        """Canceled, or told to stop if it runs; one that has ended stays as it is."""
        async with self._begin("jobs.cancel", tenant) as scope:
            if await cancel_job(scope.conn, job_id):
                await scope.audit(job_id)
            return await read_job(scope, job_id)

    async def retry(self, job_id: UUID, *, payload: Mapping[str, Any] | None = None, tenant: str | None = None) -> Job:
        """Run an ended job again; with another payload as a new job, which replaces one that failed."""
        async with self._begin("jobs.retry", tenant) as scope:
            old = await read_job(scope, job_id)
            if payload is None:
                if not await retry_job(scope.conn, job_id):
                    raise await _not_ended(scope, job_id)
                await scope.audit(job_id)
                return await read_job(scope, job_id)
            place = SQL["place_again"], old.definition, old.queue, old.priority
            [(queue, priority)] = await scope.conn.fetch(*place)
            request = JobRequest(
                definition=old.definition,
                payload=await self._unmasked(scope, payload, old),
                queue=queue,
                priority=priority,
                max_attempts=old.max_attempts,
                correlation_id=old.correlation_id,
            )
            [(new_id, _)] = await enqueue_requests(
                self._runtime.secret_box(), scope, [request], source="retry", source_ref=job_id, tenant=old.tenant
            )
            if not await replace_job(scope.conn, job_id, new_id):
                raise await _not_ended(scope, job_id)
            await scope.audit(job_id, new_job=new_id)
            return await read_job(scope, new_id)

    async def _unmasked(self, scope: Scope, edited: Mapping[str, Any], old: Job) -> dict[str, Any]:
        """With what was masked for the person who edited the rest, in the clear: it is held against the schema."""
        [(text, schema)] = await scope.conn.fetch(SQL["read_payload"], old.id)
        meant = await by_size(len(text), lambda: unmask(dict(edited), old.payload, read_object(text)))
        box, fields = self._runtime.secret_box(), encrypted_fields(read_secret_schema(schema))
        return decrypt_fields(meant, fields, box, tenant=old.tenant, definition=old.definition)

    async def why(self, job_id: UUID, *, tenant: str | None = None) -> Sequence[Reason]:
        """What keeps it from running, the weightiest first."""
        async with self._begin("jobs.why", tenant) as scope:
            return reasons(await read_facts(scope, job_id))

    async def summary(self, *, window: timedelta = timedelta(hours=24), tenant: str | None = None) -> JobSummary:
        """How many jobs there are of each status now, and how many ended within the window."""
        async with self._begin("jobs.summary", tenant) as scope:
            return await read_summary(scope, window)

    async def counts(self, *, tenant: str | None = None) -> Sequence[StatusCount]:
        """How many jobs there are of each status, up to a bound."""
        async with self._begin("jobs.summary", tenant) as scope:
            return await count_statuses(scope)

    async def count(self, action: Action, wanted: JobFilter, *, tenant: str | None = None) -> Count:
        """How many jobs a bulk operation would be about."""
        async with self._begin("jobs.bulk", tenant) as scope:
            return await count_matching(
                scope.conn, narrowed(action, wanted, now=await moment(scope.conn)), scope.tenant_id
            )

    async def bulk(
        self, action: Action, wanted: JobFilter, *, per_second: int | None = None, tenant: str | None = None
    ) -> Operation:
        """Cancel, retry or delete every job that fits; goes on by itself and can be followed and canceled."""
        async with self._begin("jobs.bulk", tenant) as scope:
            meant = narrowed(action, wanted, now=await moment(scope.conn))
            expected = await count_matching(scope.conn, meant, scope.tenant_id)
            who = scope.principal.name
            made = await create_operation(
                scope.conn, scope.tenant_id, action, meant, expected.matching, who, per_second=per_second
            )
            await scope.audit(made, action=action, filter=write_filter(meant), expected=expected.matching)
            return await read_operation(scope.conn, made, scope.tenant_id)


async def read_job(scope: Scope, job_id: UUID) -> Job:
    """The job as people may see it, or `NotFound`."""
    return await get_job(scope.conn, job_id, tenant_id=scope.tenant_id, masked=True)


async def _not_ended(scope: Scope, job_id: UUID) -> Conflict:
    """What it is by now: somebody else may have retried it meanwhile."""
    job = await read_job(scope, job_id)
    return Conflict(f'job "{job_id}" is {job.status}: only a job that has ended can be retried')


def time_of(job_id: UUID) -> datetime:
    """When an id was made."""
    return datetime.fromtimestamp((job_id.int >> 80) / 1000, UTC)


def _cursor(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise BadRequest("the cursor does not come from a list", field="cursor") from None
