"""What a list of jobs may be filtered by, and by which roads its candidates are found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from headrace.model.status import FINAL, LIVE, JobStatus

# Rows that a page looks at when an index alone cannot answer; then it is short and says how far it looked.
WINDOW = 20_000
# When each row costs a look at its runs.
RUNS_WINDOW = 3_000
# Live jobs are narrow rows.
LIVE_WINDOW = 50_000


@dataclass(frozen=True, slots=True)
class JobFilter:
    """Conditions that must all hold; statuses are alternatives."""

    status: tuple[JobStatus, ...] = ()
    definition: str | None = None
    queue: str | None = None
    source: str | None = None
    trigger: UUID | None = None
    correlation_id: str | None = None
    worker: str | None = None
    q: str | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None


class Condition(NamedTuple):
    """A condition on a row `c`, with `{}` where its one value belongs; it may stand there more than once."""

    text: str
    value: Any = None


class Statement(NamedTuple):
    """SQL and the values of its places."""

    sql: str
    values: list[Any]


@dataclass(frozen=True, slots=True)
class Road:
    """Candidates, newest first: rows of one table within an index's reach, and what is then asked of each."""

    table: str
    id: str
    columns: str
    within: Sequence[Condition]
    asked: Sequence[Condition]
    window: int = WINDOW
    end: str | None = None


class Found(NamedTuple):
    """What a road gave: matching ids, and the last id looked at where the window ended before the road did."""

    ids: list[UUID]
    looked_to: UUID | None


class Merged(NamedTuple):
    """A page of ids; `cursor` is where the next begins, `looked_to` where the window ended if that made it short."""

    ids: list[UUID]
    cursor: UUID | None
    looked_to: UUID | None


# -- roads


def roads(wanted: JobFilter, *, tenant_id: int | None, after: UUID | None) -> list[Road]:
    """The roads that together lead to every job that fits."""
    if wanted.correlation_id is not None or wanted.trigger is not None or not wanted.status:
        return [_by_record(wanted, tenant_id, after)]
    result = [_by_end(wanted, status, tenant_id, after) for status in wanted.status if status in FINAL]
    if live := [status for status in wanted.status if status in LIVE]:
        result.append(_by_queue(wanted, live, tenant_id, after))
    return result


def _by_record(wanted: JobFilter, tenant_id: int | None, after: UUID | None) -> Road:
    """Over the records themselves: by correlation, trigger, definition or tenant, whichever index reaches least."""
    selective = []
    if wanted.correlation_id is not None:
        selective.append(Condition("c.correlation_id = {}::text", wanted.correlation_id))
    if wanted.trigger is not None:
        selective.append(Condition("c.source_ref = {}::uuid", wanted.trigger))
    if wanted.definition is not None:
        key = "(select id from headrace.definition where key = {}::text)"
        selective.append(Condition(f"c.definition_id = {key}", wanted.definition))
    if tenant_id is not None:
        selective.append(Condition("c.tenant_id = {}::int", tenant_id))
    asked = selective[1:]
    if wanted.queue is not None:
        asked += _of_lane(JobFilter(queue=wanted.queue))
    if wanted.source is not None:
        asked.append(Condition("c.source = {}::text", wanted.source))
    if wanted.status:
        status = (
            "coalesce((select status::text from headrace.queue where job_id = c.id),"
            " (select final::text from headrace.attempt where job_id = c.id and final is not null limit 1))"
        )
        asked.append(Condition(f"{status} = any({{}}::text[])", [str(s) for s in wanted.status]))
    return Road(
        "headrace.job",
        "id",
        "id, tenant_id, definition_id, lane_id, source, source_ref",
        [*_bounds("c.id", wanted, after), *selective[:1]],
        [*asked, *_of_runs("c.id", wanted)],
        _window(wanted),
    )


def _by_end(wanted: JobFilter, status: JobStatus, tenant_id: int | None, after: UUID | None) -> Road:
    """Over runs that ended a job. The status is spelt out and no value: its index is a partial one."""
    final = [Condition(f"c.final = '{status.value}'")]
    # Of all tenants' successes there is no index in order, but most runs are successes.
    reachable = tenant_id is not None or status is not JobStatus.SUCCEEDED
    own = [] if tenant_id is None else [Condition("c.tenant_id = {}::int", tenant_id)]
    return Road(
        "headrace.attempt",
        "job_id",
        "job_id, lane_id, worker_id, final, error",
        [*_bounds("c.job_id", wanted, after), *own, *(final if reachable else [])],
        [*([] if reachable else final), *_of_lane(wanted), *_of_source(wanted), *_of_last_run(wanted)],
    )


def _by_queue(wanted: JobFilter, statuses: Sequence[JobStatus], tenant_id: int | None, after: UUID | None) -> Road:
    """Over live jobs; those that run have an index of their own, and tenants a function that looks for them."""
    running = list(statuses) == [JobStatus.RUNNING]
    status = Condition("c.status::text = any({}::text[])", [str(s) for s in statuses])
    asked = [*([] if running else [status]), *_of_lane(wanted), *_of_source(wanted), *_of_runs("c.job_id", wanted)]
    window = LIVE_WINDOW if _window(wanted) == WINDOW else RUNS_WINDOW
    if tenant_id is None:
        within = [*_bounds("c.job_id", wanted, after), *([Condition("c.status = 'running'")] if running else [])]
        return Road("headrace.queue", "job_id", "job_id, status, lane_id", within, asked, window)
    # Behind row-level security a limit counts what may be seen, and all else would be read on the way.
    least, before = id_range(wanted, after)
    place = f"({_uuid(least)}, {_uuid(before)}, {window}, {str(running).lower()})"
    end = f"select headrace.own_live_end{place}"
    return Road(f"headrace.own_live{place}", "job_id", "job_id, status, lane_id", [], asked, window, end)


