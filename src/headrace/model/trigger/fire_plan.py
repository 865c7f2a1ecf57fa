"""What to do with a trigger whose time has come. Pure: the same trigger at the same time gives the same plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from headrace.errors import BadRequest
from headrace.model.payload.schema import Check
from headrace.model.template.budget import Budget
from headrace.model.template.expression import TemplateError
from headrace.model.time.schedule import Schedule
from headrace.model.trigger.catch_up import Due, Fires, Skipped, decide_fires, pass_over
from headrace.model.trigger.overlap import Settled, settle_overlap
from headrace.model.trigger.rule import Rule, time_scope

LOOK_AGAIN = timedelta(minutes=1)
# Characters of JSON, for all payloads are in memory at once before the first is written.
MOST_TEXT = 16_000_000
# What plans of one tenant hold, give or take one payload, before the others have their turn.
SHARE = 4_000_000
FOR_A_FIRE = 250


@dataclass(frozen=True, slots=True)
class Standing:
    """How a trigger stands, as read under its lock."""

    tenant: str
    next_run_at: datetime | None
    """None when it is not due, and only what waits is looked at."""
    pending_due_at: datetime | None
    fires: int
    live: bool = False
    """Whether a job of it is live; looked at only where its overlap policy minds."""
    failing: bool = False
    """Whether its last jobs all failed, as many as it bears."""
    fired_before: bool = False
    """Whether this version of an init trigger has fired."""
    obstacle: str | None = None
    """Why its definition cannot be enqueued."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A fire to be. With a payload it fires."""

    due_at: datetime
    triggered_by: str
    payload: str | None = None
    reason: str | None = None
    detail: str | None = None
    until: datetime | None = None
    n: int | None = None


@dataclass(slots=True)
class Plan:
    """Fires, and what the trigger is like afterwards; no `next_run_at` means it has finished."""

    next_run_at: datetime | None
    entries: list[Entry] = field(default_factory=list)
    pending_due_at: datetime | None = None
    cancel: bool = False
    pause_note: str | None = None
    error: str | None = None
    is_cut: bool = False
    """Whether its later due times wait for another turn."""

    @property
    def fired(self) -> int:
        return sum(entry.payload is not None for entry in self.entries)


class Room:
    """How much of its share a tenant has used in this turn."""

    def __init__(self) -> None:
        self.used = 0

    def add(self, entry: Entry, rule: Rule) -> None:
        self.used += FOR_A_FIRE + _text_of(entry, rule)

    @property
    def is_full(self) -> bool:
        return self.used >= SHARE


def plan_fires(rule: Rule, standing: Standing, *, now: datetime, check: Check, room: Room | None = None) -> Plan:
    """Which due times fire, which do not and why, and when the trigger is due next; at least one, however large."""
    if standing.failing:
        note = f"paused: the last {rule.pause_on_failures} jobs failed"
        return Plan(standing.next_run_at, pending_due_at=standing.pending_due_at, pause_note=note)
    fires = _come_due(rule, standing, now)
    plan = Plan(fires.next_run_at)
    if fires.skipped is not None:
        plan.entries.append(_stretch(fires.skipped))
    late = {d.due_at for d in fires.due if d.catchup}
    due = [d.due_at for d in fires.due]
    reason = "already_fired" if standing.fired_before else standing.obstacle
    if reason is not None:
        waiting = [standing.pending_due_at] if standing.pending_due_at is not None else []
        _skip(plan, [*waiting, *due], reason, late)
        return _patient(rule, plan, now)
    settled = settle_overlap(rule.overlap, due, live=standing.live, pending=standing.pending_due_at)
    fire, over, plan.pending_due_at = _within_maximum(rule, standing.fires, settled)
    plan.cancel = settled.cancel and plan.pending_due_at is not None
    _skip(plan, settled.skip, settled.reason, late)
    _skip(plan, over, "max_fires", late)
    _add_fires(plan, rule, fire, room or Room(), lambda at: _fire(rule, standing, at, _by(at, late), check))
    plan.error = next((entry.detail for entry in plan.entries if entry.detail), None)
    return _patient(rule, plan, now)


def _text_of(entry: Entry, rule: Rule) -> int:
    """What making it was about: a payload that fails takes as long as one that does not."""
    return rule.payload.size if entry.payload is None else len(entry.payload)


def _add_fires(plan: Plan, rule: Rule, times: list[datetime], room: Room, fire: Callable[[datetime], Entry]) -> None:
    """Oldest first. Where the room ends the trigger is due again, with the first of those that did not fit."""
    for number, due_at in enumerate(times):
        if number and room.is_full:
            plan.entries = [entry for entry in plan.entries if entry.due_at < due_at]
            plan.next_run_at, plan.is_cut = due_at, True
            return
        plan.entries.append(fire(due_at))
        room.add(plan.entries[-1], rule)


