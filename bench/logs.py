"""How many log lines a second are stored, and how long a search through millions of them takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Any, NamedTuple

from bench.lines import Line, Scale, at_least, at_most
from bench.stage import Stage
from headrace.logs.search import SearchPage, search
from headrace.logs.write import write_lines
from headrace.model.log.line import LogLine
from headrace.queue.claim import Held, claim_jobs

ROUNDS = 5
JOBS = 100
FLUSH = 1000
DAYS = 10

# Days gone by, as many as are missing, each a partition like any other.
PAST_DAYS = """
    select headrace._create_log_partition(lower_bound - n * interval '1 day', lower_bound - (n - 1) * interval '1 day')
      from (select min(lower_bound) as lower_bound from headrace.log_partition) as first,
           generate_series(1, $1::int) as n
     where lower_bound - (n - 1) * interval '1 day' > now() - $1::int * interval '1 day'
"""
# Ten days up to now. Each line has "worker" and "get"; half have "request", one in a thousand "throttled", ten in all
# "needle", and the oldest tenth "legacy". A thousandth belongs to the tenant "small", a hundredth are errors.
FILL = """
    insert into headrace.log (tenant_id, definition_id, job_id, run, seq, at, level, stream, message)
    select case when n % 1000 = 8 then $5 else 1 end, 1 + n % 2,
           headrace._first_id(now() - n / 100 * interval '1 second'), 1, 1 + n % 100,
           now() - (n::float8 / $3::int) * $4 * interval '1 day', case when n % 100 = 3 then 40 else 20 end, 0,
           'worker get /api/v' || n % 9 || '/items/' || n || ' took ' || n % 977 || ' ms for user_id=' || n % 10007
           || case when n % 2 = 0 then ' request done' else ' answer sent' end
           || case when n % 1000 = 500 then ' throttled' else '' end
           || case when n % ($3::int / 10) = 11 then ' needle' else '' end
           || case when n > $3::int * 0.9 then ' legacy' else '' end
      from generate_series($1::int, $2::int) as n
"""
CHUNK = 250_000


class Query(NamedTuple):
    """What is asked, and what the first page must be."""

    name: str
    text: str
    hits: int
    filters: dict[str, Any]
    whole: bool = True


QUERIES = (
    Query("rare (10 in all)", "needle", 10, {}),
    Query("medium (0.1 %)", "throttled", 50, {}),
    Query("in half of all lines", "request", 50, {}),
    Query("common, only in the oldest tenth", "legacy", 50, {}),
    Query("absent", "nowhere", 0, {}),
    Query("negated, none matches", "worker -get", 0, {}, whole=False),
    Query("common, tenant with 0.1 %", "request", 50, {"tenant": "small"}),
    Query("common, tenant with no line", "request", 0, {"tenant": "none"}),
    Query("common, errors of the small tenant", "worker", 0, {"tenant": "small", "level": 40}),
    Query("phrase of three words", '"items 4711 took"', 1, {}),
    Query("prefix", "throttl*", 50, {}),
    Query("substring of recent lines", "~/items/", 50, {}),
    Query("absent substring", "~no such text", 0, {}, whole=False),
)


async def measure_logs(stage: Stage, scale: Scale) -> list[Line]:
    """Lines stored while they are indexed for search, then the first page of searches of all kinds."""
    await stage.clear()
    await stage.db.execute("truncate headrace.log")
    writing = await _measure_writing(stage)
    await stage.db.execute("truncate headrace.log")
    await fill_lines(stage, scale.million * 5)
    return [writing, *[await _measure_search(stage, query, scale.million * 5) for query in QUERIES]]


async def _measure_writing(stage: Stage) -> Line:
    await stage.fill(JOBS)
    worker_id = await stage.worker_id()
    held = await claim_jobs(stage.db, worker_id=worker_id, lanes=[await stage.lane()], limit=JOBS, suspects=0)
    began: datetime = await stage.db.fetchval("select clock_timestamp()")
    made = _lines(held, began)
    rates = []
    for _ in range(ROUNDS):
        flushes = [[next(made) for _ in range(FLUSH)] for _ in range(20)]
        start = time.perf_counter()
        for flush in flushes:
            assert await write_lines(stage.db, worker_id, flush) == set()
        rates.append(FLUSH * len(flushes) / (time.perf_counter() - start))
    return at_least("log lines stored, searchable, one connection", statistics.median(rates), "lines/s", 20_000)


def _lines(held: list[Held], began: datetime) -> Iterator[LogLine]:
    for n in count():
        run = held[n % len(held)]
        message = f"get /api/v{n % 9}/items/{n} took {n % 977} ms for user_id={n % 10007}, request done"
        at = began + timedelta(microseconds=40 * n)
        yield LogLine(run.job_id, run.run, n // len(held) + 1, at, 20, 0, message)


async def fill_lines(stage: Stage, lines: int) -> None:
    """Ten days of lines. The index is made afterwards, which is quicker; all else is as it comes from jobs."""
    await stage.db.execute(PAST_DAYS, DAYS)
    await stage.db.execute("insert into headrace.tenant (name) values ('small'), ('none') on conflict do nothing")
    small = await stage.db.fetchval("select id from headrace.tenant where name = 'small'")
    index = await stage.db.fetchval("select pg_get_indexdef('headrace.log_search'::regclass)")
    await stage.db.execute("drop index headrace.log_search")
    for last in range(lines, 0, -CHUNK):
        await stage.db.execute(FILL, max(last - CHUNK, 0) + 1, last, lines, float(DAYS), small)
    await stage.db.execute(index.replace(" ON ONLY ", " ON "))
    await stage.db.execute("vacuum (analyze) headrace.log")
    await stage.db.execute("checkpoint")


async def _measure_search(stage: Stage, query: Query, lines: int) -> Line:
    """The slowest of three first pages, the first of which may have to read from the disk."""
    times, page = [], SearchPage([], None, complete=True, cursor=None)
    for _ in range(3):
        began = time.perf_counter()
        page = await search(stage.db, query.text, **query.filters)
        times.append((time.perf_counter() - began) * 1000)
        assert len(page.hits) == query.hits, f"{query.name}: {len(page.hits)} hits"
        assert page.complete or len(page.hits) == 50 or not query.whole, query.name
    name = f"search of {lines:,} lines: {query.name}"
    if not page.complete and not page.hits and page.searched_to is not None:
        back: timedelta = await stage.db.fetchval("select now() - $1", page.searched_to)
        name += f" (looked back {back / timedelta(days=1):.1f} days)"
    return at_most(name, max(times), "ms", 300)
