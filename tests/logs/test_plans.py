"""The statements keep their indexes, with statistics or without."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from tests.db.plans import accesses
from tests.engine import Engine
from tests.logs.printing import INFO, now, put, search_all

from headrace.db.connect import Connection
from headrace.logs import read, write
from headrace.logs.search import search
from headrace.model.log.line import LOG, LogLine

LINES = 20_000


async def fill(conn: Connection) -> None:
    """Lines that say no two the same, of which three say more."""
    began = await now(conn)
    jobs = [uuid4() for _ in range(20)]
    for n in range(0, LINES, 5000):
        await put(
            conn,
            [
                LogLine(jobs[k % 20], 1, k // 20 + 1, began - timedelta(milliseconds=k), INFO, LOG,
                        f"get item {k}" + " needle" * (k in (5000, 15_000, 19_999)))
                for k in range(n, n + 5000)
            ],
        )  # fmt: skip


async def looked_at(conn: Connection) -> tuple[int, int, int]:
    """Scans of the search index, whole scans of a day, and lines fetched, so far."""
    await conn.execute("select pg_stat_force_next_flush()")
    (gin,) = await conn.fetch(
        "select sum(idx_scan)::int from pg_stat_user_indexes join pg_inherits on inhrelid = indexrelid"
        " where inhparent = 'headrace.log_search'::regclass"
    )
    (heap,) = await conn.fetch(
        "select sum(seq_scan)::int, sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int from pg_stat_user_tables"
        " join pg_inherits on inhrelid = relid where inhparent = 'headrace.log'::regclass"
    )
    return gin[0], heap[0], heap[1]


async def test_a_search_uses_the_gin_index_and_fetches_few_lines(engine: Engine) -> None:
    for analyzed in (False, True):
        await fill(engine.db)
        if analyzed:
            await engine.db.execute("analyze headrace.log")
        for query, hits in (("needle", 3), ("nowhere", 0), ("need* -get", 0), ("item.19999", 1), ("needle item", 3)):
            gin, whole, fetched = await looked_at(engine.db)
            assert len(await search_all(engine.db, query)) == hits
            gin_after, whole_after, fetched_after = await looked_at(engine.db)
            assert gin_after > gin, query
            assert whole_after == whole, query
            # The newest thousand by time, then only candidates.
            assert fetched_after - fetched < 1500, query
        await engine.db.execute("truncate headrace.log")


async def test_a_common_word_is_found_among_the_newest_lines(engine: Engine) -> None:
    await fill(engine.db)
    gin, whole, fetched = await looked_at(engine.db)
    async with engine.db.transaction():
        assert len((await search(engine.db, "get", patience=timedelta(seconds=10))).hits) == 50
    gin_after, whole_after, fetched_after = await looked_at(engine.db)
    assert (gin_after, whole_after) == (gin, whole)
    assert fetched_after - fetched < 200
    await engine.db.execute("truncate headrace.log")


async def test_reading_and_writing_keep_their_indexes(engine: Engine) -> None:
    await fill(engine.db)
    found = await accesses(engine.db, write.SQL["lock_held"], 1, [uuid4() for _ in range(500)])
    assert found
    assert all(access.by in ("queue_pkey", "queue_held") and access.condition for access in found), found
    job_id = await engine.db.fetchval("select job_id from headrace.log limit 1")
    for statement, arguments in (
        (read.SQL["read_lines"], (job_id, 1, 500, 100, None, None)),
        (write.SQL["stored_upto"], (job_id, 1)),
        (write.SQL["stored_upto_of_many"], ([job_id], [1])),
    ):
        plan = "\n".join(row[0] for row in await engine.db.fetch(f"explain {statement}", *arguments))
        assert "Seq Scan" not in plan, plan
        assert "pkey" in plan, plan
    await engine.db.execute("truncate headrace.log")
