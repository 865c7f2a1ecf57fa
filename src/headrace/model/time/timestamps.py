"""Times that people and programs give: with a zone, and within the years that everything behind them can hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

from headrace.model.time.zone import EARLIEST, LATEST


def _within_reason(moment: datetime) -> datetime:
    if not EARLIEST <= moment <= LATEST:
        raise ValueError(f"a time lies between {EARLIEST.year} and {LATEST.year}")
    return moment.astimezone(UTC)


# How many seconds ahead a time may lie that is given as a length.
LONGEST_AHEAD = 315_360_000
Moment = Annotated[AwareDatetime, AfterValidator(_within_reason)]
