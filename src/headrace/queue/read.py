"""Read: a job as it stands."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import NotFound
from headrace.model.job.record import Job
from headrace.model.job.status import JobStatus
from headrace.model.payload.stored_json import read_json, read_object

SQL = statements(__file__)


async def get_job(conn: Connection, job_id: UUID) -> Job:
    """The job, or `NotFound`."""
    row = await conn.fetchrow(SQL["get_job"], job_id)
    if row is None:
        raise NotFound(f'unknown job "{job_id}"')
    fields = dict(row)
    fields["status"] = JobStatus(fields["status"])
    fields["payload"] = read_object(fields["payload"])
    fields["result"] = None if fields["result"] is None else read_json(fields["result"])
    return Job(**fields)


async def job_status(conn: Connection, job_id: UUID) -> JobStatus | None:
    """Only its status: cheaper than the whole."""
    status = await conn.fetchval(SQL["job_status"], job_id)
    return None if status is None else JobStatus(status)


async def register_waiter(conn: Connection, job_id: UUID, waiter_id: UUID, *, good_for: timedelta) -> None:
    """Ask to be notified of the job's end."""
    await conn.execute(SQL["register_waiter"], job_id, waiter_id, good_for)


async def forget_waiter(conn: Connection, job_id: UUID, waiter_id: UUID) -> None:
    """Nobody waits here any more."""
    await conn.execute(SQL["forget_waiter"], job_id, waiter_id)
