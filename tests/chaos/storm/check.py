"""Holds the rows against what really happened. Pure, and without the code that it checks."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta

from tests.chaos.storm.blame import check_blame
from tests.chaos.storm.evidence import Evidence, Job
from tests.chaos.storm.findings import Findings
from tests.chaos.storm.truth import SNOOZED
from tests.chaos.world.fires import check as check_fires
from tests.chaos.world.limits import above_rate, most_at_once

# How each kind ends when nothing is wrong; all others succeed.
ENDS = {
    "doomed": {"dead_letter"},
    "failing": {"failed"},
    "withdrawn": {"canceled"},
    "poison": {"dead_letter"},
    "poison_child": {"dead_letter"},
    "bad_outcome": {"failed", "dead_letter", "canceled"},
}
PLACES = {"one": 1, "keyed": 6}
PLACES_PER_KEY = {"keyed": 2}
RATES = {"rated": (20.0, 5)}
# A SQL function cannot write to our file; it writes to a table, in the transaction that it is part of.
IN_SQL = "storm-sql"


def check(evidence: Evidence) -> Findings:
    """Everything that is wrong."""
    findings = Findings(stuck=list(evidence.stuck))
    _check_requests(evidence, findings)
    for job in evidence.jobs.values():
        _check_end(job, evidence, findings)
        _check_times(job, evidence, findings)
    _check_starts(evidence, findings)
    _check_triggers(evidence, findings)
    _check_limits(evidence, findings)
    check_blame(evidence, findings)
    return findings


def _check_requests(evidence: Evidence, findings: Findings) -> None:
    """One job for what was confirmed, one at most for what was not, none for what was taken back."""
    truth = evidence.truth
    by_token: dict[str, list[Job]] = defaultdict(list)
    for job in evidence.jobs.values():
        if job.token is not None:
            by_token[job.token].append(job)
    for token, job_id in truth.acknowledged.items():
        if job_id not in evidence.jobs:
            findings.lost.append(f"job {job_id} was confirmed for {token}, and is not there")
    for token, jobs in by_token.items():
        if len(jobs) > 1:
            findings.doubled.append(f"{token} was asked for once and has {len(jobs)} jobs: {[job.id for job in jobs]}")
    for token in truth.taken_back & set(by_token):
        findings.extra.append(f"{token} was rolled back and has a job: {by_token[token][0].id}")


def _check_end(job: Job, evidence: Evidence, findings: Findings) -> None:
    finals = job.finals()
    about = f"{job.definition} {job.id}"
    if job.live is not None:
        last = [f"{run.run} {run.outcome}: {run.error}" for run in job.runs[-3:]]
        findings.stuck.append(f"{about} is still {job.live} after {len(job.runs)} runs, the last of which {last}")
    elif not finals:
        findings.lost.append(f"{about} is neither in the queue nor has it ended")
    if len(finals) + (job.live is not None and bool(finals)) > 1:
        findings.doubled.append(f"{about} ended more than once: {[(run.run, run.final) for run in finals]}")
    if not finals:
        return
    end = finals[-1]
    allowed = ENDS.get(job.definition, {"succeeded"})
    if job.id in evidence.truth.cancel_asked:
        allowed = allowed | {"canceled"}
    if end.final not in allowed:
        findings.wronged.append(f"{about} is {end.final} in place of {'/'.join(sorted(allowed))}: {end.error}")
    if max(run.spent for run in job.runs) > job.max_attempts:
        findings.wronged.append(f"{about} has spent more than its {job.max_attempts} attempts")


def _check_times(job: Job, evidence: Evidence, findings: Findings) -> None:
    """Never before its time, and never after a cancel was confirmed."""
    about = f"{job.definition} {job.id}"
    began = [run.started_at for run in job.runs if run.started_at is not None]
    if job.scheduled_for is not None and began and min(began) < job.scheduled_for:
        findings.wronged.append(f"{about} ran at {min(began)}, before its time {job.scheduled_for}")
    for before, after in zip(job.runs, job.runs[1:], strict=False):
        wakes = before.finished_at + timedelta(seconds=SNOOZED)
        if (
            before.outcome == "snoozed"
            and job.definition == "snoozing"
            and after.started_at
            and after.started_at < wakes
        ):
            findings.wronged.append(f"{about} snoozed until {wakes} and ran at {after.started_at}")
    if job.id in evidence.truth.canceled:
        confirmed = datetime.fromtimestamp(evidence.truth.canceled[job.id], UTC)
        if any(at > confirmed for at in began):
            findings.wronged.append(
                f"{about} was claimed at {max(began)}, after its cancel was confirmed at {confirmed}"
            )


def _check_starts(evidence: Evidence, findings: Findings) -> None:
    """Each run starts once, before its job's end; and what succeeded has run to its end."""
    truth = evidence.truth
    for (job_id, run), times in Counter((noted.job, noted.run) for noted in truth.started).items():
        job = evidence.jobs.get(job_id)
        if times > 1:
            findings.doubled.append(f"run {run} of {job_id} started {times} times")
        if job is None:
            findings.extra.append(f"run {run} of {job_id} started, and there is no such job")
        elif job.finals() and run > job.finals()[-1].run:
            findings.doubled.append(f"run {run} of {job.definition} {job_id} started after its end")
    done = {(noted.job, noted.run) for noted in truth.finished}
    for job in evidence.jobs.values():
        good = [run for run in job.finals() if run.final == "succeeded"]
        if job.definition == IN_SQL:
            committed = evidence.sql_done.get(job.token or "", 0)
            if good and not committed:
                findings.lost.append(f"{IN_SQL} {job.id} succeeded, and its work is not there")
            if committed > len(job.runs):
                findings.doubled.append(f"{IN_SQL} {job.id} was committed {committed} times in {len(job.runs)} runs")
        elif good and (job.id, good[-1].run) not in done:
            findings.lost.append(f"{job.definition} {job.id} succeeded in run {good[-1].run}, which did not finish")


