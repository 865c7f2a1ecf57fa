"""How many rules of a schema may be held against one value, its references written out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from typing import Any, NamedTuple

from headrace.model.payload.schema_walk import BadSchema, Schema

WIDEST = 10_000
MOST_LOOKED_AT = 1_000_000
# A value is compared with each of an enum, unless all are texts or all are numbers; that takes longer than a rule.
_COMPARED = 20
_FEW = 20

# Gives a number, and asks for those that it needs: rules refer to one another more deeply than Python recurses.
Counting = Generator["Counting", int, int]


class Width(NamedTuple):
    """The most rules for one value, and how long each may take, in rules of the quick kind."""

    rules: int
    each: int


def width_of(schema: Schema) -> Width:
    """The most rules for one value, or `BadSchema` when there are more than are checked in reasonable time.

    Each $ref counts as what it refers to, each time. What refers to itself further down is counted once: the
    validator remembers what it has checked.
    """
    measure = _Measure(schema)
    waiting, answer, begun = [measure.width(schema.root)], 0, False
    while waiting:
        try:
            waiting.append(waiting[-1].send(answer) if begun else next(waiting[-1]))
            begun = False
        except StopIteration as done:
            waiting.pop()
            answer, begun = done.value, True
    return Width(answer, _COMPARED if measure.compares else 1)


class _Measure:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._sizes: dict[int, int] = {}
        self._widths: dict[int, int] = {}
        self._looked_at = 0
        self.compares = False

    def width(self, rule: Any) -> Counting:
        """The most rules for one value: the rule's own, or any within it."""
        if not isinstance(rule, dict):
            return 1
        if id(rule) not in self._widths:
            self._widths[id(rule)] = 1
            own = yield self._size(rule)
            inner = yield self._within(rule)
            self._widths[id(rule)] = _checked(max(own, inner))
        return self._widths[id(rule)]

    def _size(self, rule: Any) -> Counting:
        """How many rules a rule is for its own value: itself and all that it refers to or combines."""
        if not isinstance(rule, dict):
            return 1
        if self._sizes.get(id(rule)) == 0:
            raise BadSchema("it refers to itself without looking into the value")
        if id(rule) not in self._sizes:
            self._sizes[id(rule)] = 0
            compared = _compared(rule)
            self.compares = self.compares or compared > _FEW
            size = 1 + compared
            for part in self._schema.in_place(rule):
                size += yield self._size(part)
            self._sizes[id(rule)] = _checked(size)
        return self._sizes[id(rule)]

    def _within(self, rule: dict[str, Any]) -> Counting:
        """The most for a value within: what goes by its name, from all rules in place, and what goes by none."""
        members, items, names = 0, 0, defaultdict[str, int](int)
        waiting = [rule]
        while waiting:
            part = waiting.pop()
            self._look_at(part)
            for inner in self._schema.of_members(part):
                members += yield self.width(inner)
            for inner in self._schema.of_items(part):
                items += yield self.width(inner)
            for name, inner in self._schema.by_name(part).items():
                names[name] += yield self.width(inner)
            waiting.extend(inner for inner in self._schema.in_place(part) if isinstance(inner, dict))
        return max(items, members + max(names.values(), default=0))

    def _look_at(self, rule: dict[str, Any]) -> None:
        self._looked_at += 1 + len(self._schema.by_name(rule))
        if self._looked_at > MOST_LOOKED_AT:
            raise BadSchema(f"it has more than {MOST_LOOKED_AT:,} rules, its references written out")


def _compared(rule: dict[str, Any]) -> int:
    values = rule.get("enum")
    if not isinstance(values, list):
        return 0
    alike = len({type(value) for value in values}) == 1 and not isinstance(values[0], dict | list)
    return 0 if alike else len(values)


def _checked(rules: int) -> int:
    if rules > WIDEST:
        raise BadSchema(f"it holds more than {WIDEST:,} rules against one value, its references written out")
    return rules
