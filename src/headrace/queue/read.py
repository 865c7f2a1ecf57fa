"""Read: a job as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from headrace.aside import by_size
from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import NotFound
from headrace.model.job.job import Job, JobRecord
from headrace.model.job.status import JobStatus
from headrace.model.payload.stored_json import read_json, read_object
from headrace.model.secret.fields import mask_fields
from headrace.model.secret.schema import read_secret_schema

SQL = statements(__file__)


async def list_jobs(conn: Connection, ids: Sequence[UUID]) -> dict[UUID, JobRecord]:
    """Those of these jobs that are there."""
    rows = await conn.fetch(SQL["list_jobs"], ids)
    return {row["id"]: JobRecord(**{**row, "status": JobStatus(row["status"])}) for row in rows}


async def get_job(conn: Connection, job_id: UUID, *, tenant_id: int | None = None, masked: bool = False) -> Job:
    """The job, or `NotFound`: the same for one that is not there and one that is another tenant's."""
    row = await conn.fetchrow(SQL["get_job"], job_id, tenant_id)
    if row is None:
        raise NotFound(f'unknown job "{job_id}"')
    return await by_size(len(row["payload"]) + len(row["result"] or ""), _job, dict(row), masked=masked)


def _job(row: dict[str, Any], *, masked: bool) -> Job:
    """From a row; the definition's schema says what to mask."""
    schema = row.pop("payload_schema")
    payload = read_object(row["payload"])
    result = None if row["result"] is None else read_json(row["result"])
    if masked:
        payload, result = mask_fields(payload, read_secret_schema(schema)), mask_fields(result)
    return Job(**{**row, "status": JobStatus(row["status"]), "payload": payload, "result": result})


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
