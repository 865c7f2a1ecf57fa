"""Which columns a table of this width can have, and how wide each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

GAP = 2
# An elastic column gives way down to these, before and after others were left out.
COMFORTABLE, TIGHT = 20, 8


@dataclass(slots=True, eq=False)
class Cells:
    """A column written out: its head first. `narrow` is another way to write it that takes less room."""

    values: list[str]
    narrow: list[str] | None = None
    elastic: bool = False
    spare: bool = False
    width: int = 0


def fit_columns(columns: Sequence[Cells], room: int) -> list[Cells]:
    """The columns that are shown: cut, written shorter or left out until they fit."""
    shown = list(columns)
    for column in shown:
        column.width = _natural(column.values)
    if _shrink(shown, room, COMFORTABLE):
        return shown
    for column in shown:
        if column.narrow is not None:
            column.values = column.narrow
            column.width = _natural(column.values)
    while not _shrink(shown, room, COMFORTABLE):
        last = next((column for column in reversed(shown) if column.spare), None)
        if last is None:
            break
        shown.remove(last)
    _shrink(shown, room, TIGHT)
    return shown


def _shrink(columns: Sequence[Cells], room: int, least: int) -> bool:
    """Take what is too much from the elastic columns, the widest first; true when it was enough."""
    over = sum(column.width for column in columns) + GAP * (len(columns) - 1) - room
    elastic = [column for column in columns if column.elastic]
    if over > sum(max(0, column.width - least) for column in elastic):
        return False
    while over > 0:
        widest = max(elastic, key=lambda column: column.width)
        others = [column.width for column in elastic if column.width < widest.width]
        step = max(1, min(over, widest.width - max([least, *others])))
        widest.width -= step
        over -= step
    return True


def _natural(values: Sequence[str]) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, values))
