"""Which fires there should be, worked out from what was done to a trigger. Pure, and without the code it checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

# Due times that nobody fired before a trigger was turned off or edited are passed over. Who was stopped comes late, but
# not later than this.
PATIENCE = timedelta(seconds=15)
PASSED_OVER = ("disabled", "edited")


class Stretch(NamedTuple):
    """A rule, start + k * interval, and for which due times it held."""

    since: datetime
    until: datetime
    start: datetime
    interval: timedelta

    def due(self, horizon: datetime) -> Iterator[datetime]:
        end = min(self.until, horizon)
        k = max(0, -((self.start - self.since) // self.interval))
        while (due := self.start + k * self.interval) < end:
            yield due
            k += 1


class Line(NamedTuple):
    """A fire; with `until` it stands for a stretch of due times."""

    due_at: datetime
    outcome: str
    at: datetime
    job_id: UUID | None = None
    reason: str | None = None
    until: datetime | None = None
    n: int | None = None


@dataclass
class History:
    """All that was done to one trigger, and what it did."""

    rules: list[Stretch]
    off: list[tuple[datetime, datetime]] = field(default_factory=list)
    """From when turning it off was acknowledged to when turning it on was asked for."""
    turning_on: list[tuple[datetime, datetime]] = field(default_factory=list)
    """From when turning it on was asked for to when it was acknowledged: what is due then may fire or not."""
    lines: list[Line] = field(default_factory=list)
    jobs: list[tuple[UUID, datetime]] = field(default_factory=list)
    """(id, due time) of each job that it made."""


@dataclass
class Findings:
    """How many due times there were, and what is wrong, by due time."""

    expected: int = 0
    fired: int = 0
    passed_over: int = 0
    missed: list[datetime] = field(default_factory=list)
    extra: list[datetime] = field(default_factory=list)
    double: list[datetime] = field(default_factory=list)
    while_disabled: list[datetime] = field(default_factory=list)

    def wrong(self) -> dict[str, int]:
        """The four numbers that must be zero."""
        return {
            "missed": len(self.missed),
            "extra": len(self.extra),
            "double": len(self.double),
            "fired while disabled": len(self.while_disabled),
        }


NOTHING_WRONG = Findings().wrong()


def add_up(findings: Iterable[Findings]) -> Findings:
    """Those of several triggers as one."""
    total = Findings()
    for one in findings:
        for name, value in vars(one).items():
            setattr(total, name, getattr(total, name) + value)
    return total


def check(history: History, horizon: datetime) -> Findings:
    """Expand fires and hold them against what should be there of all due times before the horizon."""
    expected = sorted({due for rule in history.rules for due in rule.due(horizon)})
    lines = [line for line in history.lines if line.due_at < horizon]
    fired = [line for line in lines if line.outcome == "fired"]
    covered = Counter(due for line in lines for due in _covers(line, expected))
    findings = Findings(len(expected), len(fired), sum(covered.values()) - len(fired))
    findings.missed = [due for due in expected if not covered[due]]
    findings.missed += [due for line in lines if line.outcome != "fired" for due in _neglected(line, history, expected)]
    findings.extra = [line.due_at for line in lines if line.until is None and line.due_at not in set(expected)]
    findings.double = [due for due, times in covered.items() if times > 1]
    findings.while_disabled = [line.due_at for line in fired if _is_off(history, line.at, line.due_at)]
    _check_jobs(history, fired, horizon, findings)
    return findings


def _covers(line: Line, expected: Sequence[datetime]) -> list[datetime]:
    if line.until is None:
        return [line.due_at] if line.due_at in expected else []
    # A rule that was edited ends where the new one begins, which may be due at that very instant.
    if line.reason == "edited":
        return [due for due in expected if line.due_at <= due < line.until]
    return [due for due in expected if line.due_at <= due <= line.until]


def _neglected(line: Line, history: History, expected: Sequence[datetime]) -> list[datetime]:
    """Due times that were passed over although nobody wanted that, or long before anybody did."""
    covers = _covers(line, expected)
    if line.reason not in PASSED_OVER or line.until is None:
        return covers
    counted = line.n in (None, len(covers))
    return [due for due in covers if not counted or not _changed_soon(history, due)]


def _changed_soon(history: History, due: datetime) -> bool:
    """Whether the trigger was off at that time, or just being turned on, or turned off or edited soon after."""
    if _is_off(history, due) or any(asked <= due <= on for asked, on in history.turning_on):
        return True
    changes = [*(first for first, _ in history.off), *(rule.since for rule in history.rules[1:])]
    return any(due <= change <= due + PATIENCE for change in changes)


def _is_off(history: History, *times: datetime) -> bool:
    return any(first < time < until for first, until in history.off for time in times)


def _check_jobs(history: History, fired: Sequence[Line], horizon: datetime, findings: Findings) -> None:
    """A job for each line that says so, and no other."""
    jobs = [(job_id, due) for job_id, due in history.jobs if due < horizon]
    told = {line.job_id: line.due_at for line in fired}
    made = dict(jobs)
    findings.missed += [due for job_id, due in told.items() if job_id is None or made.get(job_id) != due]
    findings.extra += [due for job_id, due in jobs if told.get(job_id) != due]
    findings.double += [due for due, times in Counter(due for _, due in jobs).items() if times > 1]
