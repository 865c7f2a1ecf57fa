"""What the planner makes of a statement, and what running it reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from headrace.db.connect import Connection


class Access(NamedTuple):
    """One way in which a plan reads the queue. Without a condition an index is walked from end to end."""

    node: str
    by: str | None
    condition: bool


async def accesses(conn: Connection, statement: str, *arguments: Any) -> set[Access]:
    """Every way in which the statement's plan for these arguments reads the queue."""
    text = await conn.fetchval(f"explain (format json) {statement}", *arguments)
    return {
        Access(node["Node Type"], node.get("Index Name"), "Index Cond" in node)
        for node in _nodes(json.loads(text)[0]["Plan"])
        if "Scan" in node["Node Type"] and node["Node Type"] != "Bitmap Heap Scan"
        if node.get("Relation Name") == "queue" or str(node.get("Index Name")).startswith("queue_")
    }


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


async def fill(conn: Connection, jobs: int, *, status: str = "queued") -> None:
    """Rows straight into the hot table, with ids that have a partition."""
    first = str(await conn.fetchval("select headrace._first_id(now())"))
    await conn.execute(
        "insert into headrace.queue"
        "       (job_id, seq, tenant_id, lane_id, status, priority, max_attempts, run_at, queued_at)"
        " select ($3 || lpad(to_hex(next), 12, '0'))::uuid, next, 1, 1, $2::text::headrace.job_status, 100, 3,"
        "        case when $2 = 'scheduled' then now() + interval '1 hour' + next * interval '1 second' end,"
        "        case when $2 <> 'scheduled' then now() end"
        "   from (select nextval('headrace.queue_seq') as next from generate_series(1, $1)) as given",
        jobs,
        status,
        first[:24],
    )


async def rows_read(conn: Connection) -> int:
    """How many rows of the queue have been read so far, by whichever way."""
    await conn.execute("select pg_stat_force_next_flush()")
    read: int = await conn.fetchval(
        "select seq_tup_read + coalesce(idx_tup_fetch, 0)"
        "  from pg_stat_user_tables where relid = 'headrace.queue'::regclass"
    )
    return read
