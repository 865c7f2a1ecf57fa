"""Find runs of lines that stand twice. Tests look through all SQL files, and through the Python of different layers."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

SHORTEST = 6


class Place(NamedTuple):
    """Where a run begins."""

    file: Path
    line: int


class Line(NamedTuple):
    """A line without its indent."""

    place: Place
    text: str


class Run(NamedTuple):
    """Lines that stand in two places."""

    one: Place
    other: Place
    lines: tuple[str, ...]

    def __str__(self) -> str:
        head = (
            f"{len(self.lines)} lines of {self.one.file}:{self.one.line} stand in {self.other.file}:{self.other.line}"
        )
        return "\n".join([head, *(f"    {line}" for line in self.lines)])


def repeated(files: Iterable[Path], shortest: int = SHORTEST) -> list[Run]:
    """Each run of at least that many equal lines, once for each further place. Indents and imports do not count."""
    # All files as one list. An empty line ends each, so that no run goes on into the next one.
    lines = [line for file in files for line in _lines(file)]
    first: dict[tuple[str, ...], int] = {}
    found: list[Run] = []
    end = 0
    for at in range(len(lines)):
        window = tuple(line.text for line in lines[at : at + shortest])
        if "" in window or len(window) < shortest:
            continue
        other = first.setdefault(window, at)
        if at >= end and other + shortest <= at:
            length = _length(lines, other, at)
            found.append(Run(lines[at].place, lines[other].place, tuple(line.text for line in lines[at : at + length])))
            end = at + length
    return found


def _lines(file: Path) -> list[Line]:
    text = file.read_text("utf-8")
    imports = _imports(text) if file.suffix == ".py" else frozenset[int]()
    numbered = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    filled = [Line(Place(file, number), line) for number, line in numbered if line and number not in imports]
    return [*filled, Line(Place(file, 0), "")]


def _imports(text: str) -> frozenset[int]:
    """The lines of a module's imports, which are no logic."""
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom))
    return frozenset(number for node in nodes for number in range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _length(lines: list[Line], one: int, other: int) -> int:
    """How many lines are equal from these two on; the two runs do not overlap."""
    most = min(other - one, len(lines) - other)
    return next(
        (n for n in range(most) if lines[one + n].text != lines[other + n].text or not lines[one + n].text), most
    )
