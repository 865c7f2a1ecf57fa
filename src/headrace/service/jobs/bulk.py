"""A change to many jobs: counted first, then made in batches that any process may go on with."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from headrace.db.amounts import refuse_more
from headrace.db.connect import Connection, Pool
from headrace.db.page import fetch_page
from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound
from headrace.model.job.status import FINAL, LIVE, JobStatus
from headrace.model.payload.stored_json import read_object
from headrace.service.jobs.filter import JobFilter
from headrace.service.jobs.find import find_ids

SQL = statements(__file__)
Action = Literal["cancel", "retry", "delete"]
BATCH = 200
MOST_COUNTED = 10_000
# What matches few of many jobs is looked for no longer: the count has a connection meanwhile.
COUNTING_SECONDS = 1.0
# Of one tenant at a time: operations take turns.
MOST_RUNNING = 20
# What each may be done to; and to what without being told.
POSSIBLE: dict[Action, frozenset[JobStatus]] = {"cancel": LIVE, "retry": FINAL, "delete": FINAL}
IMPLIED: dict[Action, frozenset[JobStatus]] = {
    "cancel": LIVE,
    "retry": frozenset({JobStatus.FAILED, JobStatus.DEAD_LETTER}),
    "delete": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Operation:
    """A bulk operation and how far it is."""

    id: UUID
    tenant: str | None
    action: Action
    filter: dict[str, Any]
    state: Literal["running", "done", "canceled", "failed"]
    expected: int
    done: int
    left_alone: int
    per_second: int | None
    error: str | None
    created_at: datetime
    created_by: str
    updated_at: datetime
    finished_at: datetime | None


class Count(NamedTuple):
    """How many jobs a change would be about; `capped`: at least so many."""

    matching: int
    capped: bool


def narrowed(action: Action, wanted: JobFilter, *, now: datetime) -> JobFilter:
    """The filter with statuses that the action can be about, and nothing that comes later."""
    chosen = frozenset(wanted.status) or IMPLIED[action]
    if not chosen:
        raise BadRequest("status is missing: name the statuses to delete, for example succeeded", field="filter.status")
    if wrong := chosen - POSSIBLE[action]:
        names = ", ".join(sorted(wrong))
        raise BadRequest(
            f"cannot {action} jobs with status {names}; allowed: {', '.join(sorted(POSSIBLE[action]))}",
            field="filter.status",
        )
    before = min(wanted.created_before or now, now)
    return replace(wanted, status=tuple(sorted(chosen)), created_before=before)


async def count_matching(conn: Connection, wanted: JobFilter, tenant_id: int | None) -> Count:
    """How many there are, up to a bound; as many as are found in a second."""
    n, after, began = 0, None, time.monotonic()
    while n < MOST_COUNTED:
        page = await find_ids(conn, wanted, tenant_id=tenant_id, limit=MOST_COUNTED - n, after=after)
        n, after = n + len(page.ids), page.cursor
        if after is None:
            return Count(n, capped=False)
        if time.monotonic() - began >= COUNTING_SECONDS:
            break
    return Count(n, capped=True)


async def run_batch(pool: Pool) -> bool:
    """Go on with the oldest bulk operation that nobody is at; false when there is none."""
    async with pool.acquire() as conn, conn.transaction():
        row = await conn.fetchrow(SQL["take_operation"])
        if row is None:
            return False
        wanted = read_filter(read_object(row["filter"]))
        try:
            async with conn.transaction():
                await _change(conn, row, wanted)
        except Exception as error:
            await conn.execute(SQL["fail_operation"], row["id"], f"{type(error).__name__}: {error}"[:1000])
    return True


async def any_paced(pool: Pool) -> bool:
    """Whether a bulk operation waits for its next second."""
    async with pool.acquire() as conn:
        return bool(await conn.fetchval(SQL["any_paced"]))


async def _change(conn: Connection, operation: Any, wanted: JobFilter) -> None:
    tenant_id, position = operation["tenant_id"], operation["position"]
    await conn.execute(SQL["for_tenant"], "" if tenant_id is None else str(tenant_id))
    page = await find_ids(
        conn, wanted, tenant_id=tenant_id, limit=min(BATCH, operation["per_second"] or BATCH), after=position
    )
    done = await conn.fetchval(SQL["change"], operation["action"], page.ids)
    await conn.execute(SQL["advance_operation"], operation["id"], done, len(page.ids) - done, page.cursor)


def write_filter(wanted: JobFilter) -> str:
    """As it is stored."""
    fields = {name: value for name, value in asdict(wanted).items() if value not in (None, (), False)}
    return json.dumps(fields, default=str)


def read_filter(stored: Mapping[str, Any]) -> JobFilter:
    """What was stored."""
    read = dict(stored)
    for name in ("created_after", "created_before"):
        if name in read:
            read[name] = datetime.fromisoformat(read[name])
    for name in ("trigger", "event"):
        if name in read:
            read[name] = UUID(read[name])
    read["ids"] = tuple(map(UUID, read.get("ids", ())))
    read["status"] = tuple(JobStatus(name) for name in read.get("status", ()))
    return JobFilter(**read)


async def read_operation(conn: Connection, operation_id: UUID, tenant_id: int | None) -> Operation:
    """How far it is, or `NotFound`."""
    row = await conn.fetchrow(SQL["read_operations"], operation_id, tenant_id, 1)
    if row is None:
        raise NotFound(f'unknown operation "{operation_id}"')
    return _operation(row)


async def list_operations(conn: Connection, tenant_id: int | None, limit: int) -> list[Operation]:
    """The newest first; fewer where their filters are large."""
    values = None, tenant_id, limit + 1
    page = await fetch_page(conn, SQL["read_operations"], *values, limit=limit, json_columns=["filter"])
    return [_operation(row) for row in page.rows]


def _operation(row: Any) -> Operation:
    return Operation(**{**row, "filter": read_object(row["filter"])})


async def create_operation(
    conn: Connection,
    tenant_id: int | None,
    action: Action,
    wanted: JobFilter,
    expected: int,
    who: str,
    *,
    per_second: int | None,
) -> UUID:
    """A bulk operation to be made."""
    await refuse_more(
        conn, SQL["count_running"], tenant_id, most=MOST_RUNNING, things="running bulk operations", cure="cancel one"
    )
    created: UUID = await conn.fetchval(
        SQL["create_operation"], tenant_id, action, write_filter(wanted), expected, who, per_second
    )
    return created


async def cancel_operation(conn: Connection, operation_id: UUID, tenant_id: int | None) -> bool:
    """True when it goes no further than it is; what was changed stays changed."""
    return bool(await conn.fetchval(SQL["cancel_operation"], operation_id, tenant_id))


async def moment(conn: Connection) -> datetime:
    """Jobs that were made before it are meant: by the database's clock, and ids know milliseconds only."""
    now: datetime = await conn.fetchval(SQL["moment"])
    return now
