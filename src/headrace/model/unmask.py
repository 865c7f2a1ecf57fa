"""A payload that somebody edited while its secrets were masked: where they left a mask, the value behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.model.secret_fields import MASKED


def unmask(edited: Any, shown: Any, kept: Any) -> Any:
    """What was meant: `shown` is what the person began with, and `kept` the same with its secrets."""
    if edited == MASKED and shown == MASKED:
        return kept
    if isinstance(edited, dict) and isinstance(shown, dict):
        return {
            name: unmask(value, shown[name], kept[name]) if name in shown else value for name, value in edited.items()
        }
    if isinstance(edited, list) and isinstance(shown, list):
        return [
            item if (at := _place(n, edited, shown)) is None else unmask(item, shown[at], kept[at])
            for n, item in enumerate(edited)
        ]
    return edited


def _place(n: int, edited: Sequence[Any], shown: Sequence[Any]) -> int | None:
    """Where an item stood: items are moved and removed, and a secret must not go to another one's neighbour."""
    if n < len(shown) and shown[n] == edited[n]:
        return n
    same = [at for at, item in enumerate(shown) if item == edited[n]]
    if len(same) == 1:
        return same[0]
    return n if not same and len(edited) == len(shown) else None
