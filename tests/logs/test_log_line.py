"""Any text becomes a line that can be stored."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from headrace.model.log.line import MAX_BYTES, STREAMS, LogLine, clean_fields, clean_message, storable

LINE = LogLine(UUID(int=1), 1, 1, datetime(2026, 1, 1, tzinfo=UTC), 20, 0, "hello")
# Surrogates too, which Hypothesis leaves out unless told.
ANY_TEXT = st.text(st.characters(codec=None, categories=None))


@given(ANY_TEXT)
def test_a_clean_message_is_utf_8_without_nul_and_short_enough(text: str) -> None:
    for given_text in (text, text * 5000):
        clean = clean_message(given_text)
        assert len(clean.encode("utf-8")) <= MAX_BYTES
        assert "\x00" not in clean
        assert clean_message(clean) == clean


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=4000))
def test_a_message_that_can_be_stored_stays_as_it_is(text: str) -> None:
    assert clean_message(text) == text


@given(ANY_TEXT | st.recursive(st.none() | ANY_TEXT | st.floats(), st.lists).map(json.dumps))
def test_clean_fields_are_json_that_jsonb_takes(text: str) -> None:
    clean = clean_fields(text)
    assert clean is not None
    clean.encode()
    json.loads(clean)
    assert clean_fields(clean) == clean


def test_a_line_that_is_fine_is_not_copied() -> None:
    assert storable(LINE) is LINE
    assert storable(LINE._replace(message="a\x00", level=-1)) == LINE._replace(message="a\\x00", level=0)


def test_streams_have_names() -> None:
    assert STREAMS == {0: "log", 1: "stdout", 2: "stderr", 3: "notice"}
