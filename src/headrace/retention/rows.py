"""Rows: a few jobs at a time, with all that belongs to them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.retention import Policy
from headrace.retention.week import Week

SQL = statements(__file__)
# A line's time is reckoned by its writer.
LATE_LINES = timedelta(hours=1)


class Gone(NamedTuple):
    """How many jobs went, and the last of them: the next batch begins behind it."""

    jobs: int
    last: UUID | None


async def delete_batch(conn: Connection, week: Week, policy: Policy, *, after: UUID, most: int) -> Gone:
    """Jobs of one definition that may go, in order of their ids. One that somebody is just retrying is left alone."""
    async with conn.transaction():
        [row] = await conn.fetch(SQL["delete_batch"], *_range(week, policy, after), most)
        ids: list[UUID] | None = row["ids"]
        if ids is None:
            return Gone(0, None)
        await conn.execute(SQL["delete_lines"], ids, row["began"], row["ended"] + LATE_LINES)
        return Gone(len(ids), max(ids))


async def count_rows(conn: Connection, week: Week, policy: Policy) -> int:
    """How many that would be."""
    counted: int = await conn.fetchval(SQL["count_rows"], *_range(week, policy, week.first))
    return counted


async def count_week(conn: Connection, week: Week) -> dict[str, int]:
    """How many jobs of each definition a whole week has."""
    return {row[0]: row[1] for row in await conn.fetch(SQL["count_week"], week.first, week.end)}


def _range(week: Week, policy: Policy, after: UUID) -> tuple[int, UUID, UUID, datetime, datetime]:
    bound = min(week.end, policy.bound)
    return policy.definition_id, after, bound, policy.ended_before, policy.dead_before
