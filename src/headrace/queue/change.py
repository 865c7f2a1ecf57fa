"""Change: what a person may do to a job."""

from __future__ import annotations

from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements

SQL = statements(__file__)


async def cancel_job(conn: Connection, job_id: UUID) -> bool:
    """True when it is canceled or told to stop; false when it had already ended."""
    with translated_errors():
        return bool(await conn.fetchval(SQL["cancel"], job_id))


async def replace_job(conn: Connection, job_id: UUID, new_job_id: UUID) -> bool:
    """True when it had ended, and what failed of it is closed for the new job; false when it has not ended."""
    with translated_errors():
        return bool(await conn.fetchval(SQL["replace"], job_id, new_job_id))


async def retry_job(conn: Connection, job_id: UUID) -> bool:
    """True when it waits to run again; false when it has not ended."""
    with translated_errors():
        return bool(await conn.fetchval(SQL["retry"], job_id))
