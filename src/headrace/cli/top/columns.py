"""The lists of the screen, column by column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.cli.admin.queues import state_of as state_of_queue
from headrace.cli.admin.workers import state_of as state_of_worker
from headrace.cli.output.tables import Column, ago, one_line, span

Item = Mapping[str, Any]
BAR = 10
MOST_BOXES = 16
QUEUES = [
    Column("queue", lambda queue: queue["queue"], elastic=True),
    Column("queued", lambda queue: queue["depth"]["queued"], right=True),
    Column("running", lambda queue: queue["depth"]["running"], right=True),
    Column("sched.", lambda queue: queue["depth"]["scheduled"], right=True),
    Column("oldest", lambda queue: span(queue["oldest_age_seconds"]), right=True),
    Column("done/h", lambda queue: queue["last_hour"]["succeeded"], right=True),
    Column("state", state_of_queue, elastic=True),
]
WORKERS = [
    Column("worker", lambda worker: worker["name"], elastic=True),
    Column("slots", lambda worker: _slots(worker)),
    Column("beat", lambda worker: ago(worker["heartbeat_at"]), right=True),
    Column("up", lambda worker: ago(worker["started_at"]), right=True),
    Column("state", lambda worker: state_of_worker(worker)),
    Column("queues", lambda worker: ",".join(worker["queues"]), elastic=True, spare=True),
]
JOBS = [
    Column("id", lambda job: job["id"], narrow=lambda job: job["id"][-12:]),
    Column("status", lambda job: "stopping" if job["cancel_requested"] else job["status"], style="status"),
    Column("definition", lambda job: job["definition"], elastic=True),
    Column("attempt", lambda job: f"{job['attempt_count']}/{job['max_attempts']}", right=True),
    Column("for", lambda job: ago(job["finished_at"] or job["started_at"]), right=True),
    Column("progress", lambda job: _progress(job), elastic=True),
    Column("worker", lambda job: job["worker"], spare=True, elastic=True),
    Column("queue", lambda job: job["queue"], spare=True),
]


def _slots(worker: Item) -> str:
    """A box for each place, filled where a job is; numbers where there are too many."""
    busy, places = min(worker["running"], worker["concurrency"]), worker["concurrency"]
    numbers = f"{worker['running']}/{places}"
    return f"{'■' * busy}{'□' * (places - busy)} {numbers}" if places <= MOST_BOXES else numbers


def _progress(job: Item) -> str:
    """A bar and the last word of a running job; of one that failed, why."""
    if job["status"] != "running":
        return one_line(job["last_error"]) or ""
    words = one_line(job["progress_message"]) or ""
    if job["progress"] is None:
        return words
    full = round(job["progress"] * BAR)
    return f"{'█' * full}{'░' * (BAR - full)} {job['progress']:>4.0%} {words}".rstrip()
