"""Run now: what a person may have a time trigger do beside its rule."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from itertools import islice
from typing import Any, Literal, NamedTuple
from uuid import UUID, uuid4

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import BadRequest, Conflict, NotFound
from headrace.model.time.schedule import Schedule, look_until
from headrace.model.time.zone import EARLIEST, LATEST
from headrace.model.trigger.fire_plan import Entry, Standing, make_payload, plan_backfill, plan_first
from headrace.model.trigger.rule import Rule, time_scope
from headrace.triggers.fire import read_locked, with_jitter, write_entries
from headrace.triggers.rules import Rules

SQL = statements(__file__)
CAP = 100
MOST_BACKFILLED = 10_000

OneOrMore = Literal["allow", "skip"]
OBSTACLES = {
    "deleted_from_code": "its definition was deleted from code",
    "definition_disabled": "its definition is disabled",
    "secret_fields": "its definition has secret fields",
    "tenant_not_allowed": "its tenant may not run its definition",
}


class Ran(NamedTuple):
    """Whether it fired; if not why, and then the job is the one in its way."""

    fired: bool
    job_id: UUID
    reason: str | None


class Backfilled(NamedTuple):
    """The occasion that a backfill's fires have, and its jobs, oldest first."""

    occasion: UUID
    job_ids: list[UUID]
    skipped: int


async def run_now(
    conn: Connection, name: str, *, tenant: str, overlap: OneOrMore | None = None, created_by: str | None = None
) -> Ran:
    """One job now, also of a disabled trigger. With `overlap` skip not while one is live; else as the trigger says."""
    _check_choice(overlap)
    async with _locked(conn, name, tenant) as (row, rule, rules):
        if overlap is None:
            overlap = "allow" if rule.overlap == "allow" else "skip"
        scope = time_scope(name=name, tenant=tenant, due_at=row["now"])
        payload, _, problem = make_payload(rule, lambda: scope, rules.terms(rule).check)
        if payload is None:
            raise BadRequest(f'trigger "{name}" cannot run: {problem}')
        with translated_errors():
            ran = await conn.fetchrow(SQL["run_now"], row["id"], payload, overlap, created_by)
        return Ran(*ran) if ran else Ran(False, row["id"], None)


async def skip_next(conn: Connection, name: str, *, tenant: str) -> datetime:
    """Let the next due time pass; gives back which. Its fire says so."""
    async with _locked(conn, name, tenant) as (row, rule, rules):
        schedule = _schedule(name, rule)
        entries: list[Entry] = []
        due_at: datetime | None = row["next_run_at"]
        if due_at is None:
            plan = plan_first(rule, **{key: row[key] for key in ("effective_from", "uncovered_from", "uncovered_why")})
            due_at, entries = plan.next_run_at, plan.entries
        # By the year, for 'infinity' is read as a time without a zone.
        if due_at is None or due_at.year >= LATEST.year:
            raise Conflict(f'trigger "{name}" has no next time')
        following = schedule.next_after(due_at)
        entries.append(Entry(due_at, "manual", reason="skip_next"))
        await write_entries(conn, rules, [(row, rule, entry) for entry in entries])
        fire_at = following and following + with_jitter(rule)
        await conn.execute(SQL["set_next"], row["id"], following, fire_at)
        return due_at


async def backfill(
    conn: Connection,
    name: str,
    first: datetime,
    until: datetime,
    *,
    tenant: str,
    overlap: OneOrMore = "allow",
    cap: int = CAP,
) -> Backfilled:
    """Jobs for the due times from first to until, also for those that have fired. More than the cap are refused."""
    _check_choice(overlap)
    check_range(first, until)
    if not 1 <= cap <= MOST_BACKFILLED:
        raise BadRequest(f"The cap of a backfill is 1 to {MOST_BACKFILLED:,}, not {cap}.", field="cap")
    async with _locked(conn, name, tenant) as (row, rule, rules):
        # In a thread: a rule with many or rare due times is searched for long, and others would wait.
        times = await asyncio.to_thread(_times, name, _schedule(name, rule), first, until, cap)
        live = await conn.fetchval(SQL["live_job"], row["id"]) is not None
        standing = Standing(tenant, None, None, 0, live=live)
        check = rules.terms(rule).check
        one = overlap == "skip"
        entries = await asyncio.to_thread(plan_backfill, rule, standing, times, one=one, check=check)
        occasion = uuid4()
        jobs = await write_entries(conn, rules, [(row, rule, entry) for entry in entries], occasion=str(occasion))
        await conn.execute(SQL["count_runs"], row["id"], len(jobs))
        return Backfilled(occasion, [job.id for job in jobs], len(entries) - len(jobs))


@asynccontextmanager
async def _locked(conn: Connection, name: str, tenant: str) -> AsyncIterator[tuple[Any, Rule, Rules]]:
    """The trigger under its lock, in a transaction, with its rule."""
    rules = Rules()
    async with conn.transaction():
        with translated_errors():
            trigger_id = await conn.fetchval(SQL["lock_by_name"], tenant, name)
        if trigger_id is None:
            raise NotFound(f'unknown trigger "{name}" of tenant "{tenant}"')
        (row,) = await read_locked(conn, rules, [trigger_id])
        rule = rules.rule(trigger_id)
        if isinstance(rule, BadRequest):
            raise BadRequest(f'trigger "{name}" is not valid: {rule}')
        if rule.trigger_type == "event":
            raise Conflict(f'trigger "{name}" waits for events; publish one with emit')
        if obstacle := rules.terms(rule).obstacle_of(tenant):
            raise Conflict(f'trigger "{name}" cannot run: {OBSTACLES[obstacle]}')
        yield row, rule, rules


def _check_choice(overlap: OneOrMore | None) -> None:
    if overlap not in (None, "allow", "skip"):
        raise BadRequest(f"overlap is allow or skip, not {overlap!r}.", field="overlap")


def _schedule(name: str, rule: Rule) -> Schedule:
    if rule.schedule is None:
        raise Conflict(f'trigger "{name}" fires once and has no due times')
    return rule.schedule


def check_range(first: datetime, until: datetime) -> None:
    """`BadRequest` for a range that no backfill has."""
    if first.tzinfo is None or until.tzinfo is None:
        raise BadRequest("The range of a backfill needs times with a time zone.", field="from")
    for name_of, moment in (("from", first), ("until", until)):
        if not EARLIEST <= moment <= LATEST:
            raise BadRequest("The range of a backfill lies between the years 1900 and 9000.", field=name_of)
    if until < first:
        raise BadRequest(f"The range of a backfill runs backwards: from {first} to {until}.", field="until")
    if until > look_until(first):
        raise BadRequest(f"The range of a backfill has at most 100 years: from {first} to {until}.", field="until")


def _times(name: str, schedule: Schedule, first: datetime, until: datetime, cap: int) -> list[datetime]:
    """The due times of a range, or `BadRequest` when it holds too many."""
    times = list(islice(schedule.due_between(first, until), cap + 1))
    if len(times) > cap:
        raise BadRequest(f'The range holds more than {cap} due times of "{name}"; choose a shorter one.', field="until")
    return times
