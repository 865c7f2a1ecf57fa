"""What a list of jobs may be filtered by, and by which paths its candidates are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from headrace.model.job.ids import first_id
from headrace.model.job.status import FINAL, LIVE, JobStatus
from headrace.model.system import SYSTEM_QUEUE
from headrace.service.jobs.access_path import WINDOW, AccessPath, Condition

# Where each row of a window costs a look at its runs.
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
    event: UUID | None = None
    correlation_id: str | None = None
    worker: str | None = None
    q: str | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    include_system: bool = False
    ids: tuple[UUID, ...] = ()

    @property
    def shows_system(self) -> bool:
        """Whether Headrace's own jobs may be among them: because that is said, or because of what else is asked for."""
        named = self.definition is not None or self.trigger is not None or self.queue == SYSTEM_QUEUE
        return self.include_system or named

    @property
    def names_records(self) -> bool:
        """Whether an index of the records leads to them, whatever their status."""
        return bool(self.ids) or any(one is not None for one in (self.correlation_id, self.trigger, self.event))


# -- paths


def plan_paths(wanted: JobFilter, *, tenant_id: int | None, after: UUID | None) -> list[AccessPath]:
    """The paths that together lead to every job that fits."""
    if wanted.names_records or not wanted.status:
        return [_by_record(wanted, tenant_id, after, by) for by in _reaches(wanted, tenant_id)]
    result = [_by_end(wanted, status, tenant_id, after) for status in wanted.status if status in FINAL]
    if live := [status for status in wanted.status if status in LIVE]:
        result.append(_by_queue(wanted, live, tenant_id, after))
    return result


# A trigger's jobs refer to it; those that an event made refer to the event, and know the trigger beside it.
BY_TRIGGER = ("c.source_ref = {}::uuid", "c.trigger_id = {}::uuid")


def _reaches(wanted: JobFilter, tenant_id: int | None) -> list[Condition | None]:
    """What reaches least, and so is entered by: mostly one index, for a trigger one after the other."""
    first = next(iter(_selective(wanted, tenant_id)), None)
    if first is not None and first.text == _either(BY_TRIGGER):
        return [Condition(text, first.value) for text in BY_TRIGGER]
    return [first]


def _either(texts: Sequence[str]) -> str:
    return f"({' or '.join(texts)})"


def _selective(wanted: JobFilter, tenant_id: int | None) -> list[Condition]:
    """By id, correlation, event, trigger, definition or tenant: what an index answers, the most selective first."""
    selective = []
    if wanted.ids:
        selective.append(Condition("c.id = any({}::uuid[])", list(wanted.ids)))
    if wanted.correlation_id is not None:
        selective.append(Condition("c.correlation_id = {}::text", wanted.correlation_id))
    if wanted.event is not None:
        selective.append(Condition("c.source_ref = {}::uuid", wanted.event))
    if wanted.trigger is not None:
        selective.append(Condition(_either(BY_TRIGGER), wanted.trigger))
    if wanted.definition is not None:
        key = "(select id from headrace.definition where key = {}::text)"
        selective.append(Condition(f"c.definition_id = {key}", wanted.definition))
    if tenant_id is not None:
        selective.append(Condition("c.tenant_id = {}::int", tenant_id))
    return selective


def _by_record(wanted: JobFilter, tenant_id: int | None, after: UUID | None, by: Condition | None) -> AccessPath:
    """Over the records themselves, entered by the index that reaches least."""
    asked = _selective(wanted, tenant_id)[1:]
    if wanted.event is not None:
        asked.append(Condition("c.source = 'event'"))
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
    return AccessPath(
        "headrace.job",
        "id",
        "id, tenant_id, definition_id, lane_id, source, source_ref, trigger_id, correlation_id",
        [*_bounds("c.id", wanted, after), *([] if by is None else [by])],
        [*asked, *_of_others(wanted, tenant_id), *_of_runs("c.id", wanted)],
        _window(wanted),
    )


def _by_end(wanted: JobFilter, status: JobStatus, tenant_id: int | None, after: UUID | None) -> AccessPath:
    """Over runs that ended a job. The status is spelt out and no value: its index is a partial one."""
    final = [Condition(f"c.final = '{status.value}'")]
    # Of all tenants' successes there is no index in order, but most runs are successes.
    reachable = tenant_id is not None or status is not JobStatus.SUCCEEDED
    own = [] if tenant_id is None else [Condition("c.tenant_id = {}::int", tenant_id)]
    return AccessPath(
        "headrace.attempt",
        "job_id",
        "job_id, tenant_id, lane_id, worker_id, final, error",
        [*_bounds("c.job_id", wanted, after), *own, *(final if reachable else [])],
        [
            *([] if reachable else final),
            *_of_others(wanted, tenant_id),
            *_of_lane(wanted),
            *_of_source(wanted),
            *_of_last_run(wanted),
        ],
        # An error has up to 10,000 characters to look through.
        WINDOW if wanted.q is None else RUNS_WINDOW,
    )


def _by_queue(
    wanted: JobFilter, statuses: Sequence[JobStatus], tenant_id: int | None, after: UUID | None
) -> AccessPath:
    """Over live jobs; those that run have an index of their own, and tenants a function that looks for them."""
    running = list(statuses) == [JobStatus.RUNNING]
    status = Condition("c.status::text = any({}::text[])", [str(s) for s in statuses])
    asked = [*([] if running else [status]), *_of_lane(wanted), *_of_source(wanted), *_of_runs("c.job_id", wanted)]
    window = LIVE_WINDOW if _window(wanted) == WINDOW else RUNS_WINDOW
    if tenant_id is None:
        within = [*_bounds("c.job_id", wanted, after), *([Condition("c.status = 'running'")] if running else [])]
        asked += _of_others(wanted, tenant_id)
        return AccessPath("headrace.queue", "job_id", "job_id, tenant_id, status, lane_id", within, asked, window)
    # Behind row-level security a limit counts what may be seen, and all else would be read on the way.
    least, before = id_range(wanted, after)
    place = f"({_uuid(least)}, {_uuid(before)}, {window}, {str(running).lower()})"
    end = f"select headrace.own_live_end{place}"
    return AccessPath(f"headrace.own_live{place}", "job_id", "job_id, status, lane_id", [], asked, window, end)


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


def _of_others(wanted: JobFilter, tenant_id: int | None) -> list[Condition]:
    """Not Headrace's own, unless they are meant; a tenant's are never among them."""
    if tenant_id is not None or wanted.shows_system:
        return []
    return [Condition("c.tenant_id is distinct from (select headrace._system_tenant())")]


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
