"""Outcomes without secrets: the same kind of outcome, and JSON still."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.model.job.outcome import (
    Cancel,
    Canceled,
    Fail,
    Failed,
    Outcome,
    Released,
    Retry,
    Snooze,
    Succeeded,
    TimedOut,
)
from headrace.model.secret.mask_outcome import mask_json, mask_outcome, masker_for
from headrace.model.secret.masking import Masker
from headrace.model.secret.schema import SecretSchema

SECRET = 'horse"battery\nß'
MASKER = Masker([SECRET])


@pytest.mark.parametrize(
    ("outcome", "masked"),
    [
        (Succeeded(), Succeeded()),
        (Succeeded(json.dumps({"a": [SECRET]})), Succeeded('{"a": ["***"]}')),
        (Failed(f"no {SECRET}", f"at {SECRET}"), Failed("no ***", "at ***")),
        (Failed("no"), Failed("no")),
        (TimedOut("late"), TimedOut("late")),
        (Canceled(), Canceled()),
        (Released(), Released()),
    ],
)
def test_what_is_kept_of_an_outcome_has_no_secret(outcome: Outcome, masked: Outcome) -> None:
    assert mask_outcome(outcome, MASKER) == masked


@pytest.mark.parametrize("asked", [Retry(1, SECRET), Snooze(1, SECRET), Cancel(SECRET), Fail(SECRET)])
def test_what_a_handler_asks_for_stays_what_it_was(asked: Retry | Snooze | Cancel | Fail) -> None:
    masked: Any = mask_outcome(asked, MASKER)
    assert type(masked) is type(asked)
    assert masked.reason == "***"
    assert getattr(masked, "after", None) == getattr(asked, "after", None)
    assert getattr(masked, "for_", None) == getattr(asked, "for_", None)


def test_a_number_that_is_secret_takes_the_whole_result_along() -> None:
    assert mask_json('{"a": 123456789}', Masker(["123456789"])) == '"***"'
    assert mask_json('{"a": "123456789"}', Masker(["123456789"])) == '{"a": "***"}'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.just(SECRET),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.booleans())
def test_any_result_is_json_still_and_has_no_secret(value: object, ascii_only: bool) -> None:
    masked = mask_json(json.dumps(value, ensure_ascii=ascii_only), MASKER)
    assert SECRET not in str(json.loads(masked))


def test_only_what_looks_secret_or_is_said_to_be_is_masked() -> None:
    payload = json.dumps({"password": "hunter-22", "name": "Ann Example", "code": "swordfish"})
    assert not masker_for('{"name": "Ann Example"}')
    assert masker_for(payload).mask_text("hunter-22 Ann Example swordfish") == "*** Ann Example swordfish"
    schema = SecretSchema({"properties": {"code": {"type": "string", "writeOnly": True}}})
    assert (
        masker_for(payload, schema, ["of the environment"]).mask_text(
            "hunter-22 Ann Example swordfish of the environment"
        )
        == "*** Ann Example *** ***"
    )
