"""Finish: write how runs ended, for those that this worker still holds."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.job.transition import Transition

SQL = statements(__file__)
UNREADABLE_AFTER = 900.0


async def finish_attempts(
    conn: Connection,
    *,
    worker_id: int,
    transitions: Sequence[Transition],
    unreadable_after: float = UNREADABLE_AFTER,
) -> set[tuple[UUID, int]]:
    """Write a batch; gives back the (job, run) pairs that were refused, being no longer ours.

    A job that nobody could read for `unreadable_after` seconds is a dead letter.
    """
    if not transitions:
        return set()
    columns = _columns(transitions)
    if "unreadable" in columns[2]:  # empty where every run succeeded
        # Before they are given back: whoever is noted is not to take them again.
        unread = [ended.job_id for ended in transitions if ended.outcome == "unreadable"]
        await conn.execute(SQL["note_misfits"], worker_id, unread)
    rows = await conn.fetch(SQL["finish_attempts"], worker_id, *columns, unreadable_after)
    return {(row[0], row[1]) for row in rows}


def _columns(transitions: Sequence[Transition]) -> Sequence[Sequence[object]]:
    """One array for each column; empty ones where every run succeeded and there is nothing to say."""
    job_ids, runs, outcomes, *others, results, details = zip(*transitions, strict=True)
    # Counted, which is done in C, for most batches say nothing.
    n = len(job_ids)
    detail_column = () if details.count(None) == n else details
    if outcomes.count("succeeded") != n:
        return job_ids, runs, outcomes, *others, results, detail_column
    result_column = () if results.count(None) == n else results
    return job_ids, runs, *([()] * 6), result_column, detail_column
