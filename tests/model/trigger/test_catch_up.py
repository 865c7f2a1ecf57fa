"""What fires after an outage: each policy by example, all of them against a plain list, and bounded work."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.model.time.cron_oracle import many

from headrace.model.time.cron import CronRule
from headrace.model.time.schedule import Cron, Every, Schedule
from headrace.model.time.zone import zone
from headrace.model.trigger.catch_up import CatchUp, Due, Fires, Skipped, decide_fires, pass_over

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
Step = Callable[[CronRule, datetime], datetime | None]
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
EACH_MINUTE = Schedule(Cron(CronRule.parse("* * * * *"), zone("UTC")))


def at(minute: int) -> datetime:
    return NOON + minute * MINUTE


def fired(catchup: bool, *minutes: int) -> list[Due]:
    return [Due(at(minute), catchup) for minute in minutes]


# policy, seconds after noon, what fires, what is skipped; the cap is 3, the grace 10 s and each whole minute is due
TABLE: list[tuple[CatchUp, int, list[Due], Skipped | None]] = [
    ("none", 0, fired(False, 0), None),
    ("none", 10, fired(False, 0), None),
    ("none", 11, [], Skipped(at(0), at(0), 1, "missed")),
    ("none", 65, fired(True, 1), Skipped(at(0), at(0), 1, "superseded")),
    ("none", 75, [], Skipped(at(0), at(1), 2, "missed")),
    ("none", 3600, fired(True, 60), Skipped(at(0), at(59), 60, "superseded")),
    ("latest", 0, fired(False, 0), None),
    ("latest", 11, fired(True, 0), None),
    ("latest", 65, fired(True, 1), Skipped(at(0), at(0), 1, "superseded")),
    ("latest", 75, fired(True, 1), Skipped(at(0), at(0), 1, "superseded")),
    ("latest", 999 * 60 + 59, fired(True, 999), Skipped(at(0), at(998), 999, "superseded")),
    ("latest", 1000 * 60, fired(True, 1000), Skipped(at(0), at(999), 1000, "superseded")),
    ("latest", 1001 * 60, fired(True, 1001), Skipped(at(0), at(1000), None, "superseded")),
    ("all", 0, fired(False, 0), None),
    ("all", 11, fired(True, 0), None),
    ("all", 65, fired(True, 0, 1), None),
    ("all", 125, fired(True, 0, 1, 2), None),
    ("all", 185, fired(True, 1, 2, 3), Skipped(at(0), at(0), 1, "over_cap")),
    ("all", 3600, fired(True, 58, 59, 60), Skipped(at(0), at(57), 58, "over_cap")),
]


@pytest.mark.parametrize(("policy", "seconds", "due", "skipped"), TABLE)
def test_a_policy_after_so_many_seconds(policy: CatchUp, seconds: int, due: list[Due], skipped: Skipped | None) -> None:
    now = NOON + seconds * SECOND
    fires = decide_fires(EACH_MINUTE, next_run_at=NOON, now=now, catch_up=policy, misfire_grace=10 * SECOND, cap=3)
    assert fires == Fires(due, skipped, at(seconds // 60 + 1))


@pytest.mark.parametrize("policy", get_args(CatchUp))
def test_before_its_time_nothing_fires_and_nothing_changes(policy: CatchUp) -> None:
    # Also when the clock went back: what lies between has fired.
    fires = decide_fires(EACH_MINUTE, next_run_at=NOON, now=NOON - timedelta(hours=1), catch_up=policy)
    assert fires == Fires([], None, NOON)


def test_a_time_that_is_no_longer_due_does_not_fire() -> None:
    # As when a new time zone database has moved it: only the schedule's own times count.
    daily = Schedule(Cron(CronRule.parse("0 9 * * *"), zone("Europe/Berlin")))
    stored = datetime(2026, 6, 1, 8, tzinfo=UTC)
    fires = decide_fires(daily, next_run_at=stored, now=stored + SECOND, catch_up="latest")
    assert fires == Fires([], None, datetime(2026, 6, 2, 7, tzinfo=UTC))


@pytest.mark.parametrize(("policy", "n"), [("none", 0), ("latest", 1), ("all", 3)])
def test_after_the_end_what_was_due_before_it_is_caught_up_and_then_no_more(policy: CatchUp, n: int) -> None:
    schedule = Schedule(Every(MINUTE, NOON), ends_at=at(3))
    fires = decide_fires(schedule, next_run_at=NOON, now=at(100), catch_up=policy)
    assert [due.due_at for due in fires.due] == [at(0), at(1), at(2)][3 - n :]
    assert fires.next_run_at is None


def test_enabling_again_passes_over_the_disabled_time_in_one_range() -> None:
    assert pass_over(EACH_MINUTE, next_run_at=NOON, now=at(5) + SECOND) == Fires(
        [], Skipped(at(0), at(5), 6, "disabled"), at(6)
    )
    assert pass_over(EACH_MINUTE, next_run_at=at(9), now=at(5)) == Fires([], None, at(9))


BEATS = [
    Every(timedelta(seconds=37), datetime(1999, 1, 1, tzinfo=UTC)),
    Cron(CronRule.parse("*/20 * * * *"), zone("America/New_York")),
    Cron(CronRule.parse("15,45 1-3 * * *"), zone("America/New_York")),
    Cron(CronRule.parse("0 0 * * *"), zone("Pacific/Apia")),
]
CHANGES = [datetime(2026, 11, 1, 5, tzinfo=UTC), datetime(2026, 3, 8, 6, tzinfo=UTC), NOON]


@many(100)
@given(
    st.sampled_from(BEATS),
    st.sampled_from(CHANGES),
    st.timedeltas(timedelta(0), timedelta(hours=2)),
    st.timedeltas(timedelta(0), timedelta(hours=4)),
    st.sampled_from(get_args(CatchUp)),
    st.timedeltas(timedelta(0), timedelta(minutes=30)),
    st.integers(1, 20),
)
def test_any_short_outage_is_decided_as_a_plain_list_decides_it(
    beat: Cron | Every,
    near: datetime,
    lead: timedelta,
    outage: timedelta,
    policy: CatchUp,
    grace: timedelta,
    cap: int,
) -> None:
    schedule = Schedule(beat)
    first = schedule.next_after(near - lead)
    assert first is not None
    now = first + outage
    due, following = [first], schedule.next_after(first)
    while following is not None and following <= now:
        due.append(following)
        following = schedule.next_after(following)
    missed = now - due[-1] > grace
    n = {"none": 0 if missed else 1, "latest": 1, "all": cap}[policy]
    keep, rest = due[max(0, len(due) - n) :], due[: max(0, len(due) - n)]

    fires = decide_fires(schedule, next_run_at=first, now=now, catch_up=policy, misfire_grace=grace, cap=cap)
    assert fires.due == [Due(moment, missed or len(due) > 1) for moment in keep]
    assert fires.next_run_at == following
    assert (fires.skipped is None) == (not rest)
    if fires.skipped:
        assert fires.skipped[:3] == (rest[0], rest[-1], len(rest) if len(rest) <= 1000 else None)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list that grows with each step over the calendar."""
    made: list[object] = []

    def counted(step: Step) -> Step:
        def wrapped(self: CronRule, moment: datetime) -> datetime | None:
            made.append(moment)
            return step(self, moment)

        return wrapped

    monkeypatch.setattr(CronRule, "next_naive", counted(CronRule.next_naive))
    monkeypatch.setattr(CronRule, "previous_naive", counted(CronRule.previous_naive))
    return made


@pytest.mark.parametrize("policy", get_args(CatchUp))
@pytest.mark.parametrize("days", [1, 61, 3653])
@pytest.mark.parametrize("text", ["* * * * *", "0-59 0-23 * * *"])
def test_the_work_does_not_grow_with_the_outage(steps: list[object], text: str, days: int, policy: CatchUp) -> None:
    schedule = Schedule(Cron(CronRule.parse(text), zone("America/New_York")))
    fires = decide_fires(schedule, next_run_at=NOON, now=NOON + timedelta(days=days), catch_up=policy)
    assert fires.skipped is not None
    assert fires.skipped.n is None
    assert len(fires.due) == {"none": 1, "latest": 1, "all": 100}[policy]
    # One for each that fires, two days' counting, and a handful.
    assert len(steps) <= len(fires.due) + 12


def test_the_work_for_a_daily_rule_is_bounded_by_the_count(steps: list[object]) -> None:
    daily = Schedule(Cron(CronRule.parse("30 2 * * *"), zone("America/New_York")))
    decide_fires(daily, next_run_at=datetime(1970, 1, 1, tzinfo=UTC), now=NOON, catch_up="latest")
    assert len(steps) <= 1050
