"""Finish: write how runs ended, for those that this worker still holds."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.transition import Transition

SQL = statements(__file__)


async def finish_attempts(
    conn: Connection, *, worker_id: int, transitions: Sequence[Transition]
) -> set[tuple[UUID, int]]:
    """Write a batch; gives back the (job, run) pairs that were accepted. What is missing was no longer ours."""
    columns = list(zip(*transitions, strict=True))
    rows = await conn.fetch(SQL["finish_attempts"], worker_id, *columns)
    return {(row[0], row[1]) for row in rows}
