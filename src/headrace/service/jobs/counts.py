"""How many jobs of each status a list of them would show, up to a bound."""

from __future__ import annotations

from typing import NamedTuple

from headrace.db.statements import statements
from headrace.service.jobs.summary import read_live
from headrace.service.session import Scope

SQL = statements(__file__)
MOST_COUNTED = 10_000


class StatusCount(NamedTuple):
    """How many; `capped`: at least so many."""

    status: str
    jobs: int
    capped: bool


async def count_statuses(scope: Scope) -> list[StatusCount]:
    """Of a tenant, or of all: live ones as they are or were seconds ago, ended ones by their indexes."""
    live = await read_live(scope)
    if scope.tenant_id is None:
        [ended] = await scope.conn.fetch(SQL["all_ended"], MOST_COUNTED + 1)
    else:
        [ended] = await scope.conn.fetch(SQL["own_ended"], scope.tenant_id, MOST_COUNTED + 1)
    counts = {status: live[status]["jobs"] if status in live else 0 for status in ("scheduled", "queued", "running")}
    return [
        StatusCount(status, min(jobs, MOST_COUNTED), jobs > MOST_COUNTED)
        for status, jobs in {**counts, **ended}.items()
    ]
