"""Week: one partition of jobs and attempts, and whether it can go as a whole."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.job.ids import first_id
from headrace.model.retention import Policy
from headrace.retention.policy import Policies

SQL = statements(__file__)


class Week(NamedTuple):
    """From one id up to another. `bytes` is what its tables and indexes take, `jobs` about how many it has."""

    lower_bound: datetime
    upper_bound: datetime
    leaving: bool
    is_past: bool
    bytes: int
    jobs: int

    @property
    def first(self) -> UUID:
        return first_id(self.lower_bound)

    @property
    def end(self) -> UUID:
        return first_id(self.upper_bound)


async def list_weeks(conn: Connection) -> list[Week]:
    """All there are, oldest first."""
    return [Week(*row) for row in await conn.fetch(SQL["list_weeks"])]


async def nothing_must_stay(conn: Connection, week: Week, policies: Policies) -> bool:
    """Whether all of a week that is over can go: no live job, nothing that is still in its time or among the last."""
    # Most of what ended stays in a week of which the end does: not worth a look.
    if not week.is_past or week.upper_bound > policies.newest:
        return False
    staying = await conn.fetchval(SQL["must_stay"], week.first, week.end, *columns(policies.all))
    return not staying


async def mark_leaving(conn: Connection, week: Week, policies: Policies) -> bool:
    """From here on nobody retries a job of it. False when somebody has done so since the policies were read."""
    marking = conn.transaction()
    await marking.start()
    try:
        await conn.execute(SQL["mark_leaving"], week.lower_bound)
        # A statement of its own: it sees whatever the mark has waited for.
        changed = await conn.fetchval(SQL["changed_since"], week.first, week.end, policies.now)
    except BaseException:
        await marking.rollback()
        raise
    await (marking.rollback() if changed else marking.commit())
    return not changed


async def touched(conn: Connection, week: Week, policies: Policies) -> list[Policy]:
    """Those whose definitions have jobs in the week that may go."""
    ids = [policy.definition_id for policy in policies.all]
    bounds = [min(policy.bound, week.end) for policy in policies.all]
    found = {row[0] for row in await conn.fetch(SQL["touched"], week.first, week.end, ids, bounds)}
    return [policy for policy in policies.all if policy.definition_id in found]


def columns(policies: list[Policy]) -> tuple[list[int], list[datetime], list[datetime], list[UUID]]:
    """As arrays."""
    return (
        [policy.definition_id for policy in policies],
        [policy.ended_before for policy in policies],
        [policy.dead_before for policy in policies],
        [policy.keep_from for policy in policies],
    )
