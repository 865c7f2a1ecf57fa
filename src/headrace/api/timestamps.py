"""Times in requests: with a zone, and within the years that everything behind them can hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

from headrace.errors import BadRequest
from headrace.model.time.zone import EARLIEST, LATEST


def _within_reason(moment: datetime) -> datetime:
    if not EARLIEST <= moment <= LATEST:
        raise ValueError(f"a time lies between {EARLIEST.year} and {LATEST.year}")
    return moment.astimezone(UTC)


Moment = Annotated[AwareDatetime, AfterValidator(_within_reason)]
LONGEST_AHEAD = 315_360_000


def time_or_length(verb: str, at: datetime | None, seconds: float | None) -> datetime | timedelta | None:
    """What `<verb>_at` or `<verb>_after_seconds` of a request says, of which only one may be given."""
    if at is not None and seconds is not None:
        field = f"{verb}_after_seconds"
        raise BadRequest(f"{verb}_at and {field} exclude each other", field=field)
    return at if seconds is None else timedelta(seconds=seconds)