def _uuid(value: UUID | None) -> str:
    """Spelt out: a UUID cannot be anything else."""
    return "null" if value is None else f"'{value}'::uuid"


def _window(wanted: JobFilter) -> int:
    return WINDOW if wanted.q is None and wanted.worker is None else RUNS_WINDOW


# -- conditions


def _bounds(column: str, wanted: JobFilter, after: UUID | None) -> list[Condition]:
    least, before = id_range(wanted, after)
    result = []
    if before is not None:
        result.append(Condition(f"{column} < {{}}::uuid", before))
    if least is not None:
        result.append(Condition(f"{column} >= {{}}::uuid", least))
    return result


def id_range(wanted: JobFilter, after: UUID | None) -> tuple[UUID | None, UUID | None]:
    """The least id, and the first one too great. Ids are made of times, so a stretch of time is a stretch of ids."""
    least = None if wanted.created_after is None else first_id(wanted.created_after)
    ends = [] if after is None else [after]
    if wanted.created_before is not None:
        ends.append(first_id(wanted.created_before))
    return least, min(ends, default=None)


def first_id(at: datetime) -> UUID:
    """The least id that can have been made then."""
    milliseconds = int(at.timestamp() * 1000)
    return UUID(int=min(max(milliseconds, 0), 2**48 - 1) << 80)


def _of_source(wanted: JobFilter) -> list[Condition]:
    if wanted.source is None:
        return []
    record = "select from headrace.job where job.id = c.job_id and job.source = {}::text"
    return [Condition(f"exists ({record})", wanted.source)]


def _of_lane(wanted: JobFilter) -> list[Condition]:
    lanes = "c.lane_id = any(array(select lane.id from headrace.lane where {}))"
    result = []
    if wanted.queue is not None:
        result.append(Condition(lanes.format("lane.queue = {}::text"), wanted.queue))
    if wanted.definition is not None:
        key = "lane.definition_id = (select id from headrace.definition where key = {}::text)"
        result.append(Condition(lanes.format(key), wanted.definition))
    return result


WORKERS = "array(select id from headrace.worker where name = {}::text or id::text = {}::text)"


def _of_runs(job_id: str, wanted: JobFilter) -> list[Condition]:
    """Of any run of the job."""
    result = []
    if wanted.worker is not None:
        held = f"select from headrace.queue as q where q.job_id = {job_id} and q.worker_id = any({WORKERS})"
        ran = f"select from headrace.attempt as a where a.job_id = {job_id} and a.worker_id = any({WORKERS})"
        result.append(Condition(f"(exists ({held}) or exists ({ran}))", wanted.worker))
    if wanted.q is not None:
        failed = f"select from headrace.attempt as a where a.job_id = {job_id} and a.error ilike {{}}::text"
        result.append(Condition(f"exists ({failed})", _anywhere(wanted.q)))
    return result


def _of_last_run(wanted: JobFilter) -> list[Condition]:
    """Of the run that ended the job, which is at hand."""
    result = []
    if wanted.worker is not None:
        result.append(Condition(f"c.worker_id = any({WORKERS})", wanted.worker))
    if wanted.q is not None:
        result.append(Condition("c.error ilike {}::text", _anywhere(wanted.q)))
    return result


def _anywhere(text: str) -> str:
    return "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


# -- statements


def candidates(road: Road, n: int) -> Statement:
    """Up to n ids that fit, newest first; ends as soon as they are found."""
    values: list[Any] = []
    sql = f"""
select c.{road.id} from (
  select {road.columns} from {road.table} as c {_where(road.within, values)}
   order by c.{road.id} desc limit {road.window}) as c
 {_where(road.asked, values)} order by c.{road.id} desc limit {n}"""
    return Statement(sql, values)


def window_end(road: Road) -> Statement:
    """The last id within the window, where the road goes on behind it."""
    if road.end is not None:
        return Statement(road.end, [])
    values: list[Any] = []
    sql = f"""
select c.{road.id} from {road.table} as c {_where(road.within, values)}
 order by c.{road.id} desc offset {road.window - 1} limit 1"""
    return Statement(sql, values)


def _where(conditions: Sequence[Condition], values: list[Any]) -> str:
    texts = []
    for condition in conditions:
        if "{}" in condition.text:
            values.append(condition.value)
        texts.append(condition.text.replace("{}", f"${len(values)}"))
    return f"where {' and '.join(texts)}" if texts else ""


def merge(found: Iterable[Found], *, limit: int, offset: int = 0) -> Merged:
    """One page from all roads: nothing below where one of them stopped looking, for there it might have found more."""
    found = list(found)
    floor = max((f.looked_to for f in found if f.looked_to is not None), default=None)
    ids = sorted({job_id for f in found for job_id in f.ids if floor is None or job_id >= floor}, reverse=True)
    page = ids[offset : offset + limit]
    if len(ids) > offset + limit:
        return Merged(page, page[-1], None)
    return Merged(page, floor, floor)
