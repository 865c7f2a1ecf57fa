"""A secret shows nowhere, whichever keywords of a schema lead to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.model.job.outcome import Failed, Succeeded
from headrace.model.log.run_log import LogLimits, RunLog
from headrace.model.payload import schema_references
from headrace.model.payload.schema import payload_check
from headrace.model.secret import schema as secret_schema
from headrace.model.secret.fields import MASKED, mask_fields, secret_paths, secret_values
from headrace.model.secret.mask_outcome import mask_outcome, masker_for
from headrace.model.secret.schema import SecretSchema
from headrace.model.secret.unmask import unmask

SECRET = "s3cr3t-horse/battery"
ODD = "a/b~c%d e"
ODD_POINTER = "a~1b~0c%25d%20e"

Part = tuple[Any, Any]
Wrap = Callable[[Any, Any, dict[str, Any]], Part]


def _defined(reference: str, **more: Any) -> Wrap:
    """The subschema among `$defs`, under an odd name, and a reference to it in its place."""

    def wrap(schema: Any, value: Any, root: dict[str, Any]) -> Part:
        n = len(root["$defs"])
        root["$defs"][f"{ODD}{n}"] = {"allOf": [schema], **{word: text.format(n=n) for word, text in more.items()}}
        word, _, target = reference.partition("=")
        return {word: target.format(n=n, pointer=f"{ODD_POINTER}{n}")}, value

    return wrap


def _of_root(schema: Any, value: Any, root: dict[str, Any]) -> Part:
    name = f"again{len(root['allOf'])}"
    root["allOf"].append({"properties": {name: schema}})
    return {"$recursiveRef": "#"}, {name: value}


WRAPS: dict[str, Wrap] = {
    "properties": lambda s, v, _: ({"properties": {ODD: s}}, {ODD: v, "other": "open"}),
    "patternProperties": lambda s, v, _: ({"patternProperties": {"^f[0-9]": s}}, {"f1": v, "f": "open"}),
    "additionalProperties": lambda s, v, _: (
        {"properties": {"other": {}}, "additionalProperties": s},
        {"any": v, "other": "open"},
    ),
    "unevaluatedProperties": lambda s, v, _: ({"unevaluatedProperties": s}, {"any": v}),
    "items": lambda s, v, _: ({"items": s}, [v]),
    "listed items": lambda s, v, _: ({"items": [{}, s]}, ["open", v]),
    "additionalItems": lambda s, v, _: ({"items": [{}], "additionalItems": s}, ["open", v, v]),
    "prefixItems": lambda s, v, _: ({"prefixItems": [{}, s], "items": {}}, ["open", v, "open"]),
    "items after prefixItems": lambda s, v, _: ({"prefixItems": [{}], "items": s}, ["open", v, v]),
    "unevaluatedItems": lambda s, v, _: ({"prefixItems": [{}], "unevaluatedItems": s}, ["open", v]),
    "contains": lambda s, v, _: ({"contains": s}, [1, v]),
    "allOf": lambda s, v, _: ({"allOf": [{}, s]}, v),
    "anyOf": lambda s, v, _: ({"anyOf": [{"type": "null"}, s]}, v),
    "oneOf": lambda s, v, _: ({"oneOf": [s, {"type": "null"}]}, v),
    "not": lambda s, v, _: ({"not": s}, v),
    "if": lambda s, v, _: ({"if": s}, v),
    "then": lambda s, v, _: ({"if": True, "then": s}, v),
    "else": lambda s, v, _: ({"if": False, "else": s}, v),
    "dependentSchemas": lambda s, v, _: ({"dependentSchemas": {"x": s}}, v),
    "dependencies": lambda s, v, _: ({"dependencies": {"x": s, "y": ["z"]}}, v),
    "propertyNames": lambda s, _v, _: ({"propertyNames": s}, {SECRET: "open"}),
    "contentSchema": lambda s, v, _: ({"contentMediaType": "application/json", "contentSchema": s}, json.dumps(v)),
    "$ref": _defined("$ref=#/$defs/{pointer}"),
    "$ref to an anchor": _defined("$ref=#anchor{n}", **{"$anchor": "anchor{n}"}),
    "$ref to an id": _defined("$ref=other{n}.json#/allOf/0", **{"$id": "other{n}.json"}),
    "$dynamicRef": _defined("$dynamicRef=#dynamic{n}", **{"$dynamicAnchor": "dynamic{n}"}),
    "$recursiveRef": _of_root,
}
# A text has nothing inside it, and a name neither: these stand last.
LAST = ("propertyNames", "contentSchema")
FIRST = sorted(WRAPS.keys() - {*LAST})
SAID = ({"writeOnly": True}, {"x-secret": True}, {"format": "password"})


def combined(said: dict[str, Any], last: str | None, words: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A schema that leads to a secret through those keywords, and a payload that has it there."""
    root: dict[str, Any] = {"$defs": {}, "allOf": [], "required": ["missing"], "type": "object"}
    schema: Any = {**said, "maxLength": 2}
    value: Any = SECRET
    for word in ([] if last is None else [last]) + words:
        schema, value = WRAPS[word](schema, value, root)
    return {**root, "properties": {"top": schema, "n": {"type": "integer"}}}, {"top": value, "n": 1}


def shown(document: dict[str, Any], payload: dict[str, Any]) -> Iterator[str]:
    """All that is shown of a run which says its secret wherever it can."""
    schema, text = SecretSchema(document), json.dumps(payload)
    yield json.dumps(mask_fields(payload, schema))
    yield payload_check(json.dumps(document))(payload) or ""
    masker = masker_for(text, schema)
    for outcome in (Succeeded(json.dumps({"a": [SECRET]})), Succeeded(text), Failed(f"no {SECRET}", f"at {SECRET}")):
        yield str(mask_outcome(outcome, masker))
    log = RunLog(UUID(int=1), 1, clock=lambda: datetime.now(UTC), limits=LogLimits(), masker=masker)
    log.write(f"it is {SECRET}", fields={"given": [SECRET], "all": payload})
    yield str(log.take(10))


