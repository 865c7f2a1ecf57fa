"""Settings of a trigger: what is missing has a default, what is wrong is refused with the reason."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headrace.errors import BadRequest
from headrace.model.settings.trigger import TriggerSettings
from headrace.model.time.schedule import Cron, Every
from headrace.model.trigger.declaration import complete_settings, read_settings

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_what_was_not_said_has_its_default() -> None:
    assert complete_settings({"cron": "@daily"}) == TriggerSettings().model_dump() | {"cron": "@daily"}


def test_an_event_makes_an_event_trigger() -> None:
    assert complete_settings({"event": "file.*"})["trigger_type"] == "event"


def test_settings_become_a_rule() -> None:
    settings = complete_settings(
        {
            "cron": "30 4 * * *",
            "timezone": "Europe/Berlin",
            "catch_up": "all",
            "catch_up_cap": 7,
            "misfire_grace_seconds": 5,
            "overlap": "skip",
            "jitter_seconds": 1.5,
            "max_fires": 3,
            "dedupe_window_seconds": 60,
            "pause_on_failures": 2,
            "payload": {"a": 1},
        }
    )
    rule = read_settings("nightly", settings)
    assert rule.schedule is not None
    assert isinstance(rule.schedule.beat, Cron)
    assert rule.schedule.beat.tz.key == "Europe/Berlin"
    assert (rule.name, rule.catch_up, rule.catch_up_cap, rule.overlap) == ("nightly", "all", 7, "skip")
    assert (rule.misfire_grace, rule.jitter) == (timedelta(seconds=5), timedelta(seconds=1.5))
    assert (rule.max_fires, rule.dedupe_window, rule.pause_on_failures) == (3, timedelta(seconds=60), 2)
    assert rule.payload.render({}) == ('{"a":1}', {"a": 1})


def test_an_interval_keeps_its_start() -> None:
    rule = read_settings("t", complete_settings({"every_seconds": 90, "starts_at": NOW}))
    assert rule.schedule is not None
    assert rule.schedule.beat == Every(timedelta(seconds=90), NOW)


def test_init_has_no_schedule() -> None:
    rule = read_settings("t", complete_settings({"trigger_type": "init", "init_version": "2"}))
    assert (rule.schedule, rule.init_version) == (None, "2")


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "either cron or every_seconds"),
    ({"cron": "@daily", "every_seconds": 5}, "either cron or every_seconds"),
    ({"cron": "@daily", "event": "a"}, "either cron or every_seconds"),
    ({"trigger_type": "init", "cron": "@daily"}, "no other trigger"),
    ({"trigger_type": "event"}, "has an event"),
    ({"trigger_type": "sometimes", "cron": "@daily"}, "sometimes"),
    ({"crom": "@daily"}, "unknown setting crom"),
    ({"cron": "* * * * * *"}, "five fields"),
    ({"cron": "*/70 * * * *"}, "step"),
    ({"cron": "0 0 31 2 *"}, "No date ever matches"),
    ({"cron": "@daily", "timezone": "Berlin"}, "Europe/Berlin"),
    ({"every_seconds": 5, "timezone": "nowhere"}, "no time zone"),
    ({"every_seconds": 0}, "from 0.1 to"),
    ({"every_seconds": -1}, "from 0.1 to"),
    ({"every_seconds": float("nan")}, "from 0.1 to"),
    ({"every_seconds": float("inf")}, "from 0.1 to"),
    ({"every_seconds": 0.05}, "from 0.1 to"),
    ({"cron": "@daily", "starts_at": NOW.replace(tzinfo=None)}, "starts_at is a time with a time zone"),
    ({"cron": "@daily", "ends_at": NOW.replace(tzinfo=None)}, "ends_at is a time with a time zone"),
    ({"cron": "@daily", "starts_at": NOW, "ends_at": NOW}, "end after it starts"),
    ({"cron": "@daily", "payload": {"a": "{{"}}, "never closed"),
    ({"cron": "@daily", "payload": {"a": float("nan")}}, "cannot be stored"),
    ({"cron": "@daily", "payload": {"a": "\0"}}, "NUL"),
    ({"cron": "@daily", "payload": [1]}, "payload is an object"),
    ({"event": "a", "condition": "["}, ""),
]


@pytest.mark.parametrize(("settings", "sentence"), REFUSED, ids=str)
def test_what_is_wrong_is_refused_with_the_reason(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadRequest) as caught:
        complete_settings(settings)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"cron": 5},
        {"cron": "@daily", "timezone": None},
        {"cron": "@daily", "starts_at": "tomorrow"},
        {"every_seconds": "5"},
        {"cron": "@daily", "misfire_grace_seconds": 1e300},
        {"cron": "@daily", "jitter_seconds": float("nan")},
        {"cron": "@daily", "jitter_seconds": None},
        {"cron": "@daily", "dedupe_window_seconds": "1"},
    ],
    ids=str,
)
def test_what_cannot_be_computed_with_is_refused_too(settings: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        complete_settings(settings)
