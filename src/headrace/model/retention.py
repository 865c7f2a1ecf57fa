"""How long a job stays once it has ended: decided here, without a clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from headrace.model.job.ids import first_id

# Beyond every id, and before every one.
NO_ID = UUID(int=2**128 - 1)
FIRST_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Keep:
    """What holds for definitions that say nothing themselves."""

    jobs: timedelta
    dead_letters: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which ended jobs of a definition go: those that ended before a time and are not among the last ones."""

    definition_id: int
    definition: str
    ended_before: datetime
    dead_before: datetime
    keep_from: UUID = NO_ID

    @property
    def bound(self) -> UUID:
        """The first id that certainly stays: nothing ends before it is made."""
        return min(self.keep_from, first_id(self.ended_before))


def make_policy(definition_id: int, definition: str, days: float | None, keep: Keep, now: datetime) -> Policy:
    """A definition's own days stand for the general ones. Dead letters wait for a person, and never stay for less."""
    own = keep.jobs if days is None else timedelta(days=days)
    return Policy(
        definition_id=definition_id,
        definition=definition,
        ended_before=now - own,
        dead_before=now - max(own, keep.dead_letters),
    )
