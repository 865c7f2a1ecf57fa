"""`headrace.maintain_partitions`: partitions ahead of time, and no leftovers of ended jobs."""

from __future__ import annotations

from typing import TypedDict

from headrace.builtin.workplace import Workplace
from headrace.db.upkeep import create_partitions, forget_ended
from headrace.logs.prune import create_log_partitions
from headrace.queue.forget import forget_full_buckets, forget_unused_lanes


class Maintained(TypedDict):
    """How many partitions were made."""

    job_partitions: int
    log_partitions: int


async def maintain_partitions(place: Workplace) -> Maintained:
    """Make the partitions of the coming weeks and days, and forget what ended jobs left in small tables."""
    async with place.connection() as conn:
        made = Maintained(
            job_partitions=await create_partitions(conn), log_partitions=await create_log_partitions(conn)
        )
        await forget_ended(conn)
        await forget_full_buckets(conn)
        await forget_unused_lanes(conn)
    return made
