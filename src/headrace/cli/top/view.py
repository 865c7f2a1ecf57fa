"""What is looked at: the facts, and a place in them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from headrace.cli.top.facts import TopFacts

Pane = Literal["queues", "jobs"]
Item = Mapping[str, Any]


class Question(NamedTuple):
    """Something to be confirmed first."""

    text: str
    then: Callable[[], Awaitable[Any]]
    done: str


@dataclass
class View:
    """The facts, where one is in them, and what is said below."""

    place: str
    facts: TopFacts
    pane: Pane = "jobs"
    said: str | None = None
    trouble: str | None = None
    question: Question | None = None
    # By name and not by number: rows come and go.
    chosen: dict[Pane, tuple[str, int]] = field(default_factory=dict)

    def show(self, facts: TopFacts) -> None:
        """Newer ones."""
        self.facts, self.trouble = facts, None

    def rows(self, pane: Pane) -> Sequence[Item]:
        """What is in a list."""
        return (self.facts.queues or []) if pane == "queues" else self.facts.jobs

    def at(self, pane: Pane) -> int:
        """The place in a list; where it was before when what was chosen is gone."""
        names = [_name(pane, row) for row in self.rows(pane)]
        name, before = self.chosen.get(pane, ("", 0))
        return names.index(name) if name in names else max(0, min(before, len(names) - 1))

    def selected(self, pane: Pane) -> Item | None:
        """What stands there."""
        rows = self.rows(pane)
        return rows[self.at(pane)] if rows else None

    def move(self, by: int) -> None:
        """Up or down, to the ends at most."""
        rows = self.rows(self.pane)
        if rows:
            place = min(max(self.at(self.pane) + by, 0), len(rows) - 1)
            self.chosen[self.pane] = (_name(self.pane, rows[place]), place)

    def switch(self) -> None:
        """To the other list."""
        self.pane = "jobs" if self.pane == "queues" else "queues"


def _name(pane: Pane, row: Item) -> str:
    return str(row["queue"] if pane == "queues" else row["id"])
