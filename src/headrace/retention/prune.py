"""Prune: what may go, week by week from the oldest; or a preview of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.log import get_logger
from headrace.model.retention import Keep, Policy
from headrace.retention.policy import Policies, read_policies
from headrace.retention.pruned import Pruned
from headrace.retention.remove import remove_leaving
from headrace.retention.rows import count_rows, count_week, delete_batch
from headrace.retention.week import Week, list_weeks, mark_leaving, nothing_must_stay, touched

log = get_logger("headrace.retention")
BATCH = 500
# After each batch a rest, this many times as long as it took: others come first.
REST = 1.0


class PruneLimits(NamedTuple):
    """How a prune goes about it; `until` is by the monotonic clock."""

    batch: int = BATCH
    rest: float = REST
    until: float = float("inf")

    @property
    def over(self) -> bool:
        """Whether its time is up."""
        return time.monotonic() > self.until


NO_LIMITS = PruneLimits()


async def preview_prune(conn: Connection, keep: Keep) -> Pruned:
    """What a prune would remove now."""
    pruned = Pruned()
    policies = await read_policies(conn, keep)
    for week in await _old_weeks(conn, policies):
        if await nothing_must_stay(conn, week, policies):
            pruned.add_week(week, await count_week(conn, week))
        else:
            for policy in await touched(conn, week, policies):
                pruned.add(policy.definition, await count_rows(conn, week, policy), week)
    return pruned


async def prune_jobs(
    conn: Connection, keep: Keep, limits: PruneLimits = NO_LIMITS, *, report: Callable[[float], None] = lambda _: None
) -> Pruned:
    """Remove it. Not within a transaction; `report` hears how far it is."""
    pruned = Pruned()
    await remove_leaving(conn)
    policies = await read_policies(conn, keep)
    weeks = await _old_weeks(conn, policies)
    for nth, week in enumerate(weeks):
        report(nth / len(weeks))
        if not await _prune_whole(conn, week, policies, pruned):
            await _prune_rows(conn, week, policies, limits, pruned)
        if limits.over:
            pruned.complete = False
            break
    return pruned


async def _old_weeks(conn: Connection, policies: Policies) -> list[Week]:
    """Those in which something may have run out of time."""
    return [week for week in await list_weeks(conn) if not week.leaving and week.lower_bound < policies.newest]


async def _prune_whole(conn: Connection, week: Week, policies: Policies, pruned: Pruned) -> bool:
    if not await nothing_must_stay(conn, week, policies):
        return False
    counts = await count_week(conn, week)
    if not await mark_leaving(conn, week, policies):
        return False
    await remove_leaving(conn)
    pruned.add_week(week, counts)
    log.info("job partition dropped", week=f"{week.lower_bound:%Y-%m-%d}", jobs=sum(counts.values()))
    return True


async def _prune_rows(conn: Connection, week: Week, policies: Policies, limits: PruneLimits, pruned: Pruned) -> None:
    for policy in await touched(conn, week, policies):
        async for jobs in _batches(conn, week, policy, limits):
            pruned.add(policy.definition, jobs, week)


async def _batches(conn: Connection, week: Week, policy: Policy, limits: PruneLimits) -> AsyncIterator[int]:
    """How many each batch removed."""
    after = week.first
    while not limits.over:
        began = time.monotonic()
        gone = await delete_batch(conn, week, policy, after=after, most=limits.batch)
        yield gone.jobs
        if gone.last is None or gone.jobs < limits.batch:
            return
        after = UUID(int=gone.last.int + 1)
        await asyncio.sleep((time.monotonic() - began) * limits.rest)
