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
    """Write a batch; gives back the (job, run) pairs that were refused, being no longer ours."""
    if not transitions:
        return set()
    rows = await conn.fetch(SQL["finish_attempts"], worker_id, *_columns(transitions))
    return {(row[0], row[1]) for row in rows}


def _columns(transitions: Sequence[Transition]) -> Sequence[Sequence[object]]:
    """One array for each column; empty ones where every run succeeded and there is nothing to say."""
    job_ids, runs, outcomes, *others, results, details = zip(*transitions, strict=True)
    # Counted, which is done in C, for most batches say nothing.
    n = len(job_ids)
    told = () if details.count(None) == n else details
    if outcomes.count("succeeded") != n:
        return job_ids, runs, outcomes, *others, results, told
    said = () if results.count(None) == n else results
    return job_ids, runs, *([()] * 6), said, told
