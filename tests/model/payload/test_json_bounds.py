"""JSON is judged in one pass, before a parser sees it: at the first byte that goes too far, wherever it is cut."""

from __future__ import annotations

import json

import pytest

from headrace.errors import BadRequest
from headrace.model.payload.json_bounds import DEEPEST, LONGEST_NUMBER, PIECE, JsonBounds


def judge(body: bytes, size: int = PIECE) -> str | int:
    """The code of what is wrong, or how many values there are."""
    bounds = JsonBounds()
    try:
        for at in range(0, len(body), size):
            bounds.feed(body[at : at + size])
        bounds.finish()
    except BadRequest as error:
        return error.code
    return bounds.values


NUMBER = b"9" * LONGEST_NUMBER
CASES: dict[bytes, str | int] = {
    b'{"a": [1, 2.5e3], "b": {}, "c": "x"}': 6,
    b'{"a": "[[{{,\\"[", "b": "\\\\"}': 2,
    b'["\\u00e9 \\ud83d\\ude00 \xf0\x9f\x98\x80", "\\\\ud800"]': 2,
    b"[" * DEEPEST + b"]" * DEEPEST: DEEPEST,
    b"[" * (DEEPEST + 1): "too_deep",
    b'"[" ' + b'{"a":' * (DEEPEST + 1): "too_deep",
    b"[" + NUMBER + b"," + NUMBER + b"." + NUMBER + b"]": 2,
    b'["' + NUMBER + b'9"]': 1,
    b"[" + NUMBER + b"9]": "number_too_long",
    b'["\\ud800"]': "not_unicode",
    b'["\\ude00 and more text"]': "not_unicode",
    b'["\\ud83d\\u00e9 and more text"]': "not_unicode",
    b'"\\ud83d\\ude': 0,  # the parser says that it ends too soon
}


@pytest.mark.parametrize("body", CASES, ids=lambda body: repr(body[:30]))
def test_a_body_is_judged_alike_wherever_it_is_cut(body: bytes) -> None:
    assert {judge(body, size) for size in (*range(1, 30), PIECE)} == {CASES[body]}


@pytest.mark.parametrize(("endless", "code"), [(b"[", "too_deep"), (b"1", "number_too_long")])
def test_what_goes_too_far_is_refused_in_its_first_piece(endless: bytes, code: str) -> None:
    assert judge(endless * PIECE) == code


def test_a_body_of_many_values_is_refused_when_there_are_too_many() -> None:
    bounds, piece = JsonBounds(), b"[]," * 10_000
    for _ in range(50):
        bounds.feed(piece)
    with pytest.raises(BadRequest, match="more than 1,000,000 values"):
        bounds.feed(piece)


def test_what_a_program_writes_is_let_through() -> None:
    value = {"jobs": [{"definition": "work", "payload": {'é😀\\"': ["[", n, -1.5e-7, None]}} for n in range(100)]}
    for ascii_only in (True, False):
        assert judge(json.dumps(value, ensure_ascii=ascii_only).encode(), 1000) == judge(json.dumps(value).encode())
