"""Where the rules of a JSON Schema lie: what each part holds against the same value, and what against values within."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from headrace.model.payload.schema_references import REFERENCES, follow_pointer

MOST_STEPS = 10
# Compiling takes longer with each.
MOST_REFERENCES = 10_000
_LISTS_IN_PLACE = ("allOf", "anyOf", "oneOf")
_ONES_IN_PLACE = ("not", "if", "then", "else")
_MAPS_IN_PLACE = ("dependentSchemas", "dependencies")
_OF_ANY_MEMBER = ("additionalProperties", "unevaluatedProperties", "propertyNames")
_OF_ANY_ITEM = ("items", "additionalItems", "unevaluatedItems", "contains")


class BadSchema(ValueError):
    """Why a schema is not taken."""


class Schema:
    """A schema with the places that its references mean."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._anchors: dict[str, Any] = {}
        references = 0
        for part in _parts(root):
            references += any(word in part for word in REFERENCES)
            if references > MOST_REFERENCES:
                raise BadSchema(f"it has more than {MOST_REFERENCES:,} references")
            if part is not root and any(isinstance(part.get(word), str) for word in ("$id", "id")):
                # Within it a reference would mean another place.
                raise BadSchema("$id stands only at the top of a schema")
            for word in ("$anchor", "$dynamicAnchor"):
                if isinstance(part.get(word), str):
                    self._anchors[part[word]] = part

    @property
    def top(self) -> dict[str, Any]:
        """The rule for the value itself, behind the references that lead to it."""
        rule = self.root
        for _ in range(MOST_STEPS):
            if not (isinstance(rule, dict) and isinstance(rule.get("$ref"), str)):
                break
            rule = self._target(rule["$ref"])
        return _named(rule)

    def in_place(self, rule: Mapping[str, Any]) -> Iterator[Any]:
        """The rules that are held against the same value."""
        for word in REFERENCES:
            if isinstance(rule.get(word), str):
                yield self._target(rule[word])
        for word in _LISTS_IN_PLACE:
            yield from _listed(rule.get(word))
        for word in _ONES_IN_PLACE:
            if word in rule:
                yield rule[word]
        for word in _MAPS_IN_PLACE:
            yield from _named(rule.get(word)).values()

    def of_members(self, rule: Mapping[str, Any]) -> Iterator[Any]:
        """The rules for members of an object that do not go by one name."""
        yield from _named(rule.get("patternProperties")).values()
        yield from (rule[word] for word in _OF_ANY_MEMBER if word in rule)

    def of_items(self, rule: Mapping[str, Any]) -> Iterator[Any]:
        """The rules for items of a list."""
        for word in _OF_ANY_ITEM:
            if word in rule:
                yield from _listed(rule[word]) if isinstance(rule[word], list) else (rule[word],)
        yield from _listed(rule.get("prefixItems"))

    def by_name(self, rule: Mapping[str, Any]) -> Mapping[str, Any]:
        """The rules for members of an object by their names."""
        return _named(rule.get("properties"))

    def _target(self, reference: str) -> Any:
        if not reference.startswith("#"):
            raise BadSchema(
                f"a schema may refer only to places within itself, for example #/$defs/name, not to {reference[:200]!r}"
            )
        if reference[1:2] not in ("", "/"):
            return self._anchors.get(reference[1:])
        return follow_pointer(self.root, unquote(reference[1:]))


def _parts(root: Any) -> Iterator[dict[str, Any]]:
    """Every object in it, without recursion."""
    waiting = [root]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _named(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
