"""A payload that was edited while its secrets were masked."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.model.secret.fields import MASKED, mask_fields
from headrace.model.secret.unmask import unmask

ANN, BOB = {"user": "ann", "password": "a-secret"}, {"user": "bob", "password": "b-secret"}
SHOWN_ANN, SHOWN_BOB = {"user": "ann", "password": MASKED}, {"user": "bob", "password": MASKED}


def meant(edited: Any, kept: Any) -> Any:
    """As the service does it."""
    return unmask(edited, mask_fields(kept), kept)


def test_what_was_left_alone_is_what_it_was() -> None:
    kept = {"note": "x", "password": "p", "accounts": [ANN, BOB], "deep": {"token": {"a": 1}}, "none": None}
    assert meant(mask_fields(kept), kept) == kept


def test_a_mask_beside_an_edit_is_the_value_behind_it() -> None:
    kept = {"note": "x", "deep": {"password": "p", "n": 1}}
    assert meant({"note": "y", "deep": {"password": MASKED, "n": 2}}, kept) == {
        "note": "y",
        "deep": {"password": "p", "n": 2},
    }


def test_another_secret_takes_the_place_of_the_old_one() -> None:
    assert meant({"password": "new"}, {"password": "old"}) == {"password": "new"}
    assert meant({}, {"password": "old"}) == {}


def test_stars_that_are_no_mask_are_stars() -> None:
    assert meant({"note": MASKED}, {"note": "x"}) == {"note": MASKED}
    assert meant({"password": MASKED}, {}) == {"password": MASKED}


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        ([SHOWN_BOB], [BOB]),
        ([SHOWN_BOB, SHOWN_ANN], [BOB, ANN]),
        ([SHOWN_ANN, SHOWN_BOB, {"user": "cid", "password": "c"}], [ANN, BOB, {"user": "cid", "password": "c"}]),
        ([{"user": "anna", "password": MASKED}, SHOWN_BOB], [{"user": "anna", "password": "a-secret"}, BOB]),
        # Nobody can tell whose it is, so it stays a mask, which is refused later.
        ([{"user": "anna", "password": MASKED}], [{"user": "anna", "password": MASKED}]),
    ],
    ids=["removed", "moved", "added", "edited", "unclear"],
)
def test_items_of_a_list_keep_their_own_secrets(edited: Any, expected: Any) -> None:
    assert meant({"accounts": edited}, {"accounts": [ANN, BOB]}) == {"accounts": expected}


class Counted(str):
    """A text that counts how often it is compared with another."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


def test_items_of_a_long_list_are_not_compared_with_each_other() -> None:
    n = 2000
    kept = {"accounts": [{"user": f"u{i}", "password": f"p{i}"} for i in range(n)]}
    shown = mask_fields(kept)
    edited = {"accounts": [{"user": Counted(f"u{i}"), "password": MASKED} for i in reversed(range(n))]}
    Counted.compared = 0
    assert unmask(edited, shown, kept) == {"accounts": kept["accounts"][::-1]}
    assert Counted.compared <= 20 * n


def test_a_mask_deep_in_lists_of_lists_is_the_value_behind_it() -> None:
    kept: Any = {"password": "deepest"}
    for _ in range(60):
        kept = [kept, "beside"]
    edited = mask_fields(kept)
    edited[1] = "edited"
    assert unmask(edited, mask_fields(kept), kept) == [kept[0], "edited"]


def test_true_is_not_one() -> None:
    kept = {"flags": [{"on": 1, "password": "a"}, {"on": True, "password": "b"}]}
    moved = mask_fields(kept)["flags"][::-1]
    assert meant({"flags": moved}, kept) == {"flags": kept["flags"][::-1]}