def _patient(rule: Rule, plan: Plan, now: datetime) -> Plan:
    """An init has no other time: while something is in its way it stays due, and says what."""
    reason = next((entry.reason for entry in plan.entries if entry.reason), None)
    if rule.trigger_type != "init" or plan.fired or plan.pending_due_at or reason in (None, "already_fired"):
        return plan
    return Plan(now + LOOK_AGAIN, error=plan.error or f"it waits: {reason.replace('_', ' ')}")


def plan_backfill(rule: Rule, standing: Standing, times: list[datetime], *, one: bool, check: Check) -> list[Entry]:
    """The entries of a backfill, oldest first; where only one may be live the rest are skipped."""
    fire = ([] if standing.live else times[:1]) if one else times
    entries: list[Entry] = []
    text = 0
    for due_at in fire:
        entries.append(_fire(rule, standing, due_at, "backfill", check))
        text += _text_of(entries[-1], rule)
        if text > MOST_TEXT:
            raise BadRequest(
                f"The payloads of the {len(fire):,} due times have more than {MOST_TEXT:,} characters of JSON, which is"
                f" the most of one backfill; choose a shorter range.",
                field="until",
            )
    return entries + [Entry(due_at, "backfill", reason="overlap") for due_at in times[len(fire) :]]


def plan_first(
    rule: Rule, *, effective_from: datetime, uncovered_from: datetime | None, uncovered_why: str | None
) -> Plan:
    """When a new or changed rule is due first, and what was passed over since the old one was last due."""
    if rule.schedule is None:
        return Plan(effective_from)
    plan = Plan(rule.schedule.next_from(effective_from))
    if uncovered_from is None or uncovered_from >= effective_from:
        return plan
    if uncovered_why == "edited":
        # The old rule is gone, so nobody can count.
        plan.entries.append(Entry(uncovered_from, "scheduler", reason="edited", until=effective_from))
    else:
        passed = pass_over(rule.schedule, next_run_at=uncovered_from, now=effective_from - datetime.resolution)
        if passed.skipped is not None:
            plan.entries.append(_stretch(passed.skipped))
    return plan


def _come_due(rule: Rule, standing: Standing, now: datetime) -> Fires:
    if standing.next_run_at is None:
        return Fires([], None, None)
    if rule.schedule is None:
        return Fires([Due(standing.next_run_at, False)], None, None)
    if _window_is_over(rule.schedule, rule, now):
        return pass_over(rule.schedule, next_run_at=standing.next_run_at, now=now, reason="window_ended")
    return decide_fires(
        rule.schedule,
        next_run_at=standing.next_run_at,
        now=now,
        catch_up=rule.catch_up,
        misfire_grace=rule.misfire_grace + rule.jitter,
        cap=rule.catch_up_cap,
    )


def _window_is_over(schedule: Schedule, rule: Rule, now: datetime) -> bool:
    """After its end a schedule makes no more jobs, be they ever so late."""
    return schedule.ends_at is not None and now - schedule.ends_at > rule.misfire_grace + rule.jitter


def _within_maximum(rule: Rule, fires: int, settled: Settled) -> tuple[list[datetime], list[datetime], datetime | None]:
    """What may fire, what may not any more, and what waits. Only jobs count, not due times that come to nothing."""
    if rule.max_fires is None:
        return settled.fire, [], settled.pending
    left = max(0, rule.max_fires - fires)
    fire, over = settled.fire[:left], settled.fire[left:]
    if settled.pending is not None and len(fire) == left:
        return fire, [*over, settled.pending], None
    return fire, over, settled.pending


def _skip(plan: Plan, times: list[datetime], reason: str, late: set[datetime]) -> None:
    plan.entries += [Entry(at, _by(at, late), reason=reason) for at in times]


def _by(due_at: datetime, late: set[datetime]) -> str:
    return "catchup" if due_at in late else "scheduler"


def _stretch(skipped: Skipped) -> Entry:
    first, until, n, reason = skipped
    return Entry(first, "scheduler", reason=reason, until=until, n=n)


def _fire(rule: Rule, standing: Standing, due_at: datetime, triggered_by: str, check: Check) -> Entry:
    """An entry that fires or, where no payload can be made, one that says why not."""
    payload, reason, detail = make_payload(
        rule, lambda: time_scope(name=rule.name, tenant=standing.tenant, due_at=due_at), check
    )
    return Entry(due_at, triggered_by, payload, reason, detail)


def make_payload(
    rule: Rule, scope: Callable[[], dict[str, Any]], check: Check, budget: Budget | None = None
) -> tuple[str | None, str | None, str | None]:
    """The payload as JSON text; or none, with the reason and a sentence."""
    try:
        text, value = rule.payload.render({} if rule.payload.is_constant else scope(), budget)
    except TemplateError as error:
        return None, "template_error", str(error)
    problem = check(value)
    if problem is not None:
        return None, "invalid_payload", problem
    return text, None, None
