"""The types of the dashboard, from the API's OpenAPI document."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from scripts.api_reference import METHODS, openapi

HEAD = """\
// What the API takes and answers, for the type checker alone. `make docs` writes it from the OpenAPI document.

declare namespace Api {
"""
PREFIX = "/api/v1"
WIDTH = 120
NOTHING = {"type": "null"}
PRIMITIVES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def api_types() -> str:
    """A type for each shape, then a map for each method: from a path to its parameters, body and answer."""
    document = openapi()
    shapes = [_shape(name, schema) for name, schema in sorted(document["components"]["schemas"].items())]
    maps = [_map(method, lines) for method, lines in _operations(document).items()]
    return HEAD + "\n".join(shapes + maps) + "}\n"


def _shape(name: str, schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        return f"  type {name} = {_type(schema)};\n"
    return f"  interface {name} {{\n{_fields(schema, indent=4)}  }}\n"


def _fields(schema: dict[str, Any], indent: int) -> str:
    required = schema.get("required", ())
    return "".join(
        f"{' ' * indent}{name}{'' if name in required else '?'}: {_type(rule)};\n"
        for name, rule in schema["properties"].items()
    )


def _type(*schemas: dict[str, Any]) -> str:
    """Any of these."""
    return " | ".join(dict.fromkeys(option for schema in schemas for option in _options(schema)))


def _options(schema: dict[str, Any]) -> list[str]:
    if "$ref" in schema:
        return [str(schema["$ref"]).rsplit("/", 1)[-1]]
    if "anyOf" in schema:
        return [option for inner in schema["anyOf"] for option in _options(inner)]
    if "enum" in schema:
        return [json.dumps(value) for value in schema["enum"]]
    match schema.get("type"):
        case None:
            return ["unknown"]
        case "array":
            item = _type(schema.get("items", {}))
            return [f"({item})[]" if " | " in item else f"{item}[]"]
        case "object":
            rest = schema.get("additionalProperties")
            return [f"Record<string, {_type(rest) if isinstance(rest, dict) else 'unknown'}>"]
        case kind:
            return [PRIMITIVES[kind]]


def _operations(document: dict[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations and path.startswith(PREFIX):
                found[method].append(_operation(path.removeprefix(PREFIX), operations[method]))
    return found


def _map(method: str, operations: list[str]) -> str:
    return f"  interface {method.capitalize()} {{\n{''.join(operations)}  }}\n"


def _operation(path: str, operation: dict[str, Any]) -> str:
    parts = [f"values: {_values(operation)}"]
    if "requestBody" in operation:
        body = operation["requestBody"]
        parts.append(f"body{'' if body.get('required') else '?'}: {_type(_content(body))}")
    answers = [_content(answer) for status, answer in operation["responses"].items() if status.startswith("2")]
    parts.append(f"answer: {_type(*answers)}")
    line = f"    {json.dumps(path)}: {{ {'; '.join(parts)} }};\n"
    if len(line) <= WIDTH:
        return line
    return f"    {json.dumps(path)}: {{\n" + "".join(f"      {part};\n" for part in parts) + "    };\n"


def _values(operation: dict[str, Any]) -> str:
    """Parameters of the path and of the query, which share no name; one that may be left out may be null, too."""
    parameters = [one for one in operation.get("parameters", ()) if one["in"] in ("path", "query")]
    fields = [
        f"{one['name']}: {_type(one['schema'])}"
        if one.get("required")
        else f"{one['name']}?: {_type(one['schema'], NOTHING)}"
        for one in parameters
    ]
    line = f"{{ {'; '.join(fields)} }}" if fields else "{}"
    return line if len(line) < WIDTH - 20 else "{\n" + "".join(f"        {field};\n" for field in fields) + "      }"


def _content(message: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = message.get("content", {}).get("application/json", {}).get("schema", NOTHING)
    return schema
