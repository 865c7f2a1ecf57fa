"""Rows of a week in which something must stay: all that belongs to a job goes with it, by indexes, a few at a time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from tests.retention.history import DAY, Past

from headrace.model.retention import Keep
from headrace.retention.prune import PruneLimits, prune_jobs
from headrace.retention.rows import SQL

KEEP = Keep(jobs=30 * DAY, dead_letters=60 * DAY)


def scans(plan: dict[str, Any]) -> Iterator[str]:
    """Tables that a plan reads from end to end."""
    if plan["Node Type"] == "Seq Scan":
        yield plan["Relation Name"]
    for child in plan.get("Plans", ()):
        yield from scans(child)


async def test_lines_progress_and_keys_go_with_their_job(past: Past) -> None:
    await past.db.execute(
        "select headrace._create_log_partition(now() - interval '60 days', now() - interval '20 days')"
    )
    jobs = [await past.job(age=40 * DAY, idempotency_key=f"k{n}", runs=2) for n in range(3)]
    kept = await past.job(age=40 * DAY, final="dead_letter", idempotency_key="kept")
    for job_id in (*jobs, kept):
        await past.db.execute("insert into headrace.progress (job_id, fraction) values ($1, 1)", job_id)
        await past.db.execute(
            "insert into headrace.log (tenant_id, definition_id, job_id, run, seq, at, level, stream, message)"
            " select tenant_id, definition_id, id, 1, 1, now() - interval '40 days', 20, 0, 'said' from headrace.job"
            " where id = $1",
            job_id,
        )
    done = await prune_jobs(past.db, KEEP, PruneLimits(batch=2, rest=0))
    assert done.jobs == {"work": 3}
    assert await past.jobs() == {kept}
    assert await past.leftovers() == []
    for table in ("attempt", "idempotency", "progress", "log"):
        assert await past.db.fetchval(f"select count(*) from headrace.{table}") == 1, table


async def test_a_prune_that_runs_out_of_time_says_so_and_the_next_goes_on(past: Past) -> None:
    for _ in range(3):
        await past.job(age=40 * DAY)
    kept = await past.job(age=40 * DAY, final="dead_letter")
    done = await prune_jobs(past.db, KEEP, PruneLimits(batch=1, rest=0, until=time.monotonic()))
    assert not done.complete
    assert (await prune_jobs(past.db, KEEP, PruneLimits(rest=0))).complete
    assert await past.jobs() == {kept}


async def test_progress_is_reported(past: Past) -> None:
    await past.job(age=40 * DAY)
    heard: list[float] = []
    await prune_jobs(past.db, KEEP, PruneLimits(rest=0), report=heard.append)
    assert heard
    assert heard == sorted(heard)
    assert 0 <= min(heard) <= max(heard) < 1


async def test_a_batch_finds_its_jobs_by_an_index_of_one_week(past: Past) -> None:
    await past.db.execute(
        "insert into headrace.job (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source,"
        " created_at) select (substr(headrace._first_id(now() - interval '40 days')::text, 1, 24)"
        " || lpad(to_hex(n), 12, '0'))::uuid, 1, d.id, l.id, 100, 3, '{}', 'sql', now() - interval '40 days'"
        " from headrace.definition as d join headrace.lane as l on l.definition_id = d.id,"
        " generate_series(1, 20000) as n where d.key = 'work'"
    )
    await past.db.execute(
        "insert into headrace.attempt (job_id, run, tenant_id, lane_id, worker_id, outcome, final, spent, started_at,"
        " finished_at) select id, 1, 1, lane_id, 1, 'succeeded', 'succeeded', 1, created_at, created_at"
        "  from headrace.job"
    )
    await past.db.execute("analyze headrace.job; analyze headrace.attempt")
    first, end, cutoff = await past.db.fetchrow(  # type: ignore[misc] # one row
        "select headrace._first_id(lower_bound), headrace._first_id(upper_bound), now() - interval '30 days'"
        "  from headrace.partition where lower_bound < now() - interval '40 days' order by lower_bound desc limit 1"
    )
    definition = await past.db.fetchval("select id from headrace.definition where key = 'work'")
    text = await past.db.fetchval(
        f"explain (format json) {SQL['delete_batch']}", definition, first, end, cutoff, cutoff, 500
    )
    assert set(scans(json.loads(text)[0]["Plan"])) <= {"progress", "idempotency"}  # which are empty here
