"""Secrets found in JSON as text are those that are found in its values, and nothing else is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headrace.model.secret.text
from headrace.model.secret.fields import secret_values, texts_in
from headrace.model.secret.mask_outcome import masker_for
from headrace.model.secret.text import PIECE, secret_texts

NAMES = st.text(max_size=6) | st.sampled_from(
    [
        "password",
        "apiKey",
        "client-secret",
        "author",
        "key",
        "PIN",
        'a"token',
        "İ_otp",
        "session\\_id",
        "x.auth",
        "\x00pass",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")]))
def test_what_is_found_in_the_text_is_what_the_values_hold(
    value: object, ascii_only: bool, separators: tuple[str, str]
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, separators=separators)
    assert sorted(secret_texts(text)) == sorted(secret_values(json.loads(text)))


def test_names_are_found_wherever_a_text_is_cut_into_pieces() -> None:
    for gap in range(PIECE - 40, PIECE + 5):
        assert list(secret_texts(json.dumps({"a": "x" * gap, "private_key": "v"}))) == ["v"]


def test_only_what_stands_under_a_secret_name_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Any] = []

    def counting(value: Any) -> Iterator[str]:
        looked_at.append(value)
        return texts_in(value)

    monkeypatch.setattr(headrace.model.secret.text, "texts_in", counting)
    rows = json.dumps([{"key": n, "author": "who has no secret", "note": "a token, a password"} for n in range(10_000)])
    text = f'{{"rows": {rows}, "password": "correct-horse", "total": {"1" * 5_000}}}'
    assert masker_for(text).mask_text("it is correct-horse") == "it is ***"
    assert looked_at == ["correct-horse"]


@pytest.mark.parametrize(
    "text", ["", "pass", '"pass', '{"pass":', '{"pass": nonsense, "token": "v"}', '{"pin": ' + "[" * 99_999]
)
def test_what_is_no_json_raises_nothing(text: str) -> None:
    assert list(secret_texts(text)) in ([], ["v"])


def test_a_number_too_long_for_python_is_masked_as_it_is_written() -> None:
    assert list(secret_texts('{"pin": ' + "7" * 5_000 + "}")) == ["7" * 5_000]
