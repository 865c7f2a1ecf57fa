"""How long lists, filters, summaries, metrics and log searches take with a long history and a million waiting."""

from __future__ import annotations

import statistics
import time
from typing import Any, NamedTuple

import httpx

from bench.lines import Line, Scale, at_most
from bench.logs import QUERIES, Query, fill_lines
from bench.over_http import serving
from bench.stage import Stage
from headrace import Headrace
from headrace.rollups.fold import fold_deltas
from headrace.rollups.sample import sample_queue
from headrace.service import Service

TENANTS = 40
DEFINITIONS = 40
WEEKS = 4
CHUNK = 250_000
ROUNDS = 20

PAST_WEEKS = """
    select headrace._create_partition(lower_bound - n * interval '168 hours',
                                      lower_bound - (n - 1) * interval '168 hours')
      from (select min(lower_bound) as lower_bound from headrace.partition) as first, generate_series(1, $1::int) as n
"""
# From the oldest to the newest, over the weeks before now. Half belong to one tenant, a ten-thousandth to "tenant40";
# one in a hundred failed, died or was canceled each; one in twenty comes of a trigger, one in ten is of a group.
ENDED = """
    with numbered as (
      select n, now() - (($3::int - n)::float8 / $3::int) * $4 * interval '167 hours' as at,
             case when n % 10000 = 7 then 40 when n % 2 = 0 then 1 else 2 + n % 38 end as tenant,
             case n % 100 when 1 then 'failed' when 2 then 'dead_letter' when 3 then 'canceled'
                          else 'succeeded' end as final
        from generate_series($1::int, $2::int) as n),
    made as (
      select numbered.*, t.id as tenant_id, lane.id as lane_id, lane.definition_id,
             (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008'
              || lpad(to_hex(n), 15, '0'))::uuid as id
        from numbered
        join headrace.tenant as t on t.name = 'tenant' || tenant
        join headrace.definition as d on d.key = 'definition' || n % 40
        join headrace.lane on lane.definition_id = d.id),
    jobs as (
      insert into headrace.job (id, tenant_id, definition_id, lane_id, priority, max_attempts, payload, source,
                                source_ref, correlation_id, created_at)
      select id, tenant_id, definition_id, lane_id, 100, 3, jsonb_build_object('n', n), 'api',
             case when n % 20 = 0 then ('00000000-0000-4000-8000-' || lpad(to_hex(n % 400), 12, '0'))::uuid end,
             case when n % 10 = 0 then 'group ' || n / 50 end, at
        from made)
    insert into headrace.attempt (job_id, run, tenant_id, lane_id, worker_id, outcome, final, spent, queued_at,
                                  started_at, finished_at, error)
    select id, 1, tenant_id, lane_id, 1, case final when 'succeeded' then 'succeeded' when 'canceled' then 'canceled'
           else 'failed' end::headrace.attempt_outcome, final::headrace.job_status, 1, at, at, at + interval '1 second',
           case when final in ('failed', 'dead_letter') then 'TimeoutError: no answer from host ' || n % 1000 end
      from made
"""
ROLLUPS = """
    insert into headrace.rollup (minute, tenant_id, definition_id, succeeded, failed, runs, latency_buckets,
                                 duration_buckets)
    select minute, t.id, d.id, 5, 1, 6, array_fill(1, array[cardinality(headrace.histogram_bounds()) + 1]),
           array_fill(1, array[cardinality(headrace.histogram_bounds()) + 1])
      from generate_series(date_trunc('minute', now()) - interval '24 hours', now(), interval '1 minute') as minute,
           (select id from headrace.tenant where name in ('tenant1', 'tenant2', 'tenant3')) as t,
           (select id from headrace.definition where key like 'definition_' ) as d
    on conflict do nothing
"""


EVENTS = """
    insert into headrace.event (id, tenant_id, name, data, emitted_at)
    select headrace._first_id(now() - n * interval '1 second'), t.id, 'order.paid', '{"amount": 1}', now()
      from generate_series(1, $1::int) as n
      join headrace.tenant as t on t.name = case when n % 10000 = 7 then 'tenant40' else 'tenant1' end
"""

HOURS = ROLLUPS.replace("headrace.rollup (minute,", "headrace.rollup_hour (hour,").replace("'minute'", "'hour'")
HOURS = HOURS.replace("1 minute", "1 hour").replace("24 hours", "30 days")


class Request(NamedTuple):
    """What is asked, by whom."""

    name: str
    path: str
    tenant: str | None = None
    params: dict[str, Any] = {}  # noqa: RUF012 - never changed


def _log_search(query: Query) -> Request:
    filters = {name: value for name, value in query.filters.items() if name != "tenant"}
    params = {"query": query.text, **filters}
    return Request(f"log search, {query.name}", "/api/v1/logs", query.filters.get("tenant"), params)


