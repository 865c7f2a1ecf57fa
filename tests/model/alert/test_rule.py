"""What may be said of a rule and of a target, and the sentence for what may not."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from headrace.errors import BadRequest
from headrace.model.alert.description import looks_for
from headrace.model.alert.kind import ALERT_KINDS
from headrace.model.alert.kinds import KINDS, complete_parameters
from headrace.model.alert.rule import complete_rule, recover_after
from headrace.model.alert.target import check_target
from headrace.model.alert.web_address import NOTHING

ONE, TWO = UUID(int=1), UUID(int=2)


@pytest.mark.parametrize("kind", ALERT_KINDS)
def test_every_kind_has_parameters_with_defaults_within_their_ranges(kind: Any) -> None:
    complete = complete_parameters(kind, {})
    assert set(complete) == set(KINDS[kind].parameters)
    assert complete_parameters(kind, complete) == complete
    rule = complete_rule({"name": "r", "kind": kind})
    assert recover_after(kind, rule.settings.recover_after_seconds) == KINDS[kind].recover_after_seconds


@pytest.mark.parametrize("kind", ALERT_KINDS)
def test_every_kind_has_its_words_and_a_sentence_for_what_it_looks_for(kind: Any) -> None:
    known = KINDS[kind]
    assert known.about.endswith(".")
    assert all(one.label and one.help.endswith(".") for one in known.parameters.values())
    about_one: dict[str, Any] = {known.subject: "nightly"}
    assert "any " in looks_for(kind, complete_parameters(kind, {}))
    assert "nightly" in looks_for(kind, complete_parameters(kind, about_one))


@pytest.mark.parametrize(
    ("settings", "field", "words"),
    [
        ({"kind": "fire"}, "kind", "kind is one of job_died"),
        ({"name": ""}, "name", "1 to 200 characters"),
        ({"parameters": {"m": 1}}, "parameters", "no parameter m; it has definition, n"),
        ({"parameters": {"n": "3"}}, "parameters.n", "n is a whole number from 1 to 1,000, not '3'"),
        ({"parameters": {"n": True}}, "parameters.n", "n is a whole number"),
        ({"parameters": {"n": 1.5}}, "parameters.n", "n is a whole number"),
        ({"parameters": {"n": 0}}, "parameters.n", "n is a whole number from 1 to 1,000, not 0"),
        ({"parameters": {"n": float("nan")}}, "parameters.n", "n is "),
        ({"parameters": {"n": float("inf")}}, "parameters.n", "n is "),
        ({"parameters": {"definition": ""}}, "parameters.definition", "definition is a name"),
        ({"parameters": {"definition": "a\0"}}, "parameters.definition", "definition is a name"),
        ({"repeat_seconds": 0}, "repeat_seconds", "repeat_seconds is a number of seconds from 1 to"),
        ({"group_seconds": -1}, "group_seconds", "group_seconds is a number of seconds from 0 to"),
        ({"targets": [ONE] * 11}, "targets", "at most 10"),
        ({"escalate_after": 1, "repeat_seconds": 60}, "escalate_to", "need each other"),
        ({"escalate_to": ONE}, "escalate_to", "need each other"),
        ({"escalate_after": 1, "escalate_to": ONE}, "escalate_after", "needs repeat_seconds"),
        (
            {"escalate_after": 1, "escalate_to": ONE, "repeat_seconds": 60, "targets": [ONE]},
            "escalate_to",
            "must be another target",
        ),
        ({"quiet_from": "22:00"}, "quiet_until", "need each other"),
        ({"quiet_from": "9:00", "quiet_until": "10:00"}, "quiet_from", "a time of day like 22:00"),
        ({"quiet_from": "24:00", "quiet_until": "10:00"}, "quiet_from", "a time of day like 22:00"),
        ({"quiet_from": "10:00", "quiet_until": "10:00"}, "quiet_until", "must differ"),
        ({"timezone": "Mars/Olympus"}, "timezone", "no time zone 'Mars/Olympus'"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(settings: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(BadRequest) as refused:
        complete_rule({"name": "r", "kind": "failures_in_a_row", **settings})
    assert refused.value.field == field
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "address", "kept"),
    [
        ("email", "ann@example.com", "ann@example.com"),
        ("email", " ann@example.com ,bob+x@sub.example.com,", "ann@example.com, bob+x@sub.example.com"),
        ("command", "page-oncall", "page-oncall"),
        ("webhook", "https://example.com/hook", "https://example.com/hook"),
    ],
)
def test_addresses_that_will_do(kind: Any, address: str, kept: str) -> None:
    assert check_target("t", kind, address, NOTHING) == kept


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("email", ""),
        ("email", "ann"),
        ("email", "ann@"),
        ("email", "ann@example.com\nBcc: eve@example.com"),
        ("email", "Ann <ann@example.com>"),
        ("email", ",".join(["ann@example.com"] * 21)),
        ("command", "rm -rf /"),
        ("command", "/bin/sh"),
        ("webhook", "http://127.0.0.1/"),
    ],
)
def test_addresses_that_will_not(kind: Any, address: str) -> None:
    with pytest.raises(BadRequest) as refused:
        check_target("t", kind, address, NOTHING)
    assert refused.value.field == "address"
