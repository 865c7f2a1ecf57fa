"""Arguments as people type them, read as a JSON Schema says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from headrace.errors import BadRequest

YES, NO = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


def read_argument(key: str, text: str, schema: Mapping[str, Any], *, before: Any = None) -> Any:
    """The value that a text says for one property, or `BadRequest`. A list takes one value after the other."""
    properties = schema.get("properties", {})
    if key not in properties:
        return _unknown(key, text, schema)
    types = schema_types(properties[key], schema)
    if "array" in types and not text.lstrip().startswith("["):
        items = _items(properties[key], schema)
        return [*(before or []), _read(f"--arg {key}", text, schema_types(items, schema))]
    return _read(f"--arg {key}", text, types)


def read_boolean(option: str, text: str) -> bool:
    """Yes or no, or `BadRequest`."""
    said = text.strip().lower()
    if said in YES | NO:
        return said in YES
    raise BadRequest(f"{option} is true or false, not {text!r}")


def schema_types(schema: Any, root: Mapping[str, Any], *, depth: int = 0) -> set[str]:
    """The names of the JSON types that a schema allows; none when it does not say."""
    if not isinstance(schema, Mapping) or depth > 20:
        return set()
    if isinstance(schema.get("$ref"), str):
        return schema_types(_referred(schema["$ref"], root), root, depth=depth + 1)
    said = schema.get("type", [])
    types = {said} if isinstance(said, str) else set(said)
    values = [*schema.get("enum", []), *([schema["const"]] if "const" in schema else [])]
    types |= {_type_name(value) for value in values} if not types else set()
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, []):
            types |= schema_types(part, root, depth=depth + 1)
    return types


def _read(option: str, text: str, types: set[str]) -> Any:
    """The narrowest reading first: text is what anything can be."""
    said = text.strip()
    if "null" in types and said == "null":
        return None
    if "boolean" in types and (said.lower() in {"true", "false"} or types <= {"boolean", "null"}):
        return read_boolean(option, text)
    if types & {"integer", "number"} and (number := _number(said, whole="number" not in types)) is not None:
        return number
    if (types & {"array", "object"} or not types) and (value := _json(said)) is not None:
        return value
    if not types or "string" in types:
        return text
    raise BadRequest(f"{option} is {_wanted(types)}, not {text!r}")


def _unknown(key: str, text: str, schema: Mapping[str, Any]) -> Any:
    known = sorted(schema.get("properties", {}))
    if schema.get("additionalProperties", True) is False:
        close = get_close_matches(key, known, 1)
        hint = f"did you mean {close[0]}?" if close else f"known arguments: {', '.join(known) or 'none'}"
        raise BadRequest(f"--arg {key}: unknown argument; {hint}")
    return _read(f"--arg {key}", text, schema_types(schema.get("additionalProperties"), schema))


def _items(schema: Any, root: Mapping[str, Any]) -> Any:
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
        schema = _referred(schema["$ref"], root)
    if "items" in schema:
        return schema["items"]
    parts = [part for word in ("anyOf", "oneOf", "allOf") for part in schema.get(word, [])]
    return next((part["items"] for part in parts if isinstance(part, Mapping) and "items" in part), {})


def _referred(ref: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for name in ref.removeprefix("#/").split("/"):
        found = found.get(name, {}) if isinstance(found, Mapping) else {}
    return found


def _number(text: str, *, whole: bool) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return None if whole or number - number != 0 else number  # neither NaN nor infinity is JSON


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _type_name(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _wanted(types: set[str]) -> str:
    words = {
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "array": "a JSON list",
        "object": "a JSON object",
        "null": "null",
    }
    return " or ".join(words[name] for name in words if name in types)