def _check_triggers(evidence: Evidence, findings: Findings) -> None:
    for name, history in evidence.histories.items():
        assert evidence.horizon is not None
        found = check_fires(history, evidence.horizon)
        findings.missed += [f"{name} did not fire for {due}" for due in found.missed]
        findings.extra += [f"{name} fired for {due}, which was not due" for due in found.extra]
        findings.extra += [f"{name} fired twice for {due}" for due in found.double]
    heard = {job.token for job in evidence.jobs.values() if job.definition == "heard"}
    findings.missed += [f"event {token} was confirmed and has no job" for token in evidence.truth.emitted - heard]


def _check_limits(evidence: Evidence, findings: Findings) -> None:
    """By the rows, where a run is over when it is rescued; and by the words of handlers that were not called lost."""
    for definition, places in PLACES.items():
        _check_places(evidence, findings, definition, None, places)
    for definition, places in PLACES_PER_KEY.items():
        for key in {job.key for job in evidence.jobs.values() if job.definition == definition}:
            _check_places(evidence, findings, definition, key, places)
    for definition, (a_second, burst) in RATES.items():
        runs = [run for job in evidence.jobs.values() if job.definition == definition for run in job.runs]
        starts = sorted(run.started_at for run in runs if run.started_at is not None)
        above = above_rate(starts, a_second=a_second, burst=burst)
        findings.above_limit += [f"{definition} started at {at}, above {a_second:g}/s" for at in above]


def _check_places(evidence: Evidence, findings: Findings, definition: str, key: int | None, places: int) -> None:
    jobs = [job for job in evidence.jobs.values() if job.definition == definition and key in (None, job.key)]
    runs = [(job.id, run) for job in jobs for run in job.runs if run.started_at is not None]
    most = most_at_once((run.started_at, run.finished_at) for _, run in runs if run.started_at is not None)
    kept = {(job_id, run.run) for job_id, run in runs if run.outcome != "lost"}
    ends = {(noted.job, noted.run): noted.at for noted in evidence.truth.finished}
    at_work = most_at_once(
        (noted.at, ends[noted.job, noted.run])
        for noted in evidence.truth.started
        if (noted.job, noted.run) in kept and (noted.job, noted.run) in ends
    )
    if max(most, at_work) > places:
        of = definition if key is None else f"{definition} with key {key}"
        findings.above_limit.append(f"{of} ran {most} at once by the rows and {at_work} by the handlers, of {places}")
