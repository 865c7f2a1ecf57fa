"""Who was failed or called lost for no fault of its own. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.chaos.storm.evidence import Evidence, Job, Run
from tests.chaos.storm.findings import Findings
from tests.chaos.storm.residents import Life

# Whoever was disturbed this many leases before it was called lost may be lost because of that.
LEASES = 3
# SQLSTATEs, or their classes, that pass by themselves: to try again later is right, also for whoever just starts.
PASSING = ("08", "25006", "40", "53", "55P03", "57", "58", "XX")
JUST_BEFORE = timedelta(seconds=5)
POISONS = ("poison",)
IN_A_CHILD = ("isolated", "storm-command")
A_SECOND = timedelta(seconds=1)
# What comes between a worker over HTTP and the database.
BETWEEN = ("kill-server", "freeze-server", "lost-request", "lost-answer", "refused-request")


def check_blame(evidence: Evidence, findings: Findings) -> None:
    """What the handlers did is what the rows say; who lives is not lost; who is innocent is hit once."""
    _check_outcomes(evidence, findings)
    _check_losses(evidence, findings)
    _check_neighbours(evidence, findings)
    for life in evidence.lives.values():
        if (
            life.ended_by_itself is not None
            and life.name not in evidence.truth.poisoned
            and not _may_end(evidence, life)
        ):
            findings.wronged.append(f"process {life.name} ended by itself with {life.ended_by_itself}: {life.said}")


def _may_end(evidence: Evidence, life: Life) -> bool:
    """Whether whoever starts it has to try again: nobody begins where a table or a right is missing.

    All else is waited for, by a server too.
    """
    ended_at = life.ended_at
    return ended_at is not None and any(
        injected.at <= ended_at <= injected.until + JUST_BEFORE
        for injected in evidence.injected
        if injected.kind == "renamed-table"
        or (
            (injected.kind, injected.target) == ("refused-statement", life.place)
            and not injected.detail.startswith(PASSING)
        )
    )


def _check_outcomes(evidence: Evidence, findings: Findings) -> None:
    done = {(noted.job, noted.run) for noted in evidence.truth.finished}
    for job in evidence.jobs.values():
        for run in job.runs:
            # The last run's is told with the job's end.
            failed = run.outcome in ("failed", "timed_out") and run.final is None
            if failed and (job.id, run.run) in done and not _child_was_killed(evidence, job, run):
                findings.wronged.append(
                    f"run {run.run} of {job.definition} {job.id} finished, and is {run.outcome}: {run.error}"
                )


def _child_was_killed(evidence: Evidence, job: Job, run: Run) -> bool:
    """Whether its process may have been killed between its last act and the word that it was done."""
    if job.definition not in IN_A_CHILD or run.started_at is None:
        return False
    kills = [injected.at for injected in evidence.injected if injected.kind == "kill-child"]
    return any(run.started_at <= at + A_SECOND and at - A_SECOND <= run.finished_at for at in kills)


def _check_losses(evidence: Evidence, findings: Findings) -> None:
    """A worker is lost when it was killed, stood still or was cut off; each such worker is named once."""
    called_lost: dict[tuple[str, datetime], list[str]] = {}
    for job in evidence.jobs.values():
        for run in job.runs:
            life = evidence.lives.get(run.process or "")
            if run.outcome == "lost" and life is not None and not _has_a_reason(evidence, life, run):
                called_lost.setdefault((life.name, run.finished_at), []).append(f"{job.definition} {job.id}")
    for (name, at), jobs in called_lost.items():
        findings.wronged.append(f"{name} lived and was called lost at {at} with {len(jobs)} jobs, such as {jobs[0]}")


def _has_a_reason(evidence: Evidence, life: Life, run: Run) -> bool:
    since = run.finished_at - timedelta(seconds=LEASES * evidence.lease)
    if life.killed_at is not None or life.ended_by_itself is not None or life.name in evidence.truth.poisoned:
        return True
    disturbed = [*life.frozen, *evidence.stalls]
    if life.place.startswith("h"):
        disturbed += [(injected.at, injected.until) for injected in evidence.injected if injected.kind in BETWEEN]
    return any(first <= run.finished_at and until >= since for first, until in disturbed)


def _check_neighbours(evidence: Evidence, findings: Findings) -> None:
    """An innocent job loses at most one attempt to others' poison.

    A process may be called lost for another reason, register anew and meet poison later: only those losses count whose
    worker, by its id, held poison when it was lost.
    """
    held_poison = {
        run.worker_id
        for job in evidence.jobs.values()
        if job.definition in POISONS
        for run in job.runs
        if run.outcome == "lost"
    }
    for job in evidence.jobs.values():
        if job.definition in POISONS:
            continue
        spent_before, hits = 0, list[Run]()
        for run in job.runs:
            spends = run.outcome == "lost" and run.spent > spent_before
            if spends and run.worker_id in held_poison and _died_of_poison(evidence, run.process):
                hits.append(run)
            spent_before = run.spent
        if len(hits) > 1:
            findings.wronged.append(
                f"{job.definition} {job.id} lost {len(hits)} attempts to its neighbours' poison: {hits}, of {job.runs}"
            )


def _died_of_poison(evidence: Evidence, process: str | None) -> bool:
    life = evidence.lives.get(process or "")
    return life is not None and life.killed_at is None and life.name in evidence.truth.poisoned
