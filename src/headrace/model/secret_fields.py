"""Which fields of a payload are secret, by their name or by the definition's schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

MASKED = "***"
DEEPEST = 10

_LOOKS_SECRET = re.compile(
    r"(^|[_\-.])(pass(word|wd|phrase|code)?|secrets?|tokens?|credentials?|auth(orization)?|cookie|session[_\-]?id|pin|otp"
    r"|(api|access|private|secret|signing|encryption|client)[_\-]?(key|secret|token))($|[_\-.])",
    re.IGNORECASE,
)
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def looks_secret(name: str) -> bool:
    """Whether a field of that name most likely holds a secret: password, apiKey, access_token, …"""
    return bool(_LOOKS_SECRET.search(_WORDS.sub("_", name)))


def is_secret(name: str, schema: Any, root: Any = None) -> bool:
    """Whether a field is secret by its name or because its schema says so."""
    return looks_secret(name) or says_secret(schema, root)


def says_secret(schema: Any, root: Any = None) -> bool:
    """Whether a field's schema says `writeOnly` or `x-secret`, itself or where it refers to."""
    return any(rule.get("writeOnly") is True or rule.get("x-secret") is True for rule in _rules(schema, root))


def mask_fields(value: Any, schema: Any = None, root: Any = None) -> Any:
    """A copy with every secret field's value masked, however deep it stands."""
    root = schema if root is None else root
    if isinstance(value, dict):
        fields = _properties(schema, root)
        return {name: _mask_field(name, item, fields.get(name), root) for name, item in value.items()}
    if isinstance(value, list):
        items = _items(schema, root)
        return [mask_fields(item, items, root) for item in value]
    return value


def _mask_field(name: str, value: Any, schema: Any, root: Any) -> Any:
    return MASKED if value is not None and is_secret(name, schema, root) else mask_fields(value, schema or {}, root)


def secret_values(value: Any, schema: Any = None, root: Any = None) -> Iterator[str]:
    """The texts and numbers that secret fields hold, to be masked wherever they turn up."""
    root = schema if root is None else root
    if isinstance(value, dict):
        fields = _properties(schema, root)
        for name, item in value.items():
            if is_secret(name, fields.get(name), root):
                yield from _texts(item)
            else:
                yield from secret_values(item, fields.get(name) or {}, root)
    elif isinstance(value, list):
        items = _items(schema, root)
        for item in value:
            yield from secret_values(item, items, root)


def encrypted_fields(schema: Mapping[str, Any]) -> list[str]:
    """The fields that are stored encrypted: those on top whose own schema says `x-secret`."""
    fields = schema.get("properties")
    if not isinstance(fields, dict):
        return []
    return sorted(name for name, field in fields.items() if isinstance(field, dict) and field.get("x-secret") is True)


def _rules(schema: Any, root: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The schema, what it refers to within the whole, and its alternatives."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return
    yield schema
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        found: Any = root
        for part in reference[2:].split("/"):
            found = found.get(part) if isinstance(found, dict) else None
        yield from _rules(found, root, depth + 1)
    for word in ("anyOf", "oneOf", "allOf"):
        members = schema.get(word)
        for member in members if isinstance(members, list) else ():
            yield from _rules(member, root, depth + 1)


def _properties(schema: Any, root: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for rule in _rules(schema, root):
        fields = rule.get("properties")
        for name, field in fields.items() if isinstance(fields, dict) else ():
            found[name] = field if name not in found else {"allOf": [found[name], field]}
    return found


def _items(schema: Any, root: Any) -> Any:
    return {"allOf": [rule["items"] for rule in _rules(schema, root) if "items" in rule]}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
