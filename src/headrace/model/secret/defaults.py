"""A schema is shown to everybody who may enqueue, so what it says of secrets by way of example is left out."""

from __future__ import annotations

from typing import Any

from headrace.model.secret.fields import looks_secret, map_texts, secret_values
from headrace.model.secret.schema import SecretSchema, says_secret

EXAMPLES = ("default", "example", "examples")


def without_secret_defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """A copy without defaults and examples of what is secret by its schema or its name; a handler has its own."""
    copy: dict[str, Any] = map_texts(schema)
    waiting: list[Any] = [copy]
    while waiting:
        node = waiting.pop()
        waiting += node if isinstance(node, list) else node.values() if isinstance(node, dict) else ()
        if isinstance(node, dict):
            if says_secret(node):
                _leave_out(node)
            for name, inner in _properties(node):
                if looks_secret(name):
                    _leave_out(inner)
    secrets = SecretSchema(schema)
    for name, inner in _properties(copy):
        shown = [inner.get("default"), inner.get("example"), *_list(inner.get("examples"))]
        if any(any(secret_values({name: value}, secrets)) for value in shown):
            _leave_out(inner)
    return copy


def _properties(node: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    properties = node.get("properties")
    found = properties.items() if isinstance(properties, dict) else ()
    return [(name, inner) for name, inner in found if isinstance(inner, dict)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _leave_out(node: dict[str, Any]) -> None:
    for word in EXAMPLES:
        node.pop(word, None)
