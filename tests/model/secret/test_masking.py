"""Masking: no form of a secret gets through, wherever a stream is cut."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.model.secret.masking import ALL_MASKED, MASK, MaskedStream, Masker, written_forms

SECRET = 'p/ä"ss w+ord&1'
FORMS = [
    SECRET,
    json.dumps(SECRET)[1:-1],
    json.dumps(SECRET, ensure_ascii=False)[1:-1],
    quote(SECRET),
    quote(SECRET, safe=""),
    quote(SECRET, safe="").lower(),  # the letters of the secret are small anyway
    quote_plus(SECRET),
    SECRET.encode().hex(),
    SECRET.encode().hex().upper(),
]


def masked_in_pieces(masker: Masker, data: bytes, cuts: list[int]) -> bytes:
    stream, said, last = MaskedStream(masker), b"", 0
    for cut in [*sorted(cuts), len(data)]:
        said += stream.feed(data[last:cut])
        last = max(last, cut)
    return said + stream.end()


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_masked_however_it_is_written(form: str) -> None:
    assert Masker([SECRET]).mask_text(f"a {form} z") == "a *** z"


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "abcd"])
@pytest.mark.parametrize("after", ["", "x", "xy", "xyz"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_in_base64_it_is_masked_at_every_place_of_a_longer_text(before: str, after: str, encode: object) -> None:
    assert callable(encode)
    text = encode((before + SECRET + after).encode())
    said = Masker([SECRET]).mask(text)
    assert MASK in said
    # What is left are the neighbours and the edges that mix with them: not enough to learn a byte of the middle.
    assert len(said) - len(MASK) <= len(encode((before + after).encode())) + 8


def test_every_place_where_a_stream_is_cut_in_two() -> None:
    masker = Masker([SECRET])
    for form in FORMS:
        data = f"say {form}, {form}{form} end".encode()
        whole = masker.mask(data)
        assert b"***, ****** end" in whole
        for cut in range(len(data) + 1):
            assert masked_in_pieces(masker, data, [cut]) == whole


@settings(max_examples=200)
@given(
    st.lists(st.text("abc/", min_size=6, max_size=9), min_size=1, max_size=3),
    st.text("abc/x", max_size=60),
    st.lists(st.integers(0, 60), max_size=6),
)
def test_the_pieces_say_what_the_whole_says(secrets: list[str], text: str, cuts: list[int]) -> None:
    masker, data = Masker(secrets), text.encode()
    cuts = [min(cut, len(data)) for cut in cuts]
    assert masked_in_pieces(masker, data, cuts) == masker.mask(data)


def test_a_secret_that_begins_another_does_not_uncover_its_rest() -> None:
    masker = Masker(["abcdef", "abcdefghijkl"])
    assert masked_in_pieces(masker, b"x abcdefghijkl y", [9]) == b"x *** y"
    assert masked_in_pieces(masker, b"x abcdefghX y", [9]) == b"x ***ghX y"


def test_what_may_begin_a_secret_is_held_back_only_until_it_is_disproved() -> None:
    stream = MaskedStream(Masker(["secret-value"]))
    assert stream.feed(b"hello\n") == b"hello\n"
    assert stream.feed(b"say sec") == b"say "
    assert stream.feed(b"ond") == b"second"
    assert stream.feed(b" secr") == b" "
    assert stream.end() == b"secr"


def test_each_longer_line_of_a_secret_is_one_by_itself() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nshort\n-----END KEY-----"
    assert Masker([key]).mask_text("line: MIIEvQIBADANBg.") == "line: ***."
    assert Masker([key]).mask_text("short") == "short"


def test_a_short_value_has_no_form_that_could_be_told_from_chance() -> None:
    assert written_forms("12345") == set()
    assert not Masker(["12345", ""])
    assert Masker(["12345"]).mask_text("12345") == "12345"


def test_nothing_secret_costs_nothing_and_changes_nothing() -> None:
    stream = MaskedStream(Masker([]))
    assert (stream.feed(b"as it is"), stream.end()) == (b"as it is", b"")


def test_any_text_can_be_masked() -> None:
    odd = "a\ud800b\x00" + SECRET + "\udfff"
    assert Masker([SECRET]).mask_text(odd) == "a\ud800b\x00***\udfff"


@pytest.mark.parametrize("secrets", [[f"secret-{n}" for n in range(1_001)], ["x" * 60_000, "y" * 60_000]])
def test_with_more_secrets_than_can_be_looked_for_everything_is_masked(secrets: list[str]) -> None:
    masker, said = Masker(secrets), f"one\n{secrets[-1]}\r\n\ntwo\n"
    assert masker
    assert masker.patterns == []
    assert (masker.mask_text(said), masker.mask_text("")) == (ALL_MASKED, "")
    assert masker.mask(said.encode()) == b"***\n***\r\n\n***\n"
    assert masked_in_pieces(masker, said.encode(), [2, 9]).replace(b"*", b"") == b"\n\r\n\n\n"


def test_the_same_secret_again_and_again_is_one() -> None:
    assert Masker(["hunter22"] * 85_000).mask_text("it is hunter22") == "it is ***"
