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


def check_delay(seconds: float | None) -> timedelta | None:
    """The delay, or `BadRequest`."""
    if seconds is None:
        return None
    if not math.isfinite(seconds) or seconds > LONGEST_DELAY.total_seconds():
        raise BadRequest(f"The delay of {seconds} seconds is too long: {YEARS}.", field="delay_seconds")
    if seconds < 0:
        raise BadRequest(f"The delay is 0 seconds or longer, not {seconds}.", field="delay_seconds")
    return timedelta(seconds=seconds)
