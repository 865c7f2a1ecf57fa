"""Quiet hours by the clocks of a place."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest

from headrace.model.alert.quiet_hours import QuietHours


@pytest.mark.parametrize(
    ("start", "end", "at", "quiet"),
    [
        ("09:00", "17:00", "08:59", False),
        ("09:00", "17:00", "09:00", True),
        ("09:00", "17:00", "16:59", True),
        ("09:00", "17:00", "17:00", False),
        ("22:00", "07:00", "21:59", False),
        ("22:00", "07:00", "22:00", True),
        ("22:00", "07:00", "00:00", True),
        ("22:00", "07:00", "06:59", True),
        ("22:00", "07:00", "07:00", False),
    ],
)
def test_they_begin_at_their_start_and_end_at_their_end_also_over_midnight(
    start: str, end: str, at: str, quiet: bool
) -> None:
    hours = QuietHours(time.fromisoformat(start), time.fromisoformat(end))
    assert hours.has(datetime.combine(datetime(2030, 1, 7), time.fromisoformat(at), UTC)) is quiet


def test_they_follow_the_clocks_of_their_zone_through_the_year() -> None:
    night = QuietHours(time(22), time(7), "Europe/Berlin")
    assert night.has(datetime(2030, 1, 7, 21, 0, tzinfo=UTC))
    assert not night.has(datetime(2030, 1, 7, 20, 30, tzinfo=UTC))
    assert night.has(datetime(2030, 7, 7, 20, 30, tzinfo=UTC))
