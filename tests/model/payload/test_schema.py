"""Payloads against schemas: a sentence that names the place, whatever the schema is like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headrace.model.payload.schema import MOST_PROBLEMS, payload_check

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


def doubling(levels: int, word: str) -> str:
    """Each level is the next one twice: a few lines that are a thousand million rules."""
    rules: dict[str, Any] = {f"r{n}": {word: [{"$ref": f"#/$defs/r{n + 1}"}] * 2} for n in range(levels)}
    return json.dumps({"$ref": "#/$defs/r0", "$defs": {**rules, f"r{levels}": {"required": ["x"]}}})


def overlapping(levels: int) -> str:
    """The same, a level deeper in the value each time."""
    rules: dict[str, Any] = {
        f"r{n}": {"allOf": [{"properties": {"a": {"$ref": f"#/$defs/r{n + 1}"}}}] * 2} for n in range(levels)
    }
    return json.dumps({"$ref": "#/$defs/r0", "$defs": {**rules, f"r{levels}": {"type": "object"}}})


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (doubling(40, "anyOf"), "more than 10,000 rules against one value"),
        (doubling(40, "allOf"), "more than 10,000 rules against one value"),
        (overlapping(40), "more than 10,000 rules against one value"),
        ('{"allOf": [{"$ref": "#"}, {"$ref": "#"}]}', "refers to itself without looking into the value"),
        ('{"properties": {"a": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}', "places within itself"),
        ('{"properties": {"a": {"$id": "http://a/b", "$ref": "#"}}}', "$id stands only at the top"),
        (json.dumps({"prefixItems": [{"$ref": "#/$defs/r"}] * 10_001, "$defs": {"r": {}}}), "10,000 references"),
    ],
    ids=["anyOf", "allOf", "overlapping", "itself", "elsewhere", "id", "references"],
)
def test_a_schema_that_takes_for_ever_is_not_valid(schema: str, why: str) -> None:
    said = payload_check(schema)({})
    assert said is not None
    assert said.startswith("the definition's own schema is not valid: ")
    assert why in said


def test_many_models_that_refer_to_one_another_are_fine() -> None:
    models = {
        f"m{n}": {"type": "object", "properties": {f"p{k}": {"$ref": f"#/$defs/m{(n + k) % 300}"} for k in range(20)}}
        for n in range(300)
    }
    check = payload_check(json.dumps({"$ref": "#/$defs/m0", "$defs": models}))
    assert check({"p1": {"p2": {}}}) is None
    assert check({"p1": {"p2": 5}}) == 'p1.p2: 5 is not of type "object"'


def test_what_is_wrong_with_a_large_payload_is_said_by_its_members() -> None:
    schema = {
        "type": "object",
        "properties": {
            "lines": {"type": "array", "items": {"type": "string"}},
            "text": {"type": "string"},
            "n": {"$ref": "#/$defs/N"},
        },
        "required": ["n", "m"],
        "additionalProperties": False,
        "$defs": {"N": {"type": "integer"}},
    }
    payload = {"lines": list(range(300_000)), "text": "x" * 1_000_000, "n": "one", "other": 1}
    said = payload_check(json.dumps(schema))(payload)
    assert said is not None
    assert sorted(said.split("; ")) == [
        "lines: does not fit the schema (too large for details)",
        'n: "one" is not of type "integer"',
        'payload: "m" is a required property',
        "payload: Additional properties are not allowed ('other' was unexpected)",
    ]


def test_a_deep_value_of_a_recursive_union_is_refused_without_trying_every_way_through_it() -> None:
    node = {"properties": {"a": {"$ref": "#/$defs/node"}}}
    union = {"type": "object", "anyOf": [{**node, "required": ["x"]}, {**node, "maxProperties": 0}, node]}
    schema = json.dumps({"properties": {"tree": {"$ref": "#/$defs/node"}}, "$defs": {"node": union}})
    value: Any = 5
    for _ in range(50):
        value = {"a": value}
    assert payload_check(schema)({"tree": value}) == "tree: does not fit the schema (too large for details)"
    assert payload_check(schema)({"tree": {"a": {"a": {}}}}) is None


def test_a_payload_that_takes_too_long_to_compare_is_refused() -> None:
    objects = [{"a": n} for n in range(1000)]
    check = payload_check(json.dumps({"properties": {"a": {"items": {"enum": objects}}}}))
    assert check({"a": objects}) is None
    said = check({"a": objects * 10})
    assert said is not None
    assert "more than 4,995 values; a schema with up to 1,001 rules" in said
