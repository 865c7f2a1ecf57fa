"""The checker itself: it finds nothing wrong with good fires, and each thing that can be wrong with bad ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from tests.chaos.world.fires import NOTHING_WRONG, Findings, History, Line, Stretch, add_up, check

START = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
END = START + timedelta(days=1)


def at(seconds: float) -> datetime:
    return START + seconds * SECOND


def fires(history: History, *seconds: float, late: float = 0.01) -> None:
    """Lines and jobs as a scheduler writes them."""
    for due in seconds:
        job_id = uuid4()
        history.lines.append(Line(at(due), "fired", at(due + late), job_id))
        history.jobs.append((job_id, at(due)))


def passes(history: History, first: float, until: float, n: int | None, reason: str = "disabled") -> None:
    history.lines.append(Line(at(first), "skipped", at(until), None, reason, at(until), n))


def wrong(history: History, horizon: float = 10) -> dict[str, int]:
    """Only what is not zero."""
    return {what: n for what, n in check(history, at(horizon)).wrong().items() if n}


@pytest.fixture
def plain() -> History:
    """Due each second from 0 to 9, and fired."""
    history = History([Stretch(at(0), END, at(0), SECOND)])
    fires(history, *range(10))
    return history


@pytest.fixture
def toggled() -> History:
    """Off from 3.5 to 6.5."""
    history = History([Stretch(at(0), END, at(0), SECOND)], [(at(3.5), at(6.5))])
    fires(history, 0, 1, 2, 3, 7, 8, 9)
    passes(history, 4, 6, 3)
    return history


def test_good_fires_have_nothing_wrong(plain: History, toggled: History) -> None:
    for history in (plain, toggled):
        found = check(history, at(10))
        assert found.wrong() == NOTHING_WRONG == dict.fromkeys(NOTHING_WRONG, 0)
        assert (found.expected, found.fired + found.passed_over) == (10, 10)
    # What comes after the horizon is not yet settled.
    fires(plain, 10, 11)
    assert wrong(plain) == {}


def test_a_rule_begins_with_the_first_due_time_since_it_holds() -> None:
    rule = Stretch(at(2.5), at(5), at(0.25), SECOND)
    assert list(rule.due(at(100))) == [at(3.25), at(4.25)]
    assert list(rule.due(at(4))) == [at(3.25)]
    assert list(Stretch(at(0), END, at(2), SECOND).due(at(4))) == [at(2), at(3)]
    assert list(Stretch(at(2), END, at(0), SECOND).due(at(4))) == [at(2), at(3)]


def test_it_finds_a_due_time_that_is_missing(plain: History) -> None:
    del plain.lines[4], plain.jobs[4]
    assert wrong(plain) == {"missed": 1}
    assert check(plain, at(10)).missed == [at(4)]


def test_it_finds_one_missing_at_the_end(plain: History) -> None:
    assert wrong(plain, 11) == {"missed": 1}


def test_it_finds_a_line_without_its_job(plain: History) -> None:
    del plain.jobs[4]
    assert wrong(plain) == {"missed": 1}


def test_it_finds_a_due_time_that_fired_twice(plain: History) -> None:
    fires(plain, 4)
    assert wrong(plain) == {"double": 2}  # two lines and two jobs


def test_it_finds_two_jobs_for_one_line(plain: History) -> None:
    plain.jobs.append((uuid4(), at(4)))
    assert wrong(plain) == {"extra": 1, "double": 1}


def test_it_finds_a_due_time_both_fired_and_passed_over(toggled: History) -> None:
    fires(toggled, 4, late=2.6)
    assert wrong(toggled) == {"double": 1, "fired while disabled": 1}


def test_it_finds_a_fire_at_a_time_that_was_not_due(plain: History) -> None:
    fires(plain, 4.5)
    assert wrong(plain) == {"extra": 1}


def test_it_finds_a_job_without_a_line(plain: History) -> None:
    plain.jobs.append((UUID(int=1), at(4.5)))
    assert wrong(plain) == {"extra": 1}


def test_it_finds_what_fired_while_disabled_by_its_time_or_by_the_clock(toggled: History) -> None:
    toggled.lines[3] = toggled.lines[3]._replace(at=at(3.6))
    assert wrong(toggled) == {"fired while disabled": 1}
    toggled.lines[3] = toggled.lines[3]._replace(at=at(3.4))
    assert wrong(toggled) == {}
    toggled.lines[-1] = toggled.lines[-1]._replace(due_at=at(5), n=2)
    fires(toggled, 4, late=3)
    assert wrong(toggled) == {"fired while disabled": 1}


def test_it_finds_a_stretch_that_leaves_some_out_or_counts_wrong(toggled: History) -> None:
    toggled.lines[-1] = toggled.lines[-1]._replace(until=at(5), n=2)
    assert wrong(toggled) == {"missed": 1}
    toggled.lines[-1] = toggled.lines[-1]._replace(until=at(6), n=2)
    assert wrong(toggled) == {"missed": 3}


def test_it_finds_what_was_passed_over_though_nobody_wanted_that(plain: History) -> None:
    del plain.lines[2:5], plain.jobs[2:5]
    for reason in ("missed", "over_cap", "disabled", "edited"):
        passes(plain, 2, 4.5, 3, reason)
        assert wrong(plain) == {"missed": 3}, reason
        del plain.lines[-1]


def test_what_nobody_came_to_fire_in_time_may_be_passed_over_but_not_for_long() -> None:
    history = History([Stretch(at(0), END, at(0), SECOND)], [(at(18.5), at(20.5))])
    fires(history, 0, 1, 2, *range(21, 30))
    passes(history, 3, 20, 18)
    assert wrong(history, 30) == {"missed": 1}
    assert check(history, at(30)).missed == [at(3)]


def test_an_edit_ends_one_rule_and_begins_another() -> None:
    history = History([Stretch(at(0), at(4.5), at(0), SECOND), Stretch(at(4.5), END, at(0.5), 2 * SECOND)])
    fires(history, 0, 1, 2, 3)
    passes(history, 4, 4.5, None, "edited")
    fires(history, 4.5, 6.5, 8.5)
    assert wrong(history) == {}
    fires(history, 5)
    assert wrong(history) == {"extra": 1}


def test_findings_add_up(plain: History, toggled: History) -> None:
    del plain.lines[4], plain.jobs[4]
    total = add_up([check(plain, at(10)), check(toggled, at(10)), Findings()])
    assert (total.expected, total.fired, total.passed_over) == (20, 16, 3)
    assert total.wrong() == NOTHING_WRONG | {"missed": 1}
