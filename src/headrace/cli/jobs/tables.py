"""How jobs and their attempts are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headrace.cli.output.tables import Column, ago, as_json, between, one_line, when

Job = Mapping[str, Any]
# So much of the end of an id is shown where there is no room for all of it; it suffices to name the job.
END = 12


def job_columns(jobs: Sequence[Job]) -> list[Column]:
    """With the tenant where there is more than the default one."""
    tenants = [Column("tenant", lambda job: job["tenant"], elastic=True)]
    return [
        Column("id", lambda job: job["id"], narrow=lambda job: job["id"][-END:]),
        Column("status", lambda job: job["status"], style="status"),
        *(tenants if any(job["tenant"] != "default" for job in jobs) else []),
        Column("definition", lambda job: job["definition"], elastic=True),
        Column("attempts", lambda job: f"{job['attempt_count']}/{job['max_attempts']}", right=True),
        Column("age", lambda job: ago(job["created_at"]), right=True),
        Column("took", lambda job: between(job["started_at"], job["finished_at"]), right=True),
        Column("queue", lambda job: job["queue"], spare=True),
        Column("note", job_note, elastic=True),
    ]


def job_note(job: Job) -> str:
    """What is most worth knowing of a job in its status."""
    if job["status"] == "scheduled" and job["run_at"] is not None:
        again = f" after {one_line(job['last_error'])}" if job["last_error"] else ""
        return f"due {ago(job['run_at'])}{again}"
    if job["status"] == "running":
        share = "" if job["progress"] is None else f"{job['progress']:.0%} "
        stopping = "is asked to stop; " if job["cancel_requested"] else ""
        return f"{stopping}{share}{job['progress_message'] or ''}".strip()
    if job["status"] in ("succeeded", "queued"):
        return ""
    return one_line(job["last_error"]) or ""


def job_rows(job: Job, why: Sequence[Mapping[str, Any]]) -> list[tuple[str, Any]]:
    """All that there is to know of one job, in the order in which people ask."""
    return [
        ("id", job["id"]),
        ("status", job["status"]),
        ("replaced by", job["replaced_by"]),
        ("definition", f"{job['definition']} ({job['kind']})"),
        ("tenant", job["tenant"]),
        ("queue", f"{job['queue']}, priority {job['priority']}"),
        ("why", "\n".join(reason["detail"] for reason in why)),
        ("progress", _progress(job)),
        ("error", job["last_error"]),
        ("attempts", f"{job['attempt_count']} of {job['max_attempts']}"),
        ("worker", job["worker"]),
        ("enqueued", when(job["created_at"])),
        ("by", job["created_by"]),
        ("source", " ".join(filter(None, (job["source"], job["source_ref"])))),
        ("trigger", job["trigger_id"] if job["event_id"] else None),
        ("scheduled for", when(job["scheduled_for"])),
        ("due", when(job["run_at"]) if job["status"] == "scheduled" else None),
        ("started", when(job["started_at"])),
        ("finished", when(job["finished_at"])),
        ("took", between(job["started_at"], job["finished_at"]) if job["finished_at"] else None),
        ("correlation", job["correlation_id"]),
        ("dedupe key", job["dedupe_key"]),
        ("idempotency key", job["idempotency_key"]),
        ("payload", as_json(job["payload"], indent=2)),
        ("result", None if job["result"] is None else as_json(job["result"], indent=2)),
    ]


def attempt_columns(attempts: Sequence[Mapping[str, Any]]) -> list[Column]:
    """With the exit code where there are any."""
    codes = [Column("exit", lambda attempt: (attempt["detail"] or {}).get("exit_code"), right=True)]
    return [
        Column("run", lambda attempt: attempt["run"], right=True),
        Column("outcome", lambda attempt: attempt["outcome"], style="status"),
        Column("worker", lambda attempt: attempt["worker"], spare=True),
        Column("finished", lambda attempt: f"{ago(attempt['finished_at'])} ago"),
        Column("waited", lambda attempt: between(attempt["queued_at"], attempt["started_at"]), right=True),
        Column("took", lambda attempt: between(attempt["started_at"], attempt["finished_at"]), right=True),
        *(codes if any(attempt["detail"] for attempt in attempts) else []),
        Column("error", lambda attempt: one_line(attempt["error"]), elastic=True),
    ]


def _progress(job: Job) -> str:
    share = "" if job["progress"] is None else f"{job['progress']:.0%} "
    stopping = "(was asked to stop) " if job["cancel_requested"] and job["status"] == "running" else ""
    return f"{stopping}{share}{job['progress_message'] or ''}".strip()
