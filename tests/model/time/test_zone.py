"""Time zones: unknown names get a hint, and no change of clocks is overlooked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.model.time.cron_oracle import ALL_ZONES, LONG, ZONES, clock_changes

from headrace.errors import BadRequest
from headrace.model.time.zone import LOOK, UnknownZone, first_shown, last_shown, next_change, stretch_at, zone

SAMPLE = ALL_ZONES if LONG else sorted({*ZONES, *ALL_ZONES[::60]})
YEARS = (2000, 2041) if LONG else (2025, 2028)


def found_changes(name: str, start: datetime, end: datetime) -> list[datetime]:
    """Every change from one stretch to the next."""
    tz, found = zone(name), []
    while start < end:
        change = next_change(tz, start)
        if change is not None and change < end:
            found.append(change)
        start = change or stretch_at(tz, start).end
    return found


@pytest.mark.parametrize("name", SAMPLE)
def test_every_change_of_clocks_is_found(name: str) -> None:
    for first, end in [YEARS, *((year, year + 1) for year in ZONES.get(name, []))]:
        span = (datetime(first, 1, 1, tzinfo=UTC), datetime(end, 1, 1, tzinfo=UTC))
        assert found_changes(name, *span) == clock_changes(zone(name), *span)


@pytest.mark.parametrize(
    ("name", "after", "change"),
    [
        ("America/Boa_Vista", "2000-10-08T04:00Z", "2000-10-15T03:00Z"),
        ("Asia/Gaza", "2040-10-20T00:00Z", "2040-10-26T23:00Z"),
        ("Africa/Freetown", "1939-09-01T01:00Z", "1939-09-05T00:40Z"),
        ("Pacific/Apia", "2011-12-01T00:00Z", "2011-12-30T10:00Z"),
        ("Africa/Monrovia", "1972-01-01T00:00Z", "1972-01-07T00:44:30Z"),
    ],
)
def test_a_short_stretch_is_not_overlooked(name: str, after: str, change: str) -> None:
    assert next_change(zone(name), datetime.fromisoformat(after)) == datetime.fromisoformat(change)


def test_no_stretch_on_record_is_shorter_than_the_step_of_the_search() -> None:
    # Freetown's is the shortest of all: clocks went forward and, four days later, back to the same time.
    freetown = stretch_at(zone("Africa/Freetown"), datetime(1939, 9, 3, tzinfo=UTC))
    assert freetown.end - freetown.start == timedelta(days=3, hours=23, minutes=40) > LOOK


@pytest.mark.parametrize("name", ["UTC", "Asia/Tokyo", "Etc/GMT+5"])
def test_a_zone_whose_clocks_do_not_change_has_no_next_change(name: str) -> None:
    assert next_change(zone(name), datetime(2026, 1, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize("name", SAMPLE)
def test_a_stretch_holds_the_instant_and_has_its_offset(name: str) -> None:
    for hours in range(0, 24 * 365 * 3, 977):
        instant = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
        stretch = stretch_at(zone(name), instant)
        assert stretch.start <= instant < stretch.end
        assert stretch.local(instant) == instant.astimezone(zone(name)).replace(tzinfo=None)
        assert stretch.instant(stretch.local(instant)) == instant
        assert (stretch.local_start, stretch.local_end) == (stretch.local(stretch.start), stretch.local(stretch.end))


def test_a_local_time_is_placed_where_clocks_show_it_or_jump_past_it() -> None:
    berlin = zone("Europe/Berlin")
    once, twice, never = datetime(2026, 7, 1, 12), datetime(2026, 10, 25, 2, 30), datetime(2026, 3, 29, 2, 30)
    assert first_shown(berlin, once) == last_shown(berlin, once) == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert first_shown(berlin, twice) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert last_shown(berlin, twice) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert first_shown(berlin, never) == last_shown(berlin, never) == datetime(2026, 3, 29, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Europe/Berlim", "did you mean Europe/Berlin?"),
        ("europe/berlin", "did you mean Europe/Berlin?"),
        ("berlin", "did you mean Europe/Berlin?"),
        ("Europe/Kiew", "did you mean Europe/Kiev?"),
        ("New York", "did you mean America/New_York?"),
        ("utc", "did you mean UTC?"),
        ("nowhere at all", "use a name like Europe/Berlin or UTC."),
        ("", "use a name like Europe/Berlin or UTC."),
    ],
)
def test_an_unknown_zone_gets_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UnknownZone) as refused:
        zone(name)
    assert isinstance(refused.value, BadRequest)
    assert str(refused.value) == f"There is no time zone {name!r}; {hint}"


@pytest.mark.parametrize(
    "name",
    [
        "America",
        "/etc/localtime",
        "../etc/passwd",
        "localtime",
        "Factory",
        "posix/UTC",
        "UTC\x00",
        "x" * 10_000,
        "tzdata.zi",
    ],
)
def test_a_name_that_is_only_a_file_is_no_zone(name: str) -> None:
    with pytest.raises(UnknownZone, match="There is no time zone"):
        zone(name)
