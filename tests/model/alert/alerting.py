"""Rules, readings and incidents in a few words, for tests of what becomes of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from headrace.model.alert.incident import Incident, Reading, Verdict, judge
from headrace.model.alert.rule import AlertRule

NOW = datetime(2030, 1, 7, 12, 0, tzinfo=UTC)
RULE, FIRST, SECOND = UUID(int=1), UUID(int=2), UUID(int=3)


def rule(**terms: Any) -> AlertRule:
    """One that tells the first target of failures in a row, unless said otherwise."""
    terms = {"targets": (FIRST,), "enabled_at": NOW - timedelta(days=1), "parameters": {"n": 3}, **terms}
    return AlertRule(id=RULE, tenant_id=None, name="rule", kind="failures_in_a_row", **terms)


def reading(subject: str = "work", *, at: datetime = NOW, count: int = 3) -> Reading:
    """It holds for a subject."""
    return Reading(RULE, subject, count, None, at, error="Boom")


class Story:
    """A rule over time: what holds is said at each look, and what was told is kept."""

    def __init__(self, **terms: Any) -> None:
        self.rule = rule(**terms)
        self.now = NOW
        self.incidents: list[Incident] = []
        self.told: list[tuple[str, int, tuple[str, ...]]] = []

    def look(self, *subjects: str, after: float = 0.0) -> Verdict:
        """The condition holds for these subjects, and somebody looks so many seconds later."""
        self.now += timedelta(seconds=after)
        readings = [reading(subject, at=self.now) for subject in subjects]
        known = [one for one in self.incidents if one.closed_at is None or one.recovery_told_at is None]
        verdict = judge(self.rule, readings, known, floors={}, now=self.now)
        for one in verdict.incidents:
            self._keep(one)
        groups: dict[tuple[str, int], list[str]] = {}
        for told in verdict.told:
            groups.setdefault((told.event, told.target_id.int), []).append(told.incident.subject)
        self.told += [(event, target, tuple(about)) for (event, target), about in groups.items()]
        if any(told.event == "firing" for told in verdict.told):
            self.rule = rule_told(self.rule, self.now)
        return verdict

    def change(self, **values: Any) -> None:
        """Let a person have done something to the newest incident."""
        self.incidents[-1] = replace(self.incidents[-1], **values)

    def _keep(self, one: Incident) -> None:
        if one.id is None:
            self.incidents.append(replace(one, id=UUID(int=100 + len(self.incidents))))
        else:
            self.incidents = [one if other.id == one.id else other for other in self.incidents]


def rule_told(of: AlertRule, at: datetime) -> AlertRule:
    """The rule once it has told of something new."""
    return replace(of, told_at=at)
