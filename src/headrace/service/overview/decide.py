"""From facts to sentences: what is wrong, the worst first; pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from headrace.service.overview.facts import Failing, Gone, OverviewFacts, Unread, WaitingQueue

Level = Literal["bad", "warn"]
Kind = Literal["definition", "unknown", "queue", "worker", "trigger", "scheduler", "database"]

# Fewer failures than these are chance.
LEAST_FAILURES = 5
LEAST_SHARE = 0.1
# So many times more than before is a rise.
RISE = 2.0
LATE_QUEUE = 60.0
LATE_TRIGGER = 30.0
OLD_SNAPSHOT = 300.0


class OverviewFinding(NamedTuple):
    """One thing that is wrong: a title, a sentence with what is known, and what it is about."""

    level: Level
    kind: Kind
    name: str
    title: str
    detail: str


class OverviewHealth(NamedTuple):
    """All that is wrong, the worst first; and a headline with its reason, also when nothing is."""

    title: str
    lead: str
    findings: list[OverviewFinding]
    rest: str


def assess(facts: OverviewFacts) -> OverviewHealth:
    """How things are."""
    findings = sorted(_findings(facts), key=lambda finding: finding.level != "bad")
    if not findings:
        return OverviewHealth("All well", _well(facts), [], _rest(facts))
    return OverviewHealth(findings[0].title, findings[0].detail, findings, _rest(facts))


def _findings(facts: OverviewFacts) -> Iterator[OverviewFinding]:
    yield from _no_waiting_mends(facts)
    for failing in sorted(facts.failing, key=lambda one: -one.bad):
        if _is_rising(failing):
            yield _failing(failing)
    for waiting in facts.waiting:
        if waiting.unknown is None:
            yield from _waiting(waiting)
    yield from _triggers(facts)
    for silent in facts.silent:
        detail = f"Last heard {span(silent.seconds)} ago. Its jobs return to the queue when its lease ends."
        yield OverviewFinding("warn", "worker", silent.name, f"Worker {silent.name} is silent", detail)
    if facts.snapshot is not None and facts.snapshot > OLD_SNAPSHOT:
        detail = f"A transaction is open for {span(facts.snapshot)}. Until it ends, deleted rows are not cleaned up."
        yield OverviewFinding("warn", "database", "snapshot", "The database holds an old snapshot", detail)


def _no_waiting_mends(facts: OverviewFacts) -> Iterator[OverviewFinding]:
    """What stands still until somebody does something, first of all."""
    for waiting in facts.waiting:
        if waiting.unknown is not None:
            yield _unknown(waiting, waiting.unknown)
    for gone in facts.gone:
        yield _gone(gone)
    for unread in facts.unread:
        yield _unread(unread)


def _is_rising(failing: Failing) -> bool:
    share = failing.bad / max(failing.runs, failing.bad)
    before = failing.bad_before / failing.runs_before if failing.runs_before else 0.0
    return failing.bad >= LEAST_FAILURES and share >= max(LEAST_SHARE, min(RISE * before, 0.5))


def _failing(failing: Failing) -> OverviewFinding:
    outcome = "timed out" if failing.timed_out > failing.bad / 2 else "failed"
    detail = f"{failing.bad:,} of {max(failing.runs, failing.bad):,} attempts {outcome} in the last 15 minutes."
    if failing.dead:
        detail += f" {_jobs(failing.dead)} became dead letters."
    return OverviewFinding("bad", "definition", failing.key, f"{failing.key} is failing", detail)


def _unknown(waiting: WaitingQueue, definition: str) -> OverviewFinding:
    detail = f"{_waits(waiting)} {span(waiting.oldest or 0.0)} in queue {waiting.queue}."
    if waiting.gone:
        detail += f" The definition was {_left(waiting.sql)}: start a worker that still has it, or cancel the jobs."
    elif waiting.sql:
        detail += " No worker of this queue runs SQL jobs: set sql.database_url for one that should."
    else:
        detail += " Start a worker whose code declares the definition."
    return OverviewFinding("bad", "unknown", definition, f"No worker knows definition {definition}", detail)


def _gone(gone: Gone) -> OverviewFinding:
    title = f"Trigger {gone.named} makes no jobs"
    if gone.triggers > 1:
        title = f"{gone.triggers} triggers make no jobs"
    detail = f"Definition {gone.key} was {_left(gone.sql)}. Restore the definition, or turn off its triggers."
    return OverviewFinding("bad", "trigger", gone.named, title, detail)


def _left(sql: bool) -> str:
    return "undefined" if sql else "deleted from code"


def _waits(waiting: WaitingQueue) -> str:
    return f"{_jobs(waiting.jobs)} wait{'s' if waiting.jobs == 1 else ''}, the oldest for"


def _unread(unread: Unread) -> OverviewFinding:
    wait = f"{_jobs(unread.jobs)} could not be read for {span(unread.oldest)}, and will be dead letters"
    newest, theirs = unread.version or "unknown", ", ".join(unread.versions) or "none"
    if set(unread.versions) <= {unread.version}:
        title = f"Jobs of {unread.key} fit no version of it"
        detail = f"{wait}. Version {newest} was declared last; live workers have {theirs}."
    else:
        title = f"Jobs were enqueued by a newer version of {unread.key}"
        detail = f"{wait} unless workers of that version come. {newest} was declared last; live workers have {theirs}."
    return OverviewFinding("bad", "definition", unread.key, title, detail)


def _waiting(waiting: WaitingQueue) -> Iterator[OverviewFinding]:
    oldest = waiting.oldest or 0.0
    queue, wait = waiting.queue, _waits(waiting)
    if waiting.paused:
        yield OverviewFinding("warn", "queue", queue, f"Queue {queue} is paused", f"{wait} {span(oldest)}.")
    elif waiting.workers == 0:
        detail = f"{wait} {span(oldest)}. Start one with headrace worker --queues {queue}."
        yield OverviewFinding("bad", "queue", queue, f"No worker serves queue {queue}", detail)
    elif oldest > LATE_QUEUE:
        why = f" All {waiting.slots} slots are busy." if waiting.busy >= waiting.slots else ""
        yield OverviewFinding("warn", "queue", queue, f"Queue {queue} is behind", f"{wait} {span(oldest)}.{why}")


def _triggers(facts: OverviewFacts) -> Iterator[OverviewFinding]:
    triggers = facts.triggers
    if triggers.in_error and triggers.named is not None:
        title = f"Trigger {triggers.named} is in error"
        if triggers.in_error > 1:
            title = f"{triggers.in_error} triggers are in error"
        yield OverviewFinding("bad", "trigger", triggers.named, title, f"{triggers.named}: {triggers.said}")
    if triggers.late is not None and triggers.late > LATE_TRIGGER:
        detail = f"A trigger has been due for {span(triggers.late)}. Is a worker running with its scheduler enabled?"
        yield OverviewFinding("bad", "scheduler", "scheduler", "The scheduler is behind", detail)


def _well(facts: OverviewFacts) -> str:
    if not facts.ever:
        ready = (
            f"{facts.workers} worker{'' if facts.workers == 1 else 's'} ready." if facts.workers else "No worker yet."
        )
        return f"No jobs yet. {ready}"
    longest = max((one.oldest or 0.0 for one in facts.waiting), default=0.0)
    waits = f"none waits longer than {span(max(1.0, longest))}" if facts.waiting else "none waits"
    return f"{_jobs(facts.ended)} in the last hour; {waits}."


def _rest(facts: OverviewFacts) -> str:
    """What was looked at, for who wants to know what "all else" is."""
    parts = [
        f"{facts.definitions:,} active definition{'' if facts.definitions == 1 else 's'}",
        f"{facts.triggers.number:,} trigger{'' if facts.triggers.number == 1 else 's'}",
        f"{facts.busy:,} of {facts.slots:,} slots busy",
    ]
    if facts.snapshot is not None:
        parts.append(f"oldest snapshot {span(facts.snapshot)}")
    return f"{', '.join(parts)}."


def _jobs(n: int) -> str:
    return f"{n:,} job{'' if n == 1 else 's'}"


def span(seconds: float) -> str:
    """As the dashboard writes a stretch of time: `4 m 12 s`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} m"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"
