"""What a prune removed, or would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from headrace.retention.week import Week


class Share(NamedTuple):
    """What one definition has in it."""

    definition: str
    jobs: int
    bytes: int


class WholeWeek(NamedTuple):
    """A week that goes as it is."""

    week: Week
    jobs: int


@dataclass(slots=True)
class Pruned:
    """Jobs by definition, and the weeks that go whole. Not `complete` when time ran out."""

    jobs: Counter[str] = field(default_factory=Counter)
    bytes: Counter[str] = field(default_factory=Counter)
    weeks: list[WholeWeek] = field(default_factory=list)
    complete: bool = True

    def add(self, definition: str, jobs: int, week: Week) -> None:
        """So many jobs of it; their size is what one takes on average there."""
        self.jobs[definition] += jobs
        self.bytes[definition] += jobs * week.bytes // max(week.jobs, jobs, 1)

    def add_week(self, week: Week, counts: Mapping[str, int]) -> None:
        """All of it."""
        self.weeks.append(WholeWeek(week, sum(counts.values())))
        for definition, jobs in counts.items():
            self.add(definition, jobs, week)

    def shares(self) -> list[Share]:
        """By definition, the largest first."""
        found = [Share(key, jobs, self.bytes[key]) for key, jobs in self.jobs.items() if jobs]
        return sorted(found, key=lambda one: (-one.jobs, one.definition))
