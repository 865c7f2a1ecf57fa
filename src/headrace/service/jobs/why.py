"""Why a job is not running, or does not come to its end: facts from the database, then a decision without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from headrace.db.statements import statements
from headrace.errors import NotFound
from headrace.model.job.status import JobStatus
from headrace.model.payload.stored_json import read_object
from headrace.service.session import Scope

SQL = statements(__file__)
MOST_COUNTED = 10_000


class Reason(NamedTuple):
    """One thing that keeps a job from its end: a code for programs, a sentence for people."""

    code: str
    detail: str


class Standstill(NamedTuple):
    """A pause that concerns the job."""

    what: str
    name: str
    note: str
    paused_by: str
    resume_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyFacts:
    """What there is to know about a job's chances."""

    status: JobStatus
    queue: str
    definition: str
    run_at: datetime | None
    now: datetime
    worker: str | None
    enabled: bool
    gone: bool
    paused: bool
    spent: int
    suspect: bool
    workers: int
    knowing_workers: int
    free_slots: int
    ahead: int
    cancel_requested: bool
    tenant: str = ""
    # Whether its tenant may not run its definition.
    barred: bool = False
    # Of a job that runs: since when, and of its worker how long it has missed its heartbeats and has until it is lost.
    claimed_at: datetime | None = None
    silent_for: float | None = None
    lease_left: float | None = None
    # What the worker said last in its command's log, if that was a warning.
    warned: str | None = None
    # Of a job that workers gave back because its payload does not fit; the version that code declared last, and theirs.
    unreadable_since: datetime | None = None
    version: str | None = None
    versions: Sequence[str] = ()
    pauses: Sequence[Standstill] = ()
    # Of what a job behind a gate waits for: how much there may be, and how much there is.
    max_concurrency: int | None = None
    running: int | None = None
    max_running_of_key: int | None = None
    running_of_key: int | None = None
    max_running_of_tenant: int | None = None
    running_of_tenant: int | None = None
    max_running_of_queue: int | None = None
    running_of_queue: int | None = None
    opens_in: float | None = None


async def read_facts(scope: Scope, job_id: UUID) -> WhyFacts:
    """The facts as they are now, or `NotFound`."""
    row = await scope.conn.fetchrow(SQL["facts"], job_id, scope.tenant_id, MOST_COUNTED)
    if row is None or row["status"] is None:
        raise NotFound(f'unknown job "{job_id}"')
    pauses = [Standstill(**read_object(pause)) for pause in row["pauses"]]
    return WhyFacts(**{**row, "status": JobStatus(row["status"]), "pauses": pauses})


def reasons(facts: WhyFacts) -> list[Reason]:
    """What keeps it waiting, the weightiest first; for a job that does not wait, what it does."""
    if facts.status.is_final:
        return [Reason("ended", f"The job has ended: {facts.status}.")]
    if facts.status is JobStatus.RUNNING:
        warned = [Reason("warned", f"The job's log warns: {facts.warned}.")] if facts.warned else []
        return [*_silent(facts), *warned, _running(facts)]
    return [*_unreadable(facts), *_not_yet(facts), *_held_up(facts), *_nobody(facts), *_behind(facts)] or [
        Reason("next", "Nothing prevents a claim: a worker will take the job within moments.")
    ]


def _running(facts: WhyFacts) -> Reason:
    since = ""
    if facts.claimed_at is not None:
        span = _span(max(0.0, (facts.now - facts.claimed_at).total_seconds()))
        since = f", since {facts.claimed_at:%Y-%m-%d %H:%M:%S} UTC ({span})"
    stopping = ", and was asked to stop" if facts.cancel_requested else ""
    return Reason("running", f"The job is running on {facts.worker or 'a worker'}{since}{stopping}.")


def _silent(facts: WhyFacts) -> list[Reason]:
    """A handler that stops, freezes or crashes its worker's process cannot say so: its worker's silence does."""
    if facts.silent_for is None:
        return []
    who = f"Worker {facts.worker or 'of an unknown name'}, which runs the job,"
    detail = f"{who} has been silent for {_span(facts.silent_for)}"
    left = facts.lease_left or 0.0
    then = f"When its lease ends, in {_span(left)}," if left > 0 else "Its lease has ended:"
    soon = "" if left > 0 else " within moments"
    return [
        Reason(
            "silent",
            f"{detail}: its process may be stopped, frozen or gone. {then} the job moves to another worker{soon}.",
        )
    ]


