"""Reads the evidence: the file of what happened, and the rows."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.chaos.storm.evidence import Job, Noted, Run, Truth
from tests.chaos.storm.residents import Life
from tests.chaos.storm.truth import lines
from tests.chaos.world.faults import END_OF_TIME
from tests.chaos.world.fires import History, Line, Stretch

from headrace.db.connect import Connection


def read_truth(file: Path) -> Truth:
    """What handlers and producers wrote."""
    truth = Truth()
    for what, *words in lines(file):
        match what:
            case "started" | "finished":
                job, run, process, at = words
                getattr(truth, what).append(Noted(job, int(run), process, int(at)))
            case "acknowledged":
                truth.acknowledged[words[0]] = words[1]
            case "emitted":
                truth.emitted.add(words[0])
            case "taken-back":
                truth.taken_back.add(words[0])
            case "cancel-asked":
                truth.cancel_asked.add(words[0])
            case "canceled":
                truth.canceled[words[0]] = float(words[1])
            case "poisoned":
                truth.poisoned.add(words[0])
            case _:
                raise ValueError(f"{what} is not something that anybody notes")
    return truth


async def read_jobs(db: Connection, lives: dict[str, Life], truth: Truth) -> dict[str, Job]:
    """Every job with its runs, and which process each run was in."""
    by_pid = {life.pid: life.name for life in lives.values()}
    ran_in = {(noted.job, noted.run): noted.process for noted in truth.started}
    rows = await db.fetch(
        "select job.id::text, definition.key, payload, job.max_attempts, scheduled_for, queue.status::text"
        "  from headrace.job join headrace.definition on definition.id = job.definition_id"
        "  left join headrace.queue on queue.job_id = job.id"
    )
    jobs = {row[0]: _job(*row) for row in rows}
    # What is in the queue must have its record too.
    for row in await db.fetch(
        "select job_id::text, status::text, max_attempts from headrace.queue"
        " where not exists (select from headrace.job where id = job_id)"
    ):
        jobs[row[0]] = Job(row[0], "(no record)", None, row[2], live=row[1])
    attempts = await db.fetch(
        "select job_id::text, run, outcome::text, final::text, spent, attempt.started_at, finished_at, pid, error,"
        "       worker_id"
        "  from headrace.attempt left join headrace.worker on worker.id = worker_id order by job_id, run"
    )
    for job_id, run, outcome, final, spent, started_at, finished_at, pid, error, worker_id in attempts:
        if job_id in jobs:
            process = ran_in.get((job_id, run)) or by_pid.get(pid)
            known = Run(run, outcome, final, spent, started_at, finished_at, process, error, worker_id)
            jobs[job_id].runs.append(known)
    return jobs


def _job(job_id: str, definition: str, payload: str, most: int, at: datetime | None, live: str | None) -> Job:
    fields: dict[str, Any] = json.loads(payload)
    # A scheduled fire's due time is in the past of its job.
    planned = None if definition == "fired" else at
    return Job(job_id, definition, fields.get("token"), most, planned, fields.get("key"), live)


async def read_histories(db: Connection) -> dict[str, History]:
    """What each schedule should have done, from its rule, and what it did."""
    histories: dict[str, History] = {}
    names: dict[Any, str] = {}
    for row in await db.fetch(
        "select id, name, effective_from, starts_at, every_seconds from headrace.trigger"
        " where every_seconds is not null"
    ):
        since, start, interval = row["effective_from"], row["starts_at"], row["every_seconds"]
        end = END_OF_TIME.replace(tzinfo=since.tzinfo)
        names[row["id"]] = row["name"]
        histories[row["name"]] = History([Stretch(since, end, start, timedelta(seconds=float(interval)))])
    for trigger_id, *line in await db.fetch(
        "select trigger_id, due_at, outcome, at, job_id, reason, until, n from headrace.fire order by due_at"
    ):
        if trigger_id in names:
            histories[names[trigger_id]].lines.append(Line(*line))
    for name, job_id, due_at in await db.fetch(
        "select payload ->> 'trigger', job.id, scheduled_for from headrace.job"
        "  join headrace.definition on definition.id = definition_id where key = 'fired'"
    ):
        histories[name].jobs.append((job_id, due_at))
    return histories


async def read_sql_done(db: Connection) -> dict[str, int]:
    """How often each SQL job was committed."""
    return {row[0]: row[1] for row in await db.fetch("select token, count(*) from public.storm_sql group by token")}
