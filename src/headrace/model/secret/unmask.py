"""A payload that somebody edited while its secrets were masked: where they left a mask, the value behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from headrace.model.secret.fields import MASKED

# Equal values have equal numbers, and no others do.
Number = int


def unmask(edited: Any, shown: Any, kept: Any) -> Any:
    """What was meant: `shown` is what the person began with, and `kept` the same with its secrets."""
    return _Unmasking().unmask(edited, shown, kept)


class _Unmasking:
    """Numbers each value once, so that items of long lists are found again without comparing all with all."""

    def __init__(self) -> None:
        self._numbers: dict[Any, Number] = {}
        self._known: dict[int, Number] = {}

    def unmask(self, edited: Any, shown: Any, kept: Any) -> Any:
        if isinstance(edited, str) and edited == MASKED and shown == MASKED:
            return kept
        if isinstance(edited, dict) and isinstance(shown, dict):
            return {
                name: self.unmask(value, shown[name], kept[name]) if name in shown else value
                for name, value in edited.items()
            }
        if isinstance(edited, list) and isinstance(shown, list):
            places = self._places(edited, shown)
            return [
                item if at is None else self.unmask(item, shown[at], kept[at])
                for item, at in zip(edited, places, strict=True)
            ]
        return edited

    def _places(self, edited: Sequence[Any], shown: Sequence[Any]) -> list[int | None]:
        """Where each item stood: items are moved and removed, and a secret must not go to another one's neighbour."""
        before = [self._number(item) for item in shown]
        count, where = Counter(before), {number: at for at, number in enumerate(before)}
        same_length = len(edited) == len(shown)
        places: list[int | None] = []
        for n, item in enumerate(edited):
            number = self._number(item)
            if n < len(before) and before[n] == number:
                places.append(n)
            elif count[number] == 1:
                places.append(where[number])
            else:
                places.append(n if not count[number] and same_length else None)
        return places

    def _number(self, value: Any) -> Number:
        """Of a value with all that is in it; that of a list or object is worked out once, after those inside it."""
        waiting = [value] if isinstance(value, dict | list) and id(value) not in self._known else []
        while waiting:
            holder = waiting[-1]
            items = list(holder.values()) if isinstance(holder, dict) else holder
            unknown = [item for item in items if isinstance(item, dict | list) and id(item) not in self._known]
            if unknown:
                waiting += unknown
                continue
            waiting.pop()
            numbers = map(self._known_number, items)
            key = frozenset(zip(holder, numbers, strict=True)) if isinstance(holder, dict) else tuple(numbers)
            self._known[id(holder)] = self._numbers.setdefault((type(holder), key), len(self._numbers))
        return self._known_number(value)

    def _known_number(self, value: Any) -> Number:
        if isinstance(value, dict | list):
            return self._known[id(value)]
        # True is equal to 1 in Python, and is not the same JSON.
        return self._numbers.setdefault((bool, value) if isinstance(value, bool) else value, len(self._numbers))
