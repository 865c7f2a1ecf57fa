"""Payloads against schemas: a sentence that names the place, whatever the schema is like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headrace.model.payload_schema import MOST_PROBLEMS, payload_check

ORDER = json.dumps(
    {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "lines": {"type": "array", "items": {"type": "string"}}},
        "required": ["n"],
        "additionalProperties": False,
    }
)


@pytest.mark.parametrize("payload", [{"n": 1}, {"n": 10**40}, {"n": 1, "lines": []}, {"n": 1, "lines": ["a", "ü"]}])
def test_what_fits_is_fine(payload: dict[str, Any]) -> None:
    assert payload_check(ORDER)(payload) is None


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        ({}, 'payload: "n" is a required property'),
        ({"n": "1"}, 'n: "1" is not of type "integer"'),
        ({"n": 1.5}, 'n: 1.5 is not of type "integer"'),
        ({"n": 1, "lines": ["a", 2]}, 'lines.1: 2 is not of type "string"'),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(payload: dict[str, Any], sentence: str) -> None:
    assert payload_check(ORDER)(payload) == sentence


def test_what_is_not_expected_is_named() -> None:
    said = payload_check(ORDER)({"n": 1, "other": 2})
    assert said is not None
    assert "other" in said


def test_a_few_problems_are_told_and_none_at_length() -> None:
    said = payload_check(ORDER)({"n": 1, "lines": list(range(1000))})
    assert said is not None
    assert said.count(";") == MOST_PROBLEMS - 1
    long = payload_check(ORDER)({"n": "x" * 100_000})
    assert long is not None
    assert len(long) < 600


@pytest.mark.parametrize("schema", ["{}", "true"])
def test_a_schema_that_says_nothing_takes_all(schema: str) -> None:
    assert payload_check(schema)({"any": ["thing", None]}) is None


@pytest.mark.parametrize(
    "schema",
    [
        '{"type": 5}',
        "[]",
        "5",
        "not JSON",
        '{"$ref": "#/nowhere"}',
        '{"$ref": "http://example.com/schema.json"}',
        '{"$ref": "file:///etc/passwd"}',
        '{"pattern": "("}',
        '{"$schema": "http://example.com/unknown"}',
    ],
)
def test_a_schema_that_is_none_is_a_problem_of_every_payload(schema: str) -> None:
    said = payload_check(schema)({"a": 1})
    assert said is not None
    assert said.startswith("the definition's own schema is not valid: ")
    assert "\n" not in said


def test_a_pattern_that_would_try_for_ever_ends() -> None:
    check = payload_check('{"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}')
    assert check({"a": "a" * 50_000 + "!"}) is not None


def test_a_schema_is_compiled_once() -> None:
    assert payload_check(ORDER) is payload_check(ORDER)


def test_a_recursive_schema_ends() -> None:
    tree = {"type": "array", "items": {"$ref": "#/$defs/tree"}}
    schema = json.dumps({"$defs": {"tree": tree}, "properties": {"a": {"$ref": "#/$defs/tree"}}})
    assert payload_check(schema)({"a": [[[], [[]]]]}) is None
    assert payload_check(schema)({"a": [[[], [1]]]}) is not None


def test_a_sentence_about_a_payload_with_secrets_repeats_no_value() -> None:
    schema = {"properties": {"password": {"type": "string", "minLength": 9}}, "required": ["n"]}
    problem = payload_check(json.dumps(schema))({"password": "hunter2"})
    assert set(str(problem).split("; ")) == {
        "password: *** is shorter than 9 characters",
        'payload: "n" is a required property',
    }


def test_a_property_that_is_not_allowed_is_not_quoted_where_there_are_secrets() -> None:
    schema = {
        "properties": {
            "keys": {"type": "array", "items": {"type": "string", "writeOnly": True, "maxLength": 3}},
            "vault": {"additionalProperties": False, "properties": {"a": {}}, "writeOnly": True},
            "deep": {"x-secret": True, "properties": {"a": {"additionalProperties": {"type": "integer"}}}},
        },
        "additionalProperties": False,
    }
    check = payload_check(json.dumps(schema))
    assert check({"hunter2": 1}) == "payload: it has a property that the schema does not allow"
    assert check({"vault": {"hunter2": 1}}) == "vault: it has a property that the schema does not allow"
    assert check({"deep": {"a": {"hunter2": "x"}}}) == "deep: *** does not fit"
    assert check({"keys": ["a", "hunter2"]}) == "keys.1: *** is longer than 3 characters"
    names = payload_check(json.dumps({"propertyNames": {"maxLength": 3}, "properties": {"a": {"writeOnly": True}}}))
    assert names({"hunter2": 1}) == "payload: it has a property whose name does not fit"


def test_the_value_of_a_property_that_nobody_declared_is_never_quoted() -> None:
    assert payload_check('{"additionalProperties": false}')({"passwrd": "hunter2"}) == (
        "payload: it has a property that the schema does not allow"
    )
