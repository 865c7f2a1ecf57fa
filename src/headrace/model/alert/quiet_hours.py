"""Hours in which nobody wants to be told."""

from __future__ import annotations

from datetime import datetime, time
from typing import NamedTuple

from headrace.model.time.zone import zone


class QuietHours(NamedTuple):
    """From one time of day until another, by the clocks of a zone; over midnight where the first is the later one."""

    start: time
    end: time
    timezone: str = "UTC"

    def has(self, moment: datetime) -> bool:
        """Whether it is quiet then: at the start it is, at the end no more."""
        shown = moment.astimezone(zone(self.timezone)).time()
        if self.start <= self.end:
            return self.start <= shown < self.end
        return shown >= self.start or shown < self.end
