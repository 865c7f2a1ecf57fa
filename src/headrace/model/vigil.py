"""A vigil: how long somebody has watched the database, and for how long it was out of sight meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

# Before the first look nothing was seen.
NEVER_SEEN = timedelta(days=365_000)


class Gap(NamedTuple):
    """A time without a look, and when it ended."""

    until: datetime
    length: timedelta


@dataclass(slots=True)
class Vigil:
    """Looks at the database, each with the database's own time.

    A gap may be a sleep, a freeze, an outage, a clock that was set forward: whoever was silent in it may be alive.
    A gap is forgotten when one as long follows it, so only a few are kept.
    """

    last: datetime | None = None
    gaps: list[Gap] = field(default_factory=list)

    def looked(self, at: datetime) -> None:
        """The database answered, and this was its time."""
        if self.last is None or at < self.last:  # the first look, or a clock that was set back
            self.gaps = [Gap(at, NEVER_SEEN)]
        else:
            gap = Gap(at, at - self.last)
            while self.gaps[-1].length <= gap.length:
                self.gaps.pop()
            self.gaps.append(gap)
        self.last = at
