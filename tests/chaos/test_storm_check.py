"""The storm's own checker and plan: each thing that can be wrong is found, and the same seed plans the same faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from tests.chaos.storm.check import check
from tests.chaos.storm.evidence import Evidence, Job, Noted, Run, Truth
from tests.chaos.storm.injector import SQLSTATES, Injected
from tests.chaos.storm.plan import HEAVY, KINDS, plan
from tests.chaos.storm.residents import Life
from tests.chaos.world.fires import History, Line, Stretch

START = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = 5.0
# Of the SQLSTATEs that a storm injects, those that whoever starts does not wait for.
NOT_WAITED_FOR = {"42P01", "42501", "0A000", "42883"}
Doctor = Callable[[Evidence], None]


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def a_run(run: int, outcome: str, final: str | None = None, spent: int = 1, **more: object) -> Run:
    good = Run(run, outcome, final, spent, at(10 * run), at(10 * run + 1), "w0-0", None)
    return good._replace(**more)  # type: ignore[arg-type]


def add(evidence: Evidence, job: Job) -> Job:
    """A job that was asked for, and ran as its rows say."""
    evidence.jobs[job.id] = job
    if job.token is not None:
        evidence.truth.acknowledged[job.token] = job.id
    for run in job.runs:
        moment = Noted(job.id, run.run, run.process or "-", 10 * run.run)
        evidence.truth.started.append(moment)
        if run.outcome == "succeeded":
            evidence.truth.finished.append(moment._replace(at=moment.at + 1))
    return job


@pytest.fixture
def evidence() -> Evidence:
    """Of a storm in which all went well."""
    lives = {
        "w0-0": Life("w0-0", "w0", 1),
        "w0-1": Life("w0-1", "w0", 2, killed_at=at(21)),
        "h0-0": Life("h0-0", "h0", 3),
    }
    evidence = Evidence(LEASE, Truth(), {}, lives, horizon=at(3))
    add(evidence, Job("good", "plain", "p0.1", 5, runs=[a_run(1, "succeeded", "succeeded")]))
    hit = [a_run(2, "lost", process="w0-1", finished_at=at(29)), a_run(3, "succeeded", "succeeded", 2)]
    add(evidence, Job("hit", "plain", "p0.2", 5, runs=hit))
    add(evidence, Job("letter", "doomed", "p0.3", 1, runs=[a_run(1, "failed", "dead_letter")]))
    add(evidence, Job("event", "heard", "p0.4", 5, runs=[a_run(1, "succeeded", "succeeded")]))
    add(evidence, Job("limited", "one", "p0.5", 5, runs=[a_run(1, "succeeded", "succeeded")]))
    add(evidence, Job("in sql", "storm-sql", "p0.6", 5, runs=[a_run(1, "succeeded", "succeeded")]))
    evidence.truth.emitted.add("p0.4")
    evidence.sql_done["p0.6"] = 1
    history = History([Stretch(at(0), at(10**6), at(0), timedelta(seconds=1))])
    for n in range(3):
        job_id = uuid4()
        history.lines.append(Line(at(n), "fired", at(n), job_id))
        history.jobs.append((job_id, at(n)))
    evidence.histories["t0"] = history
    return evidence


def wrong(evidence: Evidence) -> dict[str, int]:
    return {what: n for what, n in check(evidence).counts().items() if n}


def test_a_good_storm_has_nothing_wrong(evidence: Evidence) -> None:
    assert wrong(evidence) == {}
    assert check(evidence).nothing()


def change(job: str, run: int, **fields: object) -> Doctor:
    """Another run than it was."""

    def doctor(evidence: Evidence) -> None:
        runs = evidence.jobs[job].runs
        runs[run] = runs[run]._replace(**fields)  # type: ignore[arg-type]

    return doctor


def finished_and_tried_again(evidence: Evidence) -> None:
    change("hit", 0, outcome="failed")(evidence)
    evidence.truth.finished.append(Noted("hit", 2, "w0-1", 25))


def another_in_one_place(evidence: Evidence) -> None:
    add(evidence, Job("beside", "one", "p0.7", 5, runs=[a_run(1, "succeeded", "succeeded")]))


def hit_again_by_poison(evidence: Evidence) -> None:
    for name in ("w1-0", "w1-1"):
        evidence.lives[name] = Life(name, "w1", 9)
        evidence.truth.poisoned.add(name)
    twice = [a_run(1, "lost", process="w1-0", worker_id=1), a_run(2, "lost", spent=2, process="w1-1", worker_id=2)]
    add(evidence, Job("poison", "poison", "x.1", 2, runs=[twice[0], twice[1]._replace(final="dead_letter")]))
    add(evidence, Job("innocent", "plain", "p0.8", 5, runs=[*twice, a_run(3, "succeeded", "succeeded", 3)]))


def too_many_in_a_second(evidence: Evidence) -> None:
    for n in range(7):
        run = a_run(1, "succeeded", "succeeded", finished_at=at(11))
        add(evidence, Job(f"rated {n}", "rated", f"p1.{n}", 5, runs=[run]))


def a_stretch_missed(evidence: Evidence) -> None:
    history = evidence.histories["t0"]
    job_id = history.lines.pop().job_id
    history.jobs = [(known, due) for known, due in history.jobs if known != job_id]


@pytest.mark.parametrize(
    ("doctor", "found"),
    [
        pytest.param(lambda e: e.truth.acknowledged.update(gone="nowhere"), "lost", id="confirmed, and not there"),
        pytest.param(lambda e: e.jobs["good"].runs.clear(), "lost", id="neither waiting nor ended"),
        pytest.param(lambda e: e.truth.finished.pop(0), "lost", id="succeeded, and did not finish"),
        pytest.param(lambda e: e.sql_done.clear(), "lost", id="succeeded, and its work was not committed"),
        pytest.param(lambda e: e.truth.started.append(e.truth.started[0]), "doubled", id="a run started twice"),
        pytest.param(change("hit", 0, final="canceled"), "doubled", id="ended twice"),
        pytest.param(
            lambda e: e.truth.started.append(Noted("good", 2, "w0-0", 5)), "doubled", id="started after its end"
        ),
        pytest.param(
            lambda e: add(e, Job("twin", "plain", "p0.1", 5, runs=[a_run(1, "succeeded", "succeeded")])),
            "doubled",
            id="two jobs for one request",
        ),
        pytest.param(lambda e: e.sql_done.update({"p0.6": 2}), "doubled", id="committed more often than it ran"),
        pytest.param(lambda e: add(e, Job("waits", "plain", "p0.9", 5, live="queued")), "stuck", id="still waits"),
        pytest.param(lambda e: setattr(e, "stuck", ["the server stayed dead"]), "stuck", id="stayed dead"),
        pytest.param(a_stretch_missed, "missed", id="a due time without a line"),
        pytest.param(lambda e: e.truth.emitted.add("p0.99"), "missed", id="an event without its job"),
        pytest.param(lambda e: e.histories["t0"].jobs.append((UUID(int=1), at(1))), "extra", id="a job without a line"),
        pytest.param(lambda e: e.truth.taken_back.add("p0.1"), "extra", id="rolled back, and there"),
        pytest.param(another_in_one_place, "above limit", id="two in one place"),
        pytest.param(too_many_in_a_second, "above limit", id="above the rate"),
        pytest.param(change("good", 0, outcome="failed", final="failed"), "wronged", id="finished, and failed"),
        pytest.param(finished_and_tried_again, "wronged", id="finished, and tried again"),
        pytest.param(change("letter", 0, outcome="succeeded", final="failed"), "wronged", id="another end"),
        pytest.param(change("hit", 0, process="w0-0"), "wronged", id="called lost while it lived"),
        pytest.param(hit_again_by_poison, "wronged", id="hit twice by poison"),
        pytest.param(lambda e: setattr(e.lives["w0-0"], "ended_by_itself", 1), "wronged", id="ended by itself"),
        pytest.param(lambda e: setattr(e.jobs["good"], "scheduled_for", at(60)), "wronged", id="before its time"),
        pytest.param(lambda e: e.truth.canceled.update(good=at(5).timestamp()), "wronged", id="claimed after a cancel"),
        pytest.param(change("hit", 1, spent=6), "wronged", id="more attempts than allowed"),
    ],
)
def test_the_checker_sees(evidence: Evidence, doctor: Doctor, found: str) -> None:
    doctor(evidence)
    assert found in wrong(evidence)


def test_who_was_frozen_or_cut_off_may_be_lost(evidence: Evidence) -> None:
    lost = change("hit", 0, process="w0-0")
    lost(evidence)
    evidence.lives["w0-0"].frozen.append((at(20), at(27)))
    assert wrong(evidence) == {}
    change("hit", 0, process="h0-0")(evidence)
    assert wrong(evidence) == {"wronged": 1}
    evidence.injected = [Injected("kill-server", "server", at(22), at(22), "")]
    assert wrong(evidence) == {}
    evidence.injected = [Injected("freeze-database", "", at(22), at(28), "")]
    assert wrong(evidence) == {"wronged": 1}


@pytest.mark.parametrize(("sqlstate", "may_end"), [(state, state in NOT_WAITED_FOR) for state in SQLSTATES])
def test_who_starts_may_end_where_a_table_is_missing_and_not_for_what_passes(
    evidence: Evidence, sqlstate: str, may_end: bool
) -> None:
    life = evidence.lives["w0-0"]
    life.ended_by_itself, life.ended_at = 1, at(12)
    evidence.injected = [Injected("refused-statement", "w0", at(9), at(10), f"{sqlstate} for select")]
    assert wrong(evidence) == ({} if may_end else {"wronged": 1})


def test_a_server_may_not_end_because_its_database_is_away(evidence: Evidence) -> None:
    evidence.lives["server-0"] = Life("server-0", "server", 1, ended_by_itself=5, ended_at=at(12))
    evidence.injected = [Injected("crash-database", "", at(9), at(13), "killed and started")]
    assert wrong(evidence) == {"wronged": 1}


def test_the_same_seed_plans_the_same_faults() -> None:
    assert plan(7, 60, a_second=2) == plan(7, 60, a_second=2) != plan(8, 60, a_second=2)
    short = plan(7, 1, a_second=0)
    assert Counter(one.kind for one in short) == {kind: 1 if kind in HEAVY else 2 for kind in KINDS}
    long = plan(7, 600, a_second=2)
    assert len(long) == 1200
    assert [one.at for one in long] == sorted(one.at for one in long)
    assert {one.kind for one in plan(7, 60, a_second=2, without=["poison"])} == set(KINDS) - {"poison"}
    with pytest.raises(ValueError, match="no such fault: earthquake"):
        plan(7, 60, a_second=2, without=["earthquake"])