def _unreadable(facts: WhyFacts) -> list[Reason]:
    if facts.unreadable_since is None:
        return []
    since = f"for {_span(max(0.0, (facts.now - facts.unreadable_since).total_seconds()))}"
    theirs = (
        f"Live workers have {', '.join(facts.versions)}"
        if facts.versions
        else "No live worker has reported its version"
    )
    if facts.version is not None and set(facts.versions) <= {facts.version}:
        detail = f'The payload does not fit version {facts.version} of "{facts.definition}"'
        return [
            Reason(
                "unreadable", f"{detail}, which is the newest: workers could not read the payload {since}. {theirs}."
            )
        ]
    newest = f" ({facts.version} was declared last)" if facts.version else ""
    detail = f'The job was enqueued by a newer version of "{facts.definition}"{newest}, or by a deleted one'
    return [Reason("unreadable", f"{detail}: workers could not read the payload {since}. {theirs}.")]


def _not_yet(facts: WhyFacts) -> list[Reason]:
    if facts.run_at is None:
        return []
    seconds = (facts.run_at - facts.now).total_seconds()
    if seconds <= 0:
        return [Reason("due", "The job is due: a scheduler will queue it within moments.")]
    subject = f"Attempt {facts.spent + 1} is" if facts.spent else "The job is"
    return [Reason("scheduled", f"{subject} scheduled for {facts.run_at:%Y-%m-%d %H:%M:%S} UTC, in {_span(seconds)}.")]


def _held_up(facts: WhyFacts) -> list[Reason]:
    result = []
    if facts.barred:
        detail = f'The tenant "{facts.tenant}" may not run the definition "{facts.definition}"'
        cure = f'add the tenant to the list ("headrace definitions set {facts.definition} tenants=…,{facts.tenant}")'
        result.append(Reason("tenant_not_allowed", f"{detail}: {cure}, or cancel the job."))
    if not facts.enabled:
        result.append(Reason("disabled", f'The definition "{facts.definition}" is disabled.'))
    if facts.paused:
        result.append(Reason("paused", f'The queue "{facts.queue}" is paused for "{facts.definition}".'))
    for pause in facts.pauses:
        ends = f" until {datetime.fromisoformat(pause.resume_at):%Y-%m-%d %H:%M} UTC" if pause.resume_at else ""
        note = f": {pause.note}" if pause.note else ""
        detail = f'The {pause.what} "{pause.name}" was paused by {pause.paused_by}{ends}{note}.'
        result.append(Reason(f"{pause.what}_paused", detail))
    return [*result, *_limited(facts)]


def _limited(facts: WhyFacts) -> list[Reason]:
    """Places that are all taken, and a rate that is used up."""
    places = (
        ("definition", f'the definition "{facts.definition}"', facts.max_concurrency, facts.running),
        ("key", "the concurrency key", facts.max_running_of_key, facts.running_of_key),
        ("tenant", "the tenant", facts.max_running_of_tenant, facts.running_of_tenant),
        ("queue", f'the queue "{facts.queue}"', facts.max_running_of_queue, facts.running_of_queue),
    )
    result = [
        Reason(f"{code}_limit", f"All {most:,} places of {whose} are taken ({running:,} running).")
        for code, whose, most, running in places
        if most is not None and running is not None and running >= most
    ]
    if facts.opens_in:
        detail = f'The rate limit of "{facts.definition}" lets the next job start in {_span(facts.opens_in)}.'
        result.append(Reason("rate_limit", detail))
    return result


def _nobody(facts: WhyFacts) -> list[Reason]:
    if facts.gone and facts.knowing_workers == 0:
        detail = f'No live worker knows the definition "{facts.definition}", which no code declares any more.'
        return [Reason("unknown_to_workers", detail)]
    if facts.workers == 0:
        return [Reason("no_worker", f'No live worker serves the queue "{facts.queue}".')]
    if facts.knowing_workers == 0:
        detail = f'serves "{facts.queue}" knows the definition "{facts.definition}" ({facts.workers} serve the queue)'
        return [Reason("unknown_to_workers", f"No live worker that {detail}.")]
    return []


def _behind(facts: WhyFacts) -> list[Reason]:
    result = []
    if facts.ahead:
        n = f"{MOST_COUNTED:,} or more" if facts.ahead >= MOST_COUNTED else f"{facts.ahead:,}"
        result.append(Reason("behind", f"The job waits behind {n} job{'' if facts.ahead == 1 else 's'} of its queue."))
    if facts.knowing_workers and facts.free_slots <= 0 and facts.run_at is None:
        result.append(Reason("busy", f"All workers that could run the job are busy ({facts.knowing_workers} of them)."))
    if facts.suspect:
        detail = "A worker died while the job ran, so the job runs again alone."
        result.append(Reason("suspect", detail))
    return result


def _span(seconds: float) -> str:
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"
