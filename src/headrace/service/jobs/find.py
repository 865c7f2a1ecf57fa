"""Find: the ids of jobs that fit a filter, by as many paths as it takes."""

from __future__ import annotations

from uuid import UUID

from headrace.db.connect import Connection
from headrace.service.jobs.access_path import AccessPath, Merged, ScannedIds, candidates, merge, window_end
from headrace.service.jobs.filter import JobFilter, plan_paths


async def find_ids(
    conn: Connection, wanted: JobFilter, *, tenant_id: int | None, limit: int, after: UUID | None, offset: int = 0
) -> Merged:
    """A page of ids, newest first."""
    paths = plan_paths(wanted, tenant_id=tenant_id, after=after)
    # On a single path the database goes past what is left out; where several meet, only here is it known what that is.
    skip, offset = (offset, 0) if len(paths) == 1 else (0, offset)
    return merge([await _walk(conn, path, limit + offset + 1, skip) for path in paths], limit=limit, offset=offset)


async def _walk(conn: Connection, path: AccessPath, n: int, skip: int) -> ScannedIds:
    sql, values = candidates(path, n, skip)
    ids = [row[0] for row in await conn.fetch(sql, *values)]
    if len(ids) == n:
        return ScannedIds(ids, None)
    # Few: because there are no more, or because the window ended.
    sql, values = window_end(path)
    return ScannedIds(ids, await conn.fetchval(sql, *values))
