"""Plans: what a trigger does when its time has come, by example and by one law: each due time is settled once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import BadRequest
from headrace.model.trigger import fire_plan
from headrace.model.trigger.declaration import complete_settings, read_settings
from headrace.model.trigger.fire_plan import Entry, Plan, Standing, plan_backfill, plan_fires, plan_first
from headrace.model.trigger.rule import Rule

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


def at(hour: int) -> datetime:
    return NOON + hour * HOUR


def rule(**settings: Any) -> Rule:
    """Each hour, unless said otherwise."""
    if "trigger_type" not in settings:
        settings = {"every_seconds": 3600, "starts_at": at(-1000), **settings}
    return read_settings("hourly", complete_settings(settings))


def plan(of: Rule, due: int | None = 0, *, now: datetime = NOON, problem: str | None = None, **standing: Any) -> Plan:
    stands = {"tenant": "default", "pending_due_at": None, "fires": 0, **standing}
    next_run_at = None if due is None else at(due)
    return plan_fires(of, Standing(next_run_at=next_run_at, **stands), now=now, check=lambda _payload: problem)


def lines(made: Plan) -> list[tuple[datetime, str]]:
    return [(entry.due_at, entry.reason or "fired") for entry in made.entries]


def test_a_due_time_fires_and_the_next_is_an_hour_later() -> None:
    made = plan(rule(payload={"at": "{{scheduled_for}}"}))
    assert made.entries == [Entry(NOON, "scheduler", '{"at":"2026-06-01T12:00:00+00:00"}')]
    assert (made.next_run_at, made.pending_due_at, made.cancel, made.error) == (at(1), None, False, None)


def test_the_same_trigger_at_the_same_time_gives_the_same_plan() -> None:
    assert plan(rule(catch_up="all"), -5) == plan(rule(catch_up="all"), -5)


def test_what_was_passed_over_is_one_entry() -> None:
    made = plan(rule(), -5)
    assert made.entries[0] == Entry(at(-5), "scheduler", reason="superseded", until=at(-1), n=5)
    assert made.entries[1:] == [Entry(NOON, "catchup", "{}")]


def test_the_grace_is_longer_by_the_jitter() -> None:
    late = NOON + 65 * SECOND
    assert lines(plan(rule(catch_up="none"), now=late)) == [(NOON, "missed")]
    assert lines(plan(rule(catch_up="none", jitter_seconds=10), now=late)) == [(NOON, "fired")]


@pytest.mark.parametrize(("seconds", "reason"), [(30, "fired"), (62, "window_ended")])
def test_after_the_end_and_its_grace_nothing_fires(seconds: int, reason: str) -> None:
    made = plan(rule(ends_at=NOON + SECOND), now=NOON + seconds * SECOND)
    assert lines(made) == [(NOON, reason)]
    assert made.next_run_at is None


def test_a_failing_trigger_is_paused_and_keeps_its_place() -> None:
    made = plan(rule(pause_on_failures=3), -2, failing=True, pending_due_at=at(-4))
    assert (made.entries, made.next_run_at, made.pending_due_at) == ([], at(-2), at(-4))
    assert made.pause_note == "paused: the last 3 jobs failed"


@pytest.mark.parametrize("reason", ["definition_disabled", "deleted_from_code"])
def test_an_obstacle_is_the_reason_also_of_what_waits(reason: str) -> None:
    made = plan(rule(overlap="queue_one"), obstacle=reason, pending_due_at=at(-3))
    assert lines(made) == [(at(-3), reason), (NOON, reason)]
    assert (made.pending_due_at, made.next_run_at) == (None, at(1))


def test_an_init_fires_once_and_then_has_finished() -> None:
    init = rule(trigger_type="init")
    assert lines(plan(init)) == [(NOON, "fired")]
    assert lines(plan(init, fired_before=True)) == [(NOON, "already_fired")]
    assert plan(init).next_run_at is None
    assert plan(init, fired_before=True).next_run_at is None


def test_a_template_that_finds_nothing_and_a_payload_that_does_not_fit_say_so() -> None:
    made = plan(rule(payload={"a": "{{trigger.nothing}}"}))
    assert lines(made) == [(NOON, "template_error")]
    assert made.error is not None
    assert "payload.a" in made.error
    made = plan(rule(), problem="a: is missing")
    assert lines(made) == [(NOON, "invalid_payload")]
    assert (made.error, made.fired) == ("a: is missing", 0)


def test_what_is_beyond_the_maximum_does_not_fire() -> None:
    made = plan(rule(max_fires=3, catch_up="all"), -3, fires=1)
    assert lines(made) == [(at(-1), "max_fires"), (NOON, "max_fires"), (at(-3), "fired"), (at(-2), "fired")]
    assert lines(plan(rule(max_fires=3), fires=3)) == [(NOON, "max_fires")]


def test_nothing_waits_for_a_turn_that_never_comes() -> None:
    made = plan(rule(max_fires=1, overlap="queue_one"), -1, pending_due_at=at(-2))
    assert (made.pending_due_at, made.fired) == (None, 1)
    made = plan(rule(max_fires=1, overlap="cancel_running"), fires=1, live=True)
    assert (made.pending_due_at, made.cancel, lines(made)) == (None, False, [(NOON, "max_fires")])


def test_what_waits_does_not_use_up_the_maximum_of_others() -> None:
    made = plan(rule(max_fires=1, overlap="skip"), live=True)
    assert lines(made) == [(NOON, "overlap")]
    assert made.next_run_at == at(1)


def test_what_waited_fires_alone_when_nothing_is_due() -> None:
    made = plan(rule(overlap="queue_one"), None, pending_due_at=at(-3))
    assert made.entries == [Entry(at(-3), "scheduler", "{}")]
    assert made.pending_due_at is None


def test_cancel_is_asked_once_for_each_new_due_time() -> None:
    assert plan(rule(overlap="cancel_running"), live=True).cancel
    assert not plan(rule(overlap="cancel_running"), None, live=True, pending_due_at=at(-1)).cancel


def test_the_first_due_time_comes_after_the_rule_holds() -> None:
    first = plan_first(rule(), effective_from=NOON + SECOND, uncovered_from=None, uncovered_why=None)
    assert (first.next_run_at, first.entries) == (at(1), [])
    first = plan_first(rule(), effective_from=NOON, uncovered_from=None, uncovered_why=None)
    assert first.next_run_at == NOON
    first = plan_first(rule(trigger_type="init"), effective_from=NOON, uncovered_from=at(-2), uncovered_why="disabled")
    assert (first.next_run_at, first.entries) == (NOON, [])


def test_disabled_time_is_counted_and_time_under_another_rule_is_not() -> None:
    since = NOON + SECOND
    made = plan_first(rule(), effective_from=since, uncovered_from=at(-2), uncovered_why="disabled")
    assert made.entries == [Entry(at(-2), "scheduler", reason="disabled", until=NOON, n=3)]
    made = plan_first(rule(), effective_from=since, uncovered_from=at(-2), uncovered_why="edited")
    assert made.entries == [Entry(at(-2), "scheduler", reason="edited", until=since)]
    made = plan_first(rule(), effective_from=since, uncovered_from=at(1), uncovered_why="disabled")
    assert made.entries == []


def test_a_time_at_which_it_was_enabled_is_due_and_not_disabled() -> None:
    made = plan_first(rule(), effective_from=NOON, uncovered_from=at(-1), uncovered_why="disabled")
    assert made.next_run_at == NOON
    assert made.entries == [Entry(at(-1), "scheduler", reason="disabled", until=at(-1), n=1)]


def test_a_backfill_fires_all_or_one() -> None:
    stands, times = Standing("default", None, None, 0), [at(-3), at(-2)]
    for one, live, reasons in (
        (False, False, [None, None]),
        (True, False, [None, "overlap"]),
        (True, True, ["overlap", "overlap"]),
    ):
        stands = Standing("default", None, None, 0, live=live)
        made = plan_backfill(rule(), stands, times, one=one, check=lambda _payload: None)
        assert [(entry.due_at, entry.reason) for entry in made] == list(zip(times, reasons, strict=True))
        assert {entry.triggered_by for entry in made} == {"backfill"}


def test_payloads_that_are_refused_use_up_the_bounds_as_those_that_fire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fire_plan, "MOST_TEXT", 1000)
    monkeypatch.setattr(fire_plan, "SHARE", 1000)
    large = rule(payload={"pad": "x" * 600, "at": "{{scheduled_for}}"}, catch_up="all")
    made = plan(large, -5, problem="refused")
    assert ([entry.reason for entry in made.entries], made.is_cut) == (["invalid_payload"] * 2, True)
    stands = Standing("default", None, None, 0)
    with pytest.raises(BadRequest, match="more than 1,000 characters"):
        plan_backfill(large, stands, [at(-3), at(-2)], one=False, check=lambda _payload: "refused")


@given(
    catch_up=st.sampled_from(["none", "latest", "all"]),
    overlap=st.sampled_from(["allow", "skip", "queue_one", "cancel_running"]),
    cap=st.integers(1, 6),
    missed=st.integers(0, 12),
    waits=st.booleans(),
    live=st.booleans(),
    left=st.none() | st.integers(0, 5),
    late=st.integers(0, 120),
    obstacle=st.none() | st.just("definition_disabled"),
)
def test_each_due_time_is_settled_once(
    catch_up: str,
    overlap: str,
    cap: int,
    missed: int,
    waits: bool,
    live: bool,
    left: int | None,
    late: int,
    obstacle: str | None,
) -> None:
    fires = 3
    of = rule(
        catch_up=catch_up, catch_up_cap=cap, overlap=overlap, max_fires=None if left is None else max(1, fires + left)
    )
    pending = at(-missed - 1) if waits else None
    now = NOON + late * SECOND
    made = plan(of, -missed, now=now, pending_due_at=pending, live=live, fires=fires, obstacle=obstacle)
    covered = [] if made.pending_due_at is None else [made.pending_due_at]
    for entry in made.entries:
        hours = 0 if entry.until is None else (entry.until - entry.due_at) // HOUR
        assert entry.n in (None, hours + 1)
        covered += [entry.due_at + k * HOUR for k in range(hours + 1)]
    expected = [*([] if pending is None else [pending]), *(at(k) for k in range(-missed, 1))]
    assert sorted(covered) == expected
    assert made.next_run_at == at(1)
    if left is not None:
        assert made.fired + (made.pending_due_at is not None) <= left
    if overlap != "allow":
        assert made.fired + live <= 1 or made.fired == 0
    assert all((entry.payload is None) == (entry.reason is not None) for entry in made.entries)
