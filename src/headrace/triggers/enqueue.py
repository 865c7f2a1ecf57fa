"""Enqueue what triggers fire: many definitions and tenants in one statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.trigger.rule import Rule
from headrace.tracing.produce import producing
from headrace.triggers.rules import DefinitionTerms, Rules

SQL = statements(__file__)


class JobPlace(NamedTuple):
    """Where a job goes and how it runs: a trigger's word or else its definition's."""

    definition_id: int
    lane_id: int
    priority: int
    max_attempts: int


class TriggeredJob(NamedTuple):
    """A job to be."""

    id: UUID
    tenant_id: int
    place: JobPlace
    payload: str
    source: str
    source_ref: UUID
    correlation_id: str | None = None
    scheduled_for: datetime | None = None
    overlap_id: UUID | None = None
    trace_context: str | None = None
    trigger: str = ""
    trigger_id: UUID | None = None
    """Only of jobs that an event made: the others have it in `source_ref`."""


async def make_job_ids(conn: Connection, n: int) -> list[UUID]:
    """Ids in ascending order."""
    ids: list[UUID] = await conn.fetchval(SQL["make_job_ids"], n) if n else []
    return ids


async def find_places(conn: Connection, rules: Rules, wanted: Iterable[Rule]) -> dict[Rule, JobPlace]:
    """Where the jobs of each rule go; a lane that is missing is made."""
    queues = {rule: rule.queue or rules.terms(rule).queue for rule in set(wanted)}
    # In one order, so that two who make the same lanes do not deadlock.
    asked = sorted({(queue, rule.definition_id) for rule, queue in queues.items()})
    found = await conn.fetch(SQL["find_lanes"], *columns(asked)) if asked else []
    lanes = {(row["queue"], row["definition_id"]): row["lane_id"] for row in found}
    return {rule: _place(rule, rules.terms(rule), lanes[queue, rule.definition_id]) for rule, queue in queues.items()}


def _place(rule: Rule, terms: DefinitionTerms, lane_id: int) -> JobPlace:
    priority = terms.priority if rule.priority is None else rule.priority
    return JobPlace(rule.definition_id, lane_id, priority, rule.max_attempts or terms.max_attempts)


async def suppress_repeated(conn: Connection, jobs: Sequence[tuple[UUID, UUID, str, float]]) -> dict[UUID, UUID]:
    """Of (job, trigger, payload, window in seconds) those whose window is still open, with the job that opened it."""
    if not jobs:
        return {}
    opened = {row[0] for row in await conn.fetch(SQL["open_windows"], *columns(jobs))}
    rest = [(job, trigger, payload) for job, trigger, payload, _ in jobs if job not in opened]
    return {row[0]: row[1] for row in await conn.fetch(SQL["earlier_jobs"], *columns(rest))} if rest else {}


async def enqueue_jobs(conn: Connection, jobs: Sequence[TriggeredJob]) -> None:
    """Insert all of them into the queue; wakes workers that sleep."""
    if not jobs:
        return
    lines = [(job.id, job.tenant_id, *job.place, *job[3:9], _firing(job), job.trigger_id) for job in jobs]
    await conn.execute(SQL["enqueue_jobs"], *columns(lines))


def _firing(job: TriggeredJob) -> str | None:
    """A span for the job that a trigger makes; gives what it is to carry."""
    with producing(
        f"fire {job.trigger}",
        "fire",
        parent=job.trace_context,
        job_id=str(job.id),
        trigger=job.trigger,
        correlation_id=job.correlation_id,
    ) as trace:
        return trace


def columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """Rows turned into the arrays that unnest takes."""
    return [list(column) for column in zip(*rows, strict=True)]
