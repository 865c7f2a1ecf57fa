"""Jobs that were fetched ahead, in an order that lets tenants take turns."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from headrace.model.job.record import ClaimedJob


def round_robin(jobs: Iterable[ClaimedJob]) -> deque[ClaimedJob]:
    """One of each tenant after the other, each tenant's own in the order they came."""
    of: dict[str, deque[ClaimedJob]] = {}
    for job in jobs:
        of.setdefault(job.tenant, deque()).append(job)
    if len(of) == 1:
        return next(iter(of.values()))
    result: deque[ClaimedJob] = deque()
    lines = deque(of.values())
    while lines:
        line = lines.popleft()
        result.append(line.popleft())
        if line:
            lines.append(line)
    return result