REQUESTS = (
    Request("list, all tenants", "/api/v1/jobs"),
    Request("list, the large tenant", "/api/v1/jobs", "tenant1"),
    Request("list, the small tenant", "/api/v1/jobs", "tenant40"),
    Request("list, 500 jobs", "/api/v1/jobs", "tenant1", {"limit": 500}),
    *(
        Request(f"list, {status}, {tenant or 'all tenants'}", "/api/v1/jobs", tenant, {"status": status})
        for status in ("succeeded", "failed", "dead_letter", "canceled", "queued", "running", "scheduled")
        for tenant in (None, "tenant1", "tenant40")
    ),
    Request("list, failed and queued", "/api/v1/jobs", "tenant1", {"status": ["failed", "queued"]}),
    Request("list, a definition", "/api/v1/jobs", "tenant1", {"definition": "definition4"}),
    Request("list, a definition of all tenants", "/api/v1/jobs", None, {"definition": "definition4"}),
    Request("list, a trigger", "/api/v1/jobs", None, {"trigger": "00000000-0000-4000-8000-000000000014"}),
    Request("list, a correlation", "/api/v1/jobs", None, {"correlation_id": "group 1000"}),
    Request("list, text of an error (bounded)", "/api/v1/jobs", "tenant2", {"q": "host 77"}),
    Request("list, a worker (bounded)", "/api/v1/jobs", None, {"worker": "1"}),
    Request("list, absent text (bounded)", "/api/v1/jobs", None, {"q": "no such text", "status": "failed"}),
    Request("list, offset 10,000", "/api/v1/jobs", "tenant1", {"offset": 10_000}),
    Request("summary, all tenants", "/api/v1/jobs/summary"),
    Request("summary, a tenant", "/api/v1/jobs/summary", "tenant1"),
    Request("metrics", "/metrics"),
    *(_log_search(query) for query in QUERIES),
    Request("log search, any line", "/api/v1/logs"),
    Request("log search, a word of one tenant's lines", "/api/v1/logs", "default", {"query": "throttled"}),
    Request("events of the small tenant", "/api/v1/events", "tenant40"),
    Request("throughput of a day", "/api/v1/charts/throughput", None, {"window": "24h"}),
)


async def measure_history(stage: Stage, scale: Scale) -> list[Line]:
    """The slowest of twenty but one, of each kind of request."""
    jobs, waiting = scale.million * 10, scale.million
    await stage.clear()
    await fill_history(stage, jobs, waiting)
    await stage.db.execute("truncate headrace.log")
    await fill_lines(stage, scale.lines)
    # Not the application of the other scenarios: what those have open stays as it is.
    async with Headrace(stage.endpoint.url, app="bench history") as app:
        token = (await Service(app).tokens.create("bench", "super_admin")).token
    headers = {"Authorization": f"Bearer {token}"}
    async with serving(stage) as url, httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
        lines = [await _measure(client, request, jobs) for request in REQUESTS]
    await stage.db.execute("truncate headrace.queue, headrace.job, headrace.attempt, headrace.queue_sample")
    await stage.db.execute("truncate headrace.event, headrace.log")
    return lines


async def fill_history(stage: Stage, jobs: int, waiting: int) -> None:
    """Jobs that ended, over four weeks up to now, and jobs that wait."""
    await stage.db.execute(PAST_WEEKS, WEEKS)
    await stage.db.execute(
        "insert into headrace.tenant (name) select 'tenant' || n from generate_series(1, $1::int) as n", TENANTS
    )
    for n in range(DEFINITIONS):
        await stage.db.execute(
            "insert into headrace.definition (key, kind, app, hash) values ($1, 'python', 'elsewhere', '-')",
            f"definition{n}",
        )
        await stage.db.execute(
            "select headrace._lane('default', (select id from headrace.definition where key = $1))", f"definition{n}"
        )
    for first in range(1, jobs + 1, CHUNK):
        await stage.db.execute(ENDED, first, min(first + CHUNK - 1, jobs), jobs, float(WEEKS))
    await stage.db.execute(ROLLUPS)
    await stage.db.execute(HOURS)
    await stage.db.execute(EVENTS, waiting)
    await stage.fill(waiting, definition="definition1")
    await stage.db.execute(
        "vacuum (analyze) headrace.job, headrace.attempt, headrace.queue, headrace.event, headrace.rollup"
    )
    await stage.db.execute("checkpoint")
    await fold_deltas(stage.db)
    await sample_queue(stage.db)


async def _measure(client: httpx.AsyncClient, request: Request, jobs: int) -> Line:
    headers = {"X-Headrace-Tenant": request.tenant} if request.tenant else {}
    await client.get(request.path, params=request.params, headers=headers)  # opens a connection, plans
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = await client.get(request.path, params=request.params, headers=headers)
        times.append((time.perf_counter() - began) * 1000)
        assert answer.status_code == 200, answer.text
    p95 = statistics.quantiles(times, n=20)[-1]
    bound = 50 if request.path == "/metrics" else 100
    return at_most(f"{jobs:,} jobs: {request.name} (p95)", p95, "ms", bound)
