"""What is wrong with a value, said within bounds: the validator collects every error before it gives the first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from itertools import islice
from typing import Any

import jsonschema_rs

from headrace.model.payload.json_storage import levels
from headrace.model.payload.schema_walk import BadSchema, Schema
from headrace.model.secret.fields import MASKED

# A regular expression of a schema must not take for ever, nor a reference reach out of the process.
_REGEX = jsonschema_rs.RegexOptions()
# Each error is a text with the value that it is about: so many texts, and of so many values.
MOST_VISITS = 2_000
LARGEST_EXPLAINED = 5_000
MOST_TOGETHER = 5_000_000
_CHARACTERS = 20  # that count as a value
# Their messages quote names of the payload, or values.
_OTHER_NAMES = ("additionalProperties", "unevaluatedProperties")
_OF_THE_OBJECT = ("type", "required", "minProperties", "maxProperties", "dependentRequired")

# The places whose values are secret; none where neither the value nor the schema has secrets.
Path = tuple[str | int, ...]
Hidden = Set[Path] | None


def validator(schema: Any, mask: str | None = None) -> Any:
    """A compiled schema, or an error of `jsonschema_rs` or `ValueError`."""
    text = schema if isinstance(schema, str) else json.dumps(schema)
    return jsonschema_rs.validator_for(text, pattern_options=_REGEX, retriever=_refuse, mask=mask)


def explain(schema: Schema, payload: Mapping[str, Any], hidden: Hidden = None) -> Iterator[str]:
    """Sentences about a payload that does not fit, each with its place; of a large one by the names of its members."""
    if _is_small(schema, payload):
        yield from _errors(schema.root, payload, (), hidden)
        return
    top, found = schema.top, False
    shallow = {word: top[word] for word in _OF_THE_OBJECT if word in top}
    shallow["properties"] = dict.fromkeys(schema.by_name(top), True)
    if top.get("additionalProperties") is False and "patternProperties" not in top:
        shallow["additionalProperties"] = False
    for sentence in _errors(shallow, dict.fromkeys(payload), (), hidden):
        found = True
        yield sentence
    for name, rule in schema.by_name(top).items():
        if name in payload and (sentences := list(_member_errors(schema, name, rule, payload[name], hidden))):
            found = True
            yield from sentences
    if not found:
        yield "payload: does not fit the schema (too large for details)"


def _member_errors(schema: Schema, name: str, rule: Any, value: Any, hidden: Hidden) -> Iterator[str]:
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
        yield from _errors(own, value, (name,), hidden)
    else:
        yield f"{name}: does not fit the schema (too large for details)"


def _errors(schema: Any, value: Any, place: Path, hidden: Hidden) -> Iterator[str]:
    for error in validator(schema, None if hidden is None else MASKED).iter_errors(value):
        path = (*place, *error.instance_path)
        yield _sentence(error, path) if hidden is None else _masked_sentence(error, path, hidden)


def _sentence(error: jsonschema_rs.ValidationError, path: Path) -> str:
    if error.kind.name == "falseSchema" and error.schema_path[-1] in _OTHER_NAMES:
        return _unexpected(path)  # its message quotes the value, which nobody declared: it may be anything
    return f"{_written(path)}: {error.message[:500]}"


def _masked_sentence(error: jsonschema_rs.ValidationError, path: Path, hidden: Set[Path]) -> str:
    """Without what the mask does not cover: names that nobody declared, and names inside a secret."""
    inside = next((path[:n] for n in range(1, len(path)) if path[:n] in hidden), None)
    if inside is not None:
        return f"{_written(inside)}: {MASKED} does not fit"
    if error.kind.name == "propertyNames":
        return f"{_written(path)}: it has a property whose name does not fit"
    return _unexpected(path) if error.schema_path[-1] in _OTHER_NAMES else _sentence(error, path)


def _unexpected(path: Path) -> str:
    return f"{_written(path)}: it has a property that the schema does not allow"


def _written(path: Path) -> str:
    return ".".join(map(str, path)) or "payload"


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
