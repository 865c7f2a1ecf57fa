"""Which places of a value a JSON Schema calls secret. A schema is made ready once and then walked beside values.

Which subschemas apply often depends on the value (`anyOf`, `if`, `not`, `contains`, …). Here all of them do: a value
that may be secret is secret. What applies to a place is a set of subschemas, so references that go round in a circle,
or that double at each step, cost no more than others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from headrace.model.payload.schema_references import References
from headrace.model.payload.stored_json import Unreadable, read_json

# What applies to the same place of the value as the subschema that says it.
BESIDE = ("not", "if", "then", "else")
BESIDE_EACH = ("allOf", "anyOf", "oneOf")
BESIDE_NAMED = ("dependentSchemas", "dependencies")
# What applies to fields and to items.
OF_NAMES = ("properties", "patternProperties")
OF_OTHER_NAMES = ("additionalProperties", "unevaluatedProperties")
OF_ITEMS = ("items", "additionalItems", "unevaluatedItems", "contains")
# What applies to a part that cannot be shown apart: names of fields, and what is written inside a text.
OF_PARTS = ("propertyNames", "contentSchema")

MOST_PLACES = 10_000
# The words with which a schema calls something secret; most schemas have none, and need not be read.
WORDS = ("writeOnly", "x-secret", "password")
INSIDE = "x-secret-inside"

Subschema = dict[str, Any]


def says_secret(node: Subschema) -> bool:
    """Whether a subschema itself calls its value secret, and not only something inside it."""
    return (
        node.get("writeOnly") is True
        or node.get("format") == "password"
        or (node.get("x-secret") is True and node.get(INSIDE) is not True)
    )


class Place:
    """What applies to one place of a value; of it only what leads to a secret."""

    def __init__(
        self, nodes: list[Subschema], find: Callable[[Iterable[Any]], Place], *, secret: bool, secret_parts: bool
    ) -> None:
        self._nodes = nodes
        self._find = find
        self._by_name: dict[str, Place] = {}
        self._by_index: dict[int, Place] = {}
        self._others: Place | None = None
        self._patterned = any(_mapping(node, "patternProperties") for node in nodes)
        self._prefix = max((len(_items(node, word)) for node in nodes for word in ("prefixItems", "items")), default=0)
        self.secret = secret
        self.secret_parts = secret_parts

    def __bool__(self) -> bool:
        """Whether this place or anything inside it may be secret by the schema."""
        return bool(self._nodes)

    def named(self, name: str) -> Place:
        """What applies to the field of that name."""
        if not self._nodes:
            return self
        known = self._by_name.get(name)
        if known is not None:
            return known
        declared = any(name in _mapping(node, "properties") for node in self._nodes)
        if declared or self._patterned:
            place = self._find(found for node in self._nodes for found in _of_name(node, name))
            if declared:  # only these: a payload may have any number of other names
                self._by_name[name] = place
            return place
        if self._others is None:
            self._others = self._find(node[word] for node in self._nodes for word in OF_OTHER_NAMES if word in node)
        return self._others

    def at(self, index: int) -> Place:
        """What applies to the item of that number."""
        if not self._nodes:
            return self
        index = min(index, self._prefix)  # from there on all items are alike
        place = self._by_index.get(index)
        if place is None:
            found = (found for node in self._nodes for found in _of_item(node, index))
            place = self._by_index[index] = self._find(found)
        return place


class SecretSchema:
    """A schema, ready to be walked beside values."""

    def __init__(self, schema: Any) -> None:
        self.document = schema
        self._places: dict[frozenset[int], Place] = {}
        self._leads: dict[int, Subschema] = {}
        self._beside: dict[int, list[Subschema]] = {}
        self._secret: set[int] = set()
        if isinstance(schema, dict) and mentions_secrets(str(schema)):
            self._references = References(schema)
            self._read(schema)
        self.start = self._place([schema])

    def beside(self, node: Subschema) -> Iterator[Any]:
        """What applies wherever a subschema does."""
        yield from self._references.targets(node)
        for word in BESIDE:
            yield node.get(word)
        for word in BESIDE_EACH:
            yield from _items(node, word)
        for word in BESIDE_NAMED:
            yield from _mapping(node, word).values()

    def inside(self, node: Subschema) -> Iterator[Any]:
        """What applies to the parts of what a subschema applies to."""
        for word in OF_NAMES:
            yield from _mapping(node, word).values()
        for word in (*OF_OTHER_NAMES, *OF_ITEMS, *OF_PARTS):
            yield node.get(word)
        yield from _items(node, "prefixItems")
        yield from _items(node, "items")

    def reach(self, nodes: Iterable[Any]) -> Iterator[Subschema]:
        """Those subschemas and all that they lead to, each once."""
        seen: set[int] = set()
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict) and id(node) not in seen:
                seen.add(id(node))
                yield node
                waiting += self.beside(node)
                waiting += self.inside(node)

    def _read(self, schema: Subschema) -> None:
        """Note which subschemas are secret, and which lead to one: the others never need a look."""
        back: dict[int, list[Subschema]] = {}
        beside: dict[int, list[Any]] = {}
        nodes = list(self.reach([schema]))
        for node in nodes:
            beside[id(node)] = list(self.beside(node))
            for inner in (*beside[id(node)], *self.inside(node)):
                back.setdefault(id(inner), []).append(node)
        self._note_secret([node for node in nodes if says_secret(node)], back)
        # One that says there is something inside, where there is nothing, is meant itself.
        marked = [node for node in nodes if node.get("x-secret") is True]
        self._note_secret([node for node in marked if id(node) not in self._leads], back)
        for key, node in self._leads.items():
            self._beside[key] = [other for other in beside[key] if id(other) in self._leads]
            if any(id(node.get(word)) in self._leads for word in OF_PARTS):
                self._secret.add(key)

    def _note_secret(self, nodes: list[Subschema], back: dict[int, list[Subschema]]) -> None:
        self._secret |= set(map(id, nodes))
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if id(node) not in self._leads:
                self._leads[id(node)] = node
                waiting += back.get(id(node), ())

    def _place(self, nodes: Iterable[Any]) -> Place:
        """What applies where these do, and what they bring along."""
        found: dict[int, Subschema] = {}
        waiting = [node for node in nodes if id(node) in self._leads]
        while waiting:
            node = waiting.pop()
            if id(node) not in found:
                found[id(node)] = node
                waiting += self._beside[id(node)]
        key = frozenset(found)
        place = self._places.get(key)
        if place is None:
            if len(self._places) >= MOST_PLACES:
                self._places.clear()
            secret = not self._secret.isdisjoint(key)
            parts = any(id(node.get(word)) in self._leads for node in found.values() for word in OF_PARTS)
            place = self._places[key] = Place(list(found.values()), self._place, secret=secret, secret_parts=parts)
        return place


def mentions_secrets(text: str) -> bool:
    """Whether a schema, as text, can call anything secret."""
    return any(word in text for word in WORDS)


@lru_cache(maxsize=4096)
def read_secret_schema(text: str) -> SecretSchema:
    """From JSON text; the same text gives the same object."""
    if not mentions_secrets(text):
        return NO_SECRETS
    schema = read_json(text)
    return SecretSchema(ALL_SECRET if isinstance(schema, Unreadable) else schema)


NO_SECRETS = SecretSchema({})
# Of a schema that cannot be read nobody knows which values are secret.
ALL_SECRET = {"writeOnly": True}


def _of_name(node: Subschema, name: str) -> Iterator[Any]:
    properties, is_declared = _mapping(node, "properties"), False
    if name in properties:
        is_declared = True
        yield properties[name]
    for pattern, inner in _mapping(node, "patternProperties").items():
        if _matches(pattern, name):
            is_declared = True
            yield inner
    if not is_declared:
        for word in OF_OTHER_NAMES:
            yield node.get(word)


def _of_item(node: Subschema, index: int) -> Iterator[Any]:
    first, listed = _items(node, "prefixItems"), _items(node, "items")  # the same thing, in newer and in older drafts
    yield node.get("contains")
    yield from first[index : index + 1]
    yield from listed[index : index + 1]
    if index >= len(first) and index >= len(listed):
        yield node.get("items")
        yield node.get("additionalItems")
        yield node.get("unevaluatedItems")


def _mapping(node: Subschema, word: str) -> dict[str, Any]:
    value = node.get(word)
    return value if isinstance(value, dict) else {}


def _items(node: Subschema, word: str) -> list[Any]:
    value = node.get(word)
    return value if isinstance(value, list) else []


def _matches(pattern: str, name: str) -> bool:
    matcher = _matcher(pattern)
    return True if matcher is None else bool(matcher.is_valid(name))


@lru_cache(maxsize=4096)
def _matcher(pattern: str) -> Any:
    """With the engine that validates payloads, which takes no longer for a hostile pattern; nothing for a bad one."""
    import jsonschema_rs

    try:
        return jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=jsonschema_rs.RegexOptions())
    except ValueError:
        return None
