"""Text and JSON that PostgreSQL can store."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headrace.db.connect import Connection
from headrace.model.text import MAX_RESULT, NotJsonError, clean, to_json

# The same examples every time; one connection serves them all.
steady = settings(
    max_examples=200, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("\x00\\\ud800\udfffu0"), max_size=60)
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)


def circular() -> Any:
    loop: list[Any] = []
    loop.append(loop)
    return loop


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


# -- clean


def test_nul_and_lone_surrogates_become_visible() -> None:
    assert clean("a\x00b\ud800c\udfff", 100) == "a\\x00b\\ud800c\\udfff"


def test_ordinary_text_stays_as_it_is() -> None:
    assert clean("Zürich 漢字 \U0001f600\n\t", 100) == "Zürich 漢字 \U0001f600\n\t"


def test_text_at_the_limit_is_whole_and_beyond_it_keeps_both_ends() -> None:
    assert clean("x" * 1000, 1000) == "x" * 1000
    cut = clean("first " + "x" * 5000 + " last", 1000)
    assert cut.startswith("first xxx")
    assert cut.endswith("xxx last")
    assert "… 4011 characters left out …" in cut
    assert len(cut) < 1100


def test_characters_that_grow_when_made_visible_count_as_they_are_written() -> None:
    assert len(clean("\x00" * 1000, 1000)) < 1100


@steady
@given(any_text, st.integers(min_value=2, max_value=80))
def test_whatever_is_cleaned_has_no_nul_and_is_utf8_and_is_short(text: str, limit: int) -> None:
    safe = clean(text, limit)
    assert "\x00" not in safe
    safe.encode("utf-8")
    assert len(safe) <= limit + len("\n… 1000 characters left out …\n")


# -- to_json


@pytest.mark.parametrize(
    ("make", "because"),
    [
        (lambda: math.nan, "float value is not JSON: Out of range float values"),
        (lambda: [math.inf], "list value is not JSON: Out of range float values"),
        (lambda: {"x": -math.inf}, "dict value is not JSON: Out of range float values"),
        (circular, "Circular reference"),
        (lambda: nested(100_000), "recursion"),
        (lambda: {1, 2}, "set value is not JSON"),
        (lambda: b"bytes", "bytes value is not JSON"),
        (object, "object value is not JSON"),
        (lambda: {(1, 2): 3}, "keys must be"),
        (lambda: "lone \ud800", "surrogates not allowed"),
        (lambda: {"\udfff": 1}, "surrogates not allowed"),
        (lambda: "a\x00b", "NUL"),
        (lambda: {"a\x00b": 1}, "NUL"),
        (lambda: ["\\\x00"], "NUL"),
        (lambda: "x" * 2_000_000, "2,000,002 characters (at most 1,000,000)"),
        (lambda: 10**5000, "not JSON"),
    ],
)
def test_what_jsonb_cannot_hold_is_refused_with_a_reason(make: Callable[[], Any], because: str) -> None:
    with pytest.raises(NotJsonError) as refused:
        to_json(make())
    assert because in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("text", ["\\u0000", "\\\\u0000", "a\\u0000b", "u0000", "\\", "\\x00"])
def test_the_written_form_of_a_nul_is_ordinary_text(text: str) -> None:
    assert json.loads(to_json(text)) == text


def test_the_limit_is_the_last_length_accepted() -> None:
    assert len(to_json("x" * (MAX_RESULT - 2))) == MAX_RESULT
    with pytest.raises(NotJsonError, match="1,000,001 characters"):
        to_json("x" * (MAX_RESULT - 1))


def test_json_is_compact_and_keeps_its_characters() -> None:
    assert to_json({"a": [1, "ü"], "b": None}) == '{"a":[1,"ü"],"b":null}'


# -- PostgreSQL's word on it


@steady
@given(json_like)
async def test_whatever_to_json_accepts_jsonb_accepts(connection: Connection, value: Any) -> None:
    try:
        text = to_json(value)
    except NotJsonError:
        return
    stored = await connection.fetchval("select $1::jsonb", text)
    # jsonb writes 6e16 out as an integer: the number is the same.
    assert json.loads(stored, parse_int=float) == json.loads(text, parse_int=float)


@steady
@given(any_text, st.integers(min_value=2, max_value=80))
async def test_whatever_clean_returns_postgresql_keeps(connection: Connection, text: str, limit: int) -> None:
    safe = clean(text, limit)
    assert await connection.fetchval("select $1::text", safe) == safe


async def test_the_extremes_that_are_accepted_are_stored_as_they_are(connection: Connection) -> None:
    for value in ("x" * (MAX_RESULT - 2), 10**399, 1.7e308, 5e-324, ["\\u0000"], {"": {"": ""}}):
        assert await connection.fetchval("select $1::jsonb = $2::jsonb", to_json(value), json.dumps(value))


async def test_the_deepest_nesting_accepted_is_stored(connection: Connection) -> None:
    depth = 50
    while True:
        try:
            text = to_json(nested(depth * 2))
        except NotJsonError:
            break
        depth *= 2
    text = to_json(nested(depth))
    assert await connection.fetchval("select $1::jsonb is not null", text)
