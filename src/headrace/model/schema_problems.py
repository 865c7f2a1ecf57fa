"""What is wrong with a value, said within bounds: the validator collects every error before it gives the first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import jsonschema_rs

from headrace.model.json_bounds import levels
from headrace.model.schema_walk import BadSchema, Schema

# A regular expression of a schema must not take for ever, nor a reference reach out of the process.
_REGEX = jsonschema_rs.RegexOptions()
# Each error is a text with the value that it is about: so many texts, and of so many values.
MOST_VISITS = 2_000
LARGEST_EXPLAINED = 5_000
MOST_TOGETHER = 5_000_000
_CHARACTERS = 20  # that count as a value
_OF_THE_OBJECT = ("type", "required", "minProperties", "maxProperties", "dependentRequired")


def validator(schema: Any, mask: str | None = None) -> Any:
    """A compiled schema, or an error of `jsonschema_rs` or `ValueError`."""
    text = schema if isinstance(schema, str) else json.dumps(schema)
    return jsonschema_rs.validator_for(text, pattern_options=_REGEX, retriever=_refuse, mask=mask)


def explain(schema: Schema, payload: Mapping[str, Any], *, mask: str | None) -> Iterator[str]:
    """Sentences about a payload that does not fit, each with its place; of a large one by the names of its members."""
    if _is_small(schema, payload):
        yield from _errors(schema.root, payload, "", mask)
        return
    top, found = schema.top, False
    shallow = {word: top[word] for word in _OF_THE_OBJECT if word in top}
    shallow["properties"] = dict.fromkeys(schema.by_name(top), True)
    if top.get("additionalProperties") is False and "patternProperties" not in top:
        shallow["additionalProperties"] = False
    for sentence in _errors(shallow, dict.fromkeys(payload), "", mask):
        found = True
        yield sentence
    for name, rule in schema.by_name(top).items():
        if name in payload and (sentences := list(_member_errors(schema, name, rule, payload[name], mask))):
            found = True
            yield from sentences
    if not found:
        yield "payload: does not fit the schema, and is too large to say where"


def _member_errors(schema: Schema, name: str, rule: Any, value: Any, mask: str | None) -> Iterator[str]:
    """The same for one member, held against its own rule."""
    if not isinstance(rule, dict):
        return
    root = schema.root
    own = {**{word: root[word] for word in ("$schema", "$defs", "definitions") if word in root}, **rule}
    try:
        alone = Schema(own)
        if validator(own).is_valid(value):
            return
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError):
        return  # it refers to a place that is not there without the rest
    if _is_small(alone, value):
        yield from _errors(own, value, name, mask)
    else:
        yield f"{name}: does not fit the schema, and is too large to say where"


def _errors(schema: Any, value: Any, place: str, mask: str | None) -> Iterator[str]:
    for error in validator(schema, mask).iter_errors(value):
        path = ".".join(filter(None, [place, *map(str, error.instance_path)]))
        yield f"{path or 'payload'}: {error.message[:500]}"


def _is_small(schema: Schema, value: Any) -> bool:
    """Whether all that can be wrong with a value is said in a moment."""
    size = 0
    for level in levels(value):
        size += len(level) + sum(len(item) for item in level if isinstance(item, str)) // _CHARACTERS
        if size > LARGEST_EXPLAINED:
            return False
    try:
        return _visits_within(schema, value, min(MOST_VISITS, MOST_TOGETHER // max(size, 1)))
    except BadSchema:
        return False


def _visits_within(schema: Schema, value: Any, limit: int) -> bool:
    """Whether no more than so many rules are held against a value and all that is in it."""
    waiting: list[tuple[Any, Any]] = [(schema.root, value)]
    visits = 0
    while waiting:
        rule, inner = waiting.pop()
        visits += 1
        if visits > limit:
            return False
        if isinstance(rule, dict):
            waiting += islice(_rules_for(schema, rule, inner), limit + 1)
    return True


def _rules_for(schema: Schema, rule: dict[str, Any], value: Any) -> Iterator[tuple[Any, Any]]:
    """What a rule holds against a value and what is in it."""
    yield from ((part, value) for part in schema.in_place(rule))
    if isinstance(value, dict):
        named = schema.by_name(rule)
        yield from ((named[name], inner) for name, inner in value.items() if name in named)
        yield from ((part, inner) for part in schema.of_members(rule) for inner in value.values())
    elif isinstance(value, list):
        yield from ((part, inner) for part in schema.of_items(rule) for inner in value)


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to {uri}")
