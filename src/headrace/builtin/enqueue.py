"""Enqueue a system job, in the caller's own transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.model.system import SYSTEM_TENANT

SQL = statements(__file__)


async def enqueue_system_job(
    conn: Connection,
    key: str,
    payload: Mapping[str, Any] | None = None,
    *,
    dedupe_key: str | None = None,
    created_by: str | None = None,
) -> UUID:
    """The job's id, or that of the live one with its key. Workers are told to look for it at once."""
    text = json.dumps(dict(payload or {}))
    with translated_errors():
        job_id: UUID = await conn.fetchval(SQL["enqueue_system_job"], key, text, SYSTEM_TENANT, dedupe_key, created_by)
    await conn.execute(SQL["tell_workers"])
    return job_id
