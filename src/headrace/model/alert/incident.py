"""Whether an incident begins, goes on or ends, and whom that is told: pure, by the database's clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from headrace.model.alert.rule import AlertRule

Event = Literal["firing", "repeated", "escalated", "recovered", "test"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The condition of a rule holds for a subject. `at` is when the newest of what it counts happened."""

    rule_id: UUID
    subject: str
    count: int
    measure: float | None
    at: datetime
    job_id: UUID | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Incident:
    """An alert: open, or closed while its end is still to be told. Without an id it is new."""

    rule_id: UUID
    subject: str
    since: datetime
    last_seen: datetime
    count: int
    measure: float | None = None
    job_id: UUID | None = None
    error: str | None = None
    id: UUID | None = None
    notices: int = 0
    told_at: datetime | None = None
    escalated_at: datetime | None = None
    acknowledged_at: datetime | None = None
    closed_at: datetime | None = None
    closed_by: str | None = None
    recovery_told_at: datetime | None = None


class Told(NamedTuple):
    """An incident of which something is told now, and to which targets."""

    event: Event
    target_id: UUID
    incident: Incident


class Verdict(NamedTuple):
    """Incidents as they are from now on, where that is new, and what is told of them."""

    incidents: Sequence[Incident]
    told: Sequence[Told]


def judge(
    rule: AlertRule,
    readings: Iterable[Reading],
    incidents: Iterable[Incident],
    *,
    floors: Mapping[str, datetime],
    now: datetime,
) -> Verdict:
    """What becomes of a rule's incidents. What lies before a subject's floor, its last end, does not count."""
    firing = {one.subject: one for one in readings if one.subject not in floors or one.at > floors[one.subject]}
    known = list(incidents)
    after = [*(_go_on(rule, one, firing, now) for one in known), *_begin(known, firing, now)]
    before = {one.id: one for one in known}
    judged = [_tell(rule, one, now) for one in after]
    changed = [one for one, _ in judged if one.id is None or one != before[one.id]]
    return Verdict(changed, [told for _, each in judged for told in each])


def _begin(known: Sequence[Incident], firing: Mapping[str, Reading], now: datetime) -> Iterator[Incident]:
    open_ = {one.subject for one in known if one.closed_at is None}
    for subject, seen in firing.items():
        if subject not in open_:
            what = (seen.count, seen.measure, seen.job_id, seen.error)
            yield Incident(seen.rule_id, subject, min(seen.at, now), now, *what)


def _go_on(rule: AlertRule, incident: Incident, firing: Mapping[str, Reading], now: datetime) -> Incident:
    """Seen again, not seen for long enough to be over, or as it was."""
    if incident.closed_at is not None:
        return incident
    seen = firing.get(incident.subject)
    if seen is not None:
        return replace(
            incident,
            last_seen=now,
            count=seen.count,
            measure=seen.measure,
            job_id=seen.job_id or incident.job_id,
            error=seen.error or incident.error,
        )
    if now - incident.last_seen < rule.recover_after:
        return incident
    return replace(incident, closed_at=now)


def _tell(rule: AlertRule, incident: Incident, now: datetime) -> tuple[Incident, list[Told]]:
    """The incident as it is once that was told; nothing is told in quiet hours."""
    if rule.quiet is not None and rule.quiet.has(now):
        return incident, []
    if incident.closed_at is not None:
        return _tell_end(rule, incident, now)
    if incident.acknowledged_at is not None:
        return incident, []
    if incident.told_at is None:
        return _tell_beginning(rule, incident, now)
    if rule.repeat is None or now - incident.told_at < rule.repeat:
        return incident, []
    return _tell_again(rule, incident, now)


def _tell_beginning(rule: AlertRule, incident: Incident, now: datetime) -> tuple[Incident, list[Told]]:
    """The first of many is told at once; those that follow soon wait, and go together."""
    if not rule.targets or (rule.told_at is not None and now - rule.told_at < rule.group):
        return incident, []
    told = replace(incident, told_at=now, notices=1)
    return told, [Told("firing", target, told) for target in rule.targets]


def _tell_again(rule: AlertRule, incident: Incident, now: datetime) -> tuple[Incident, list[Told]]:
    """With the n-th repeat a second target is told too, and from then on with each."""
    told = replace(incident, told_at=now, notices=incident.notices + 1)
    again = [Told("repeated", target, told) for target in rule.targets]
    if rule.escalate_after is None or rule.escalate_to is None or incident.notices < rule.escalate_after:
        return told, again
    event: Event = "repeated" if incident.escalated_at is not None else "escalated"
    told = replace(told, escalated_at=incident.escalated_at or now)
    return told, [*again, Told(event, rule.escalate_to, told)]


def _tell_end(rule: AlertRule, incident: Incident, now: datetime) -> tuple[Incident, list[Told]]:
    """Whoever was told that it began hears that it is over, once."""
    if incident.told_at is None or incident.recovery_told_at is not None:
        return incident, []
    targets = list(rule.targets)
    if incident.escalated_at is not None and rule.escalate_to is not None and rule.escalate_to not in targets:
        targets.append(rule.escalate_to)
    told = replace(incident, recovery_told_at=now)
    return told, [Told("recovered", target, told) for target in targets]
