"""Stored JSON is read by one function, which never raises."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headrace
from headrace.model.payload.json_bounds import DEEPEST, LONGEST_NUMBER
from headrace.model.payload.json_storage import rough_size, storage_problem
from headrace.model.payload.stored_json import DEEPEST_SHOWN, MARK, read_json, read_object
from headrace.model.secret.fields import mask_fields
from headrace.model.text import NotJsonError, to_json

# What reads rows of the database, and files that read what a client sends.
READERS = ("alerts", "api", "define", "logs", "queue", "retention", "rollups", "service", "triggers")
READS_NO_ROWS = {"api/body/parse.py", "define/signature.py", "service/paging.py"}


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (nested(DEEPEST_SHOWN + 1), "nested deeper than 128"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested deeper than 128"),
        ("1" * 5000, "a number of more than 4,300 digits"),
        ("1" * 400 + ".5", "beyond a float"),
        ("no json", "is not JSON"),
    ],
    ids=["deep", "very deep", "digits", "infinite", "no json"],
)
def test_what_cannot_be_shown_is_replaced_by_the_reason(text: str, why: str) -> None:
    assert why in read_json(text)[MARK]
    assert why in read_object(text)[MARK]


def test_what_is_stored_today_and_some_more_is_shown_as_it_is() -> None:
    text = nested(DEEPEST_SHOWN)
    assert json.dumps(mask_fields(read_json(text))) == text
    assert read_json('{"x": 1.5, "y": ["[[["]}') == {"x": 1.5, "y": ["[[["]}
    assert MARK in read_object("[1]")


@given(st.text() | st.text(alphabet='[]{}",:0123456789eE.-\\u d8'))
def test_reading_never_raises(text: str) -> None:
    json.dumps(read_json(text))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (nested(DEEPEST), None),
        (nested(DEEPEST + 1), f"nested .*{DEEPEST} deep"),
        ("1" * LONGEST_NUMBER, None),
        ("1" * (LONGEST_NUMBER + 1), "400 digits"),
        ("[1e300]", None),
        ("[1e5000]", "400 digits"),
        ('"1e5000 [[["', None),
        (json.dumps("x" * 1000), r"1,002 characters \(at most 1,000\)"),
    ],
)
def test_what_could_not_be_read_back_is_not_stored(text: str, problem: str | None) -> None:
    found = storage_problem(text, 1000)
    assert found is None if problem is None else re.search(problem, str(found))
    if problem is not None and "e5000" not in text:
        with pytest.raises(NotJsonError, match=problem):
            to_json(json.loads(text), 1000)


def test_nobody_else_parses_what_the_database_stores() -> None:
    root = Path(headrace.__file__).parent
    files = [path for layer in READERS for path in (root / layer).rglob("*.py")]
    parse = {str(path.relative_to(root)) for path in files if "json.loads(" in path.read_text()}
    assert parse == READS_NO_ROWS


@pytest.mark.parametrize("value", ["x" * 9_000, list(range(9_000)), {str(n): [n] for n in range(3_000)}])
def test_a_value_is_known_to_be_large_by_its_texts_or_by_how_many_there_are(value: Any) -> None:
    assert rough_size({"small": [1, "text"]}, 9_000) < 100
    assert rough_size({"rows": value}, 9_000) > 9_000
