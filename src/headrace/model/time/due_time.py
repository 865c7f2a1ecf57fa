"""When a job may be due: within the years that everything behind it can hold."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from headrace.errors import BadRequest
from headrace.model.time.zone import EARLIEST, LATEST

YEARS = f"a job is due between the years {EARLIEST.year} and {LATEST.year}"
# Whether a shorter one ends in time only the database's clock can say.
LONGEST_DELAY = LATEST - EARLIEST


def check_due_time(moment: datetime | None) -> datetime | None:
    """The time, or `BadRequest`."""
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise BadRequest(
            "scheduled_for needs a time zone, for example datetime.now(UTC) + timedelta(hours=1)", field="scheduled_for"
        )
    if not EARLIEST <= moment <= LATEST:
        raise BadRequest(f"scheduled_for {moment} is out of range: {YEARS}", field="scheduled_for")
    return moment


def check_delay(delay: timedelta | float, *, field: str = "delay") -> timedelta:
    """The delay, or `BadRequest`; numbers are seconds."""
    seconds = delay.total_seconds() if isinstance(delay, timedelta) else delay
    if not math.isfinite(seconds) or seconds > LONGEST_DELAY.total_seconds():
        raise BadRequest(f"{field} is too long: {delay} ({YEARS})", field=field)
    if seconds < 0:
        raise BadRequest(f"{field} must not be negative: {delay}", field=field)
    return delay if isinstance(delay, timedelta) else timedelta(seconds=delay)
