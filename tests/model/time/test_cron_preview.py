"""A schedule in plain words, and what clocks do to its next due times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from tests.model.time.cron_oracle import many, rules

from headrace.model.time.cron import CronRule
from headrace.model.time.cron_fields import CronError
from headrace.model.time.preview import describe, preview
from headrace.model.time.schedule import Cron, Every, Schedule
from headrace.model.time.zone import zone


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("* * * * *", "Every minute"),
        ("*/5 * * * *", "Every 5 minutes"),
        ("*/25 1 * * *", "At 01:00, 01:25 and 01:50"),
        ("15,45 1,3 * * *", "At 01:15, 01:45, 03:15 and 03:45"),
        ("@daily", "At 00:00"),
        ("0 */5 * * *", "At 00:00, 05:00, 10:00, 15:00 and 20:00"),
        ("0 9 * * MON-FRI", "At 09:00, on Monday through Friday"),
        ("0 9 1 * MON", "At 09:00, on day 1 of the month, or on Monday"),
        ("0 9 1-7 * */7", "At 09:00, between day 1 and 7 of the month, but only on Sunday"),
        ("0 0 L,15 * *", "At 00:00, on day 15 of the month or on the last day of the month"),
        ("0 0 LW * *", "At 00:00, on the last weekday of the month"),
        ("0 0 15 * 2L", "At 00:00, on day 15 of the month, or on the last Tuesday of the month"),
        ("0 0 * * MON#1,MON#3", "At 00:00, on the first Monday of the month or on the third Monday of the month"),
        ("0 0 1 */5 *", "At 00:00, on day 1 of the month, only in January, June, and November"),
        ("0 0 *,5 * *", "At 00:00"),
    ],
)
def test_a_rule_is_said_in_words(text: str, words: str) -> None:
    assert describe(CronRule.parse(text)) == words


@many(60)
@given(rules)
def test_every_rule_can_be_said(text: str) -> None:
    try:
        rule = CronRule.parse(text)
    except CronError:
        assume(False)
    assert describe(rule)


NEW_YORK = "America/New_York"
NOTED = [
    ("30 2 * * *", NEW_YORK, "2026-03-08T01:00-05:00", "03:00", "clocks go forward: moved from 02:30 to 03:00"),
    ("30 2 * * *", NEW_YORK, "2026-03-08T03:00-04:00", "02:30", None),
    ("0-59 2 * * *", NEW_YORK, "2026-03-08T01:00-05:00", "03:00", "clocks go forward: moved from 02:00–02:59 to 03:00"),
    ("*/30 * * * *", NEW_YORK, "2026-03-08T01:30-05:00", "03:00", "clocks go forward: 02:00–02:30 is skipped"),
    ("*/30 * * * *", NEW_YORK, "2026-03-08T03:00-04:00", "03:30", None),
    (
        "30 1 * * *",
        NEW_YORK,
        "2026-11-01T00:00-04:00",
        "01:30",
        "clocks go back: first 01:30, the second does not count",
    ),
    ("*/30 1 * * *", NEW_YORK, "2026-11-01T01:00-04:00", "01:30", None),
    ("*/30 1 * * *", NEW_YORK, "2026-11-01T01:00-05:00", "01:30", "clocks go back: second 01:30"),
    (
        "0 9 * * *",
        "Pacific/Apia",
        "2011-12-29T10:00-10:00",
        "00:00",
        "clocks go forward: moved from 30 Dec 09:00 to 00:00",
    ),
    ("0 9 * * *", "UTC", "2026-12-31T10:00+00:00", "09:00", None),
]


@pytest.mark.parametrize(("text", "name", "after", "shown", "note"), NOTED)
def test_a_due_time_that_clocks_disturb_has_a_note(
    text: str, name: str, after: str, shown: str, note: str | None
) -> None:
    schedule = Schedule(Cron(CronRule.parse(text), zone(name)))
    [due] = preview(schedule, datetime.fromisoformat(after), 1)
    assert (f"{due.due_at.astimezone(zone(name)):%H:%M}", due.note) == (shown, note)


def test_a_preview_ends_with_the_schedule() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    schedule = Schedule(Every(timedelta(hours=1), start), ends_at=start + timedelta(hours=3))
    assert [due.due_at.hour for due in preview(schedule, start - timedelta(days=9), 10)] == [0, 1, 2]
    assert len(preview(schedule, start - timedelta(days=9), 2)) == 2
    assert preview(schedule, start, 0) == []


def test_a_preview_of_a_rare_rule_ends_100_years_after_its_first_time() -> None:
    found = preview(Schedule(Cron(CronRule.parse("0 0 29 2 *"), zone("UTC"))), datetime(2030, 1, 1, tzinfo=UTC), 1000)
    assert (found[0].due_at.year, found[-1].due_at.year, len(found)) == (2032, 2132, 25)
    last = Schedule(Every(timedelta(days=1461), datetime(9990, 1, 1, tzinfo=UTC)))
    assert [due.due_at.year for due in preview(last, datetime(2030, 1, 1, tzinfo=UTC), 1000)] == [9990, 9994, 9998]
