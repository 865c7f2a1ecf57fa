"""Pages of lists that are read by key: one row more than asked for says that there is another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def cut(items: Sequence[Item], limit: int, key: Callable[[Item], object]) -> tuple[list[Item], str | None]:
    """The page, and the key of its last item when more was found than fits."""
    page = list(items[:limit])
    return page, str(key(page[-1])) if len(items) > limit else None