@given(st.sampled_from(SAID), st.none() | st.sampled_from(LAST), st.lists(st.sampled_from(FIRST), max_size=6))
def test_a_secret_is_shown_nowhere_whichever_keywords_lead_to_it(
    said: dict[str, Any], last: str | None, words: list[str]
) -> None:
    document, payload = combined(said, last, words)
    for text in shown(document, payload):
        assert SECRET not in text
    masked = mask_fields(payload, SecretSchema(document))
    assert masked["n"] == 1
    assert unmask(masked, masked, payload) == payload


@pytest.mark.parametrize("word", sorted(WRAPS))
def test_each_keyword_leads_to_a_secret_by_itself(word: str) -> None:
    document, payload = combined({"writeOnly": True}, None, [word])
    assert SECRET in set(secret_values(payload, SecretSchema(document)))
    for text in shown(document, payload):
        assert SECRET not in text


def test_no_keyword_that_holds_a_subschema_is_left_out() -> None:
    read = {*schema_references.REFERENCES, "prefixItems"}
    for words in ("BESIDE", "BESIDE_EACH", "BESIDE_NAMED", "OF_NAMES", "OF_OTHER_NAMES", "OF_ITEMS", "OF_PARTS"):
        read |= set(getattr(secret_schema, words))
    assert read == {word.split()[-1] if word.startswith("listed") else word.split()[0] for word in WRAPS}


def test_what_is_beside_a_secret_is_shown() -> None:
    schema = SecretSchema(
        {
            "properties": {
                "names": {"additionalProperties": {"writeOnly": True}, "properties": {"open": {}}},
                "pairs": {"prefixItems": [{"type": "string"}, {"writeOnly": True}], "items": {"type": "integer"}},
                "by_pattern": {"patternProperties": {"_key$": {"writeOnly": True}}},
                "none": {"type": ["string", "null"], "writeOnly": True},
            }
        }
    )
    payload = {
        "names": {"open": "o", "a": "b"},
        "pairs": ["x", "y", 3],
        "by_pattern": {"a_key": "k", "b": 1},
        "none": None,
    }
    assert mask_fields(payload, schema) == {
        "names": {"open": "o", "a": MASKED},
        "pairs": ["x", MASKED, 3],
        "by_pattern": {"a_key": MASKED, "b": 1},
        "none": None,
    }
    assert sorted(secret_paths(payload, schema)) == [
        ("by_pattern", "a_key"),
        ("names", "a"),
        ("none",),
        ("pairs", 1),
    ]


def test_a_payload_that_is_secret_as_a_whole_keeps_its_names() -> None:
    assert mask_fields({"a": [1], "b": None}, SecretSchema({"writeOnly": True})) == {"a": MASKED, "b": None}


def count_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often a subschema is looked at."""
    reads = [0]
    look = SecretSchema.beside

    def counted(self: SecretSchema, node: Any) -> Iterator[Any]:
        reads[0] += 1
        return look(self, node)

    monkeypatch.setattr(SecretSchema, "beside", counted)
    return reads


@pytest.mark.parametrize("inner", [{"allOf": []}, {"properties": {"a": {}, "b": {}}}], ids=["beside", "inside"])
def test_references_that_double_at_each_step_are_each_read_a_few_times(
    monkeypatch: pytest.MonkeyPatch, inner: dict[str, Any]
) -> None:
    reads = count_reads(monkeypatch)
    steps = 200
    defs: dict[str, Any] = {f"d{steps}": {"writeOnly": True}}
    for n in range(steps):
        twice = [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]
        defs[f"d{n}"] = {"allOf": twice} if "allOf" in inner else {"properties": dict(zip("ab", twice, strict=True))}
    schema = SecretSchema({"$defs": defs, "properties": {"top": {"$ref": "#/$defs/d0"}}})
    value: Any = "x"
    for _ in range(steps if "properties" in inner else 0):
        value = {"a": value}
    assert set(secret_values({"top": value}, schema)) == {"x"}
    assert reads[0] <= 10 * steps


def test_a_schema_that_refers_to_itself_is_walked_as_deep_as_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = count_reads(monkeypatch)
    tree = {"properties": {"seed": {"writeOnly": True}, "down": {"$ref": "#/$defs/tree"}}, "$ref": "#/$defs/tree"}
    schema = SecretSchema({"$defs": {"tree": tree}, "$ref": "#/$defs/tree"})
    value: Any = {"seed": "deepest"}
    for n in range(900):
        value = {"seed": f"s{n}", "down": value}
    assert len(set(secret_values(value, schema))) == 901
    assert "deepest" not in str(mask_fields({"top": 1, "down": value["down"]["down"]}, schema))[-200:]
    assert reads[0] < 20


def test_a_list_that_contains_itself_is_refused_and_not_copied_for_ever() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(RecursionError, match="nested more than"):
        mask_fields({"a": endless})


def test_a_hostile_pattern_takes_no_time() -> None:
    schema = SecretSchema({"patternProperties": {"^(a+)+$": {"writeOnly": True}}})
    name = "a" * 50_000
    assert mask_fields({name: 1, f"{name}!": 2}, schema) == {name: MASKED, f"{name}!": 2}


def test_a_schema_without_secrets_is_not_walked() -> None:
    schema = SecretSchema({"properties": {"a": {"items": {"type": "string"}}}})
    assert not schema.start
    assert schema.start.named("a") is schema.start.at(0) is schema.start
