"""What people type, read: lengths, times, arguments; and what fits into a width."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headrace.cli.core.durations import duration, moment, past
from headrace.cli.core.schema_args import read_argument
from headrace.cli.output.layout import Cells, fit_columns
from headrace.cli.output.tables import ago, clean, span
from headrace.errors import BadRequest

SCHEMA: dict[str, Any] = {
    "properties": {
        "n": {"type": "integer"},
        "x": {"type": "number"},
        "on": {"type": "boolean"},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "text": {"type": "string"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "tags": {"type": "array", "items": {"type": "integer"}},
        "place": {"$ref": "#/$defs/Place"},
        "colour": {"enum": ["red", "green"]},
        "any": {},
    },
    "$defs": {"Place": {"type": "object"}},
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("5m", 300), ("2h", 7200), ("1d", 86400), ("1h30m", 5400), ("1.5h", 5400), ("250ms", 0.25), ("7", 7)],
)
def test_lengths(text: str, seconds: float) -> None:
    assert duration(text, "--x") == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "5x", "-5m", "m", "1e3", "1h 5", "∞", "99999999d"])
def test_what_is_no_length(text: str) -> None:
    with pytest.raises(BadRequest, match="--x"):
        duration(text, "--x")


def test_times() -> None:
    assert moment("2026-01-31T12:00", "--at") == "2026-01-31T12:00:00Z"
    assert moment("2026-01-31T12:00+02:00", "--at") == "2026-01-31T10:00:00Z"
    assert moment("2026-01-31", "--at") == "2026-01-31T00:00:00Z"
    before = datetime.now(UTC).replace(microsecond=0)  # what is said has whole seconds
    two_hours_ago = datetime.fromisoformat(past("2h", "--since"))
    assert before <= two_hours_ago + timedelta(hours=2) <= datetime.now(UTC)
    for text in ("yesterday", "12:00", "2026-13-01", "0001-01-01T00:00+14:00"):
        with pytest.raises(BadRequest, match="--at"):
            moment(text, "--at")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("n", "7", 7),
        ("n", "-7", -7),
        ("x", "1.5", 1.5),
        ("x", "2", 2),
        ("on", "yes", True),
        ("on", "FALSE", False),
        ("on", "0", False),
        ("maybe", "null", None),
        ("maybe", "3", 3),
        ("text", "7", "7"),
        ("text", "null", "null"),
        ("either", "7", 7),
        ("either", "seven", "seven"),
        ("tags", "[1, 2]", [1, 2]),
        ("tags", "1", [1]),
        ("place", '{"a": 1}', {"a": 1}),
        ("colour", "red", "red"),
        ("any", "[1]", [1]),
        ("any", "plain", "plain"),
    ],
)
def test_arguments(key: str, text: str, value: Any) -> None:
    assert read_argument(key, text, SCHEMA) == value


@pytest.mark.parametrize(
    ("key", "text", "complaint"),
    [
        ("n", "1.5", "a whole number"),
        ("n", "", "a whole number"),
        ("x", "nan", "a number"),
        ("on", "maybe", "true or false"),
        ("maybe", "x", "a whole number or null"),
        ("tags", "x", "a whole number"),
        ("place", "x", "a JSON object"),
        ("txt", "x", "did you mean text"),
    ],
)
def test_arguments_that_are_none(key: str, text: str, complaint: str) -> None:
    with pytest.raises(BadRequest, match=complaint):
        read_argument(key, text, SCHEMA)


def test_a_list_takes_one_value_after_the_other() -> None:
    assert read_argument("tags", "2", SCHEMA, before=[1]) == [1, 2]


@pytest.mark.parametrize("room", [30, 40, 60, 80, 200])
def test_columns_fit_into_the_room_there_is(room: int) -> None:
    columns = [
        Cells(["id", "x" * 36], ["id", "x" * 12]),
        Cells(["name", "y" * 50], elastic=True),
        Cells(["spare", "z" * 9], spare=True),
        Cells(["note", "n" * 5], elastic=True),
    ]
    shown = fit_columns(columns, room)
    assert sum(column.width for column in shown) + 2 * (len(shown) - 1) <= room
    assert (columns[2] in shown) == (room >= 60)
    assert (columns[0].width == 36) == (room >= 80)


def test_spans_and_what_a_terminal_would_obey() -> None:
    assert [span(s) for s in (0.05, 1, 1.25, 59, 60, 5400, 864_000, None)] == [
        "50ms", "1s", "1.2s", "59s", "1m", "1.5h", "10d", "-",
    ]  # fmt: skip
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert ago("2026-01-01T00:05:00Z", now=now) == "in 5m"
    assert clean("a\x1b[2J\x07\x9b\u202eb\tc\n") == "a\\x1b[2J\\x07\\x9b\\u202eb\tc\n"
