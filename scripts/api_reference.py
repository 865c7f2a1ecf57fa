"""The API's reference page, from its OpenAPI."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, cast

from headrace.api.app import create_app
from headrace.service.session import Runtime

HEAD = """\
# The API

Under `/api/v1`, JSON in and out, with a bearer token: `Authorization: Bearer hr_…`. A super-admin works for one tenant
with the header `X-Headrace-Tenant`; other tokens have their own. Times are UTC in ISO 8601. Unknown fields, parameters
and values are refused with 422. Errors are `application/problem+json` with a stable `code`, a sentence in `detail` and,
where fields are at fault, `errors` with each field. Lists are `{"items": […], "next_cursor": …}`: ask again with
`cursor` until it is null.

The OpenAPI document itself is at `/api/v1/openapi.json`. How to begin: [Use the API](../how-to/api.md).
"""
METHODS = ("get", "post", "put", "patch", "delete")


def openapi() -> dict[str, Any]:
    """The document, which needs no database."""
    return create_app(cast("Runtime", None)).openapi()


def api_page() -> str:
    """Every operation, by noun, then every shape."""
    document = openapi()
    groups: dict[str, list[str]] = defaultdict(list)
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                groups[(operation.get("tags") or ["other"])[0]].append(_operation(method, path, operation, document))
    parts = [HEAD]
    for tag, texts in sorted(groups.items()):
        parts.append(f"\n## {tag.capitalize()}\n")
        parts += texts
    parts.append("\n## Shapes\n")
    parts += [_shape(name, schema) for name, schema in sorted(document["components"]["schemas"].items())]
    return "".join(parts)


def _operation(method: str, path: str, operation: dict[str, Any], document: dict[str, Any]) -> str:
    text = f"\n### `{method.upper()} {path}`\n\n{operation.get('description', operation.get('summary', ''))}\n"
    rows = [_parameter(parameter) for parameter in operation.get("parameters", []) if parameter["in"] != "path"]
    if rows:
        text += "\n| parameter | type | what |\n|---|---|---|\n" + "".join(rows)
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body is not None:
        text += f"\nBody: {_type(body)}.\n"
    answers = [_answer(status, answer) for status, answer in operation["responses"].items() if status.startswith("2")]
    return text + "\n" + "".join(answers)


def _parameter(parameter: dict[str, Any]) -> str:
    schema = parameter["schema"]
    name = f"`{parameter['name']}`" + (" (header)" if parameter["in"] == "header" else "")
    return f"| {name} | {_type(schema)}{_limits(schema)} | {_text(parameter.get('description', ''))} |\n"


def _answer(status: str, answer: dict[str, Any]) -> str:
    kinds = answer.get("content", {})
    schema = kinds.get("application/json", {}).get("schema")
    what = _type(schema) if schema else ", ".join(f"`{kind}`" for kind in kinds) or "nothing"
    said = answer.get("description", "")
    return f"Answers {status}: {what}{f' ({said})' if said and said != 'Successful Response' else ''}.\n"


def _shape(name: str, schema: dict[str, Any]) -> str:
    text = f"\n### {name}\n\n{_text(schema.get('description', ''))}\n"
    required = set(schema.get("required", ()))
    rows = [
        f"| `{field}`{'' if field in required else ' (optional)'} | {_type(rule)}{_limits(rule)} | {_about(rule)} |\n"
        for field, rule in schema.get("properties", {}).items()
    ]
    if rows:
        text += "\n| field | type | what |\n|---|---|---|\n" + "".join(rows)
    if "enum" in schema:
        text += "\nOne of " + ", ".join(f"`{value}`" for value in schema["enum"]) + ".\n"
    return text


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(option) for option in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return cast("str", schema.get("format", kind))


def _limits(schema: dict[str, Any]) -> str:
    options = [schema, *schema.get("anyOf", ())]
    found = list(_bounds(options))
    return f", {', '.join(found)}" if found else ""


def _bounds(options: list[dict[str, Any]]) -> Iterator[str]:
    names = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "maxLength": "at most", "maxItems": "at most"}
    for option in options:
        for key, word in names.items():
            if key in option:
                yield f"{word} {option[key]:g}"


def _about(rule: dict[str, Any]) -> str:
    text = _text(rule.get("description", ""))
    if rule.get("default") not in (None, [], {}, ""):
        text += f" (default `{json.dumps(rule['default'])}`)"
    return text.strip()


def _text(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
