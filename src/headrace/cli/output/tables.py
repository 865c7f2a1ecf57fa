"""How answers look: tables for people, JSON for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from headrace.cli.output.layout import Cells

UNITS = ("B", "kB", "MB", "GB", "TB")
STATUS_STYLES = {
    "queued": "blue",
    "scheduled": "cyan",
    "running": "yellow",
    "succeeded": "green",
    "failed": "red",
    "dead_letter": "bold red",
    "canceled": "dim",
}
# Whatever is in a job's data must not move the cursor, ring the bell or change colours.
_C0_AND_C1 = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
# Nor turn the order of what is read around.
_TURNING = {code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_CONTROL = _C0_AND_C1 | _TURNING
# JSON escapes the first 32 by itself; the rest is escaped so that it stays the same JSON.
_IN_JSON = {code: f"\\u{code:04x}" for code in (*range(127, 160), *_TURNING)}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its head, the value, and how it is shown."""

    head: str
    value: Callable[[Mapping[str, Any]], Any]
    style: str | None = None
    right: bool = False
    # The first to be cut when the terminal is narrow.
    elastic: bool = False
    # What it then shows instead.
    narrow: Callable[[Mapping[str, Any]], Any] | None = None
    # Left out when the terminal is narrow, the last of these first.
    spare: bool = False


class Show:
    """Writes to stdout: for people or for programs."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json

    def table(
        self,
        items: Sequence[Mapping[str, Any]],
        columns: Sequence[Column],
        *,
        empty: str = "none",
        head: bool = True,
    ) -> None:
        """A list: a table, or a line of JSON for each."""
        if self.as_json:
            for item in items:
                self.json_line(item)
            return
        if not items:
            self.note(empty)
            return
        out = console()
        out.print(draw(items, columns, out.width, head=head))

    def item(self, item: Mapping[str, Any], rows: Sequence[tuple[str, Any]]) -> None:
        """One thing: its parts below each other, or JSON."""
        if self.as_json:
            self.json(item)
            return
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in rows:
            if value is not None and value != "":
                style = STATUS_STYLES.get(str(value), "") if name == "status" else ""
                grid.add_row(name, Text(text(value), style=style))
        console().print(grid)

    def said(self, message: str, result: Any = None) -> None:
        """What was done: a sentence, or the result as JSON."""
        if self.as_json:
            self.json(result)
        else:
            self.note(message)

    def note(self, message: str) -> None:
        """A line for people; programs are not told."""
        if not self.as_json:
            sys.stdout.write(f"{clean(message)}\n")

    def json(self, value: Any) -> None:
        """Readable on a terminal, one line in a pipe."""
        indent = 2 if sys.stdout.isatty() else None
        sys.stdout.write(as_json(value, indent=indent) + "\n")

    def json_line(self, value: Any) -> None:
        """One of many."""
        sys.stdout.write(as_json(value) + "\n")
        sys.stdout.flush()


def draw(items: Sequence[Mapping[str, Any]], columns: Sequence[Column], width: int, *, head: bool = True) -> Table:
    """A table that is no wider than this."""
    from rich.table import Table
    from rich.text import Text

    from headrace.cli.output.layout import GAP, fit_columns

    cells = [_cells(column, items) for column in columns]
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold", show_header=head)
    shown = fit_columns(cells, width)
    chosen = [column for column, of in zip(columns, cells, strict=True) if of in shown]
    for column, of in zip(chosen, shown, strict=True):
        table.add_column(
            column.head, justify="right" if column.right else "left", no_wrap=True, overflow="ellipsis", width=of.width
        )
    for n, item in enumerate(items, 1):
        row = zip(chosen, shown, strict=True)
        table.add_row(*(Text(of.values[n], style=_style(column, item)) for column, of in row))
    return table


def _cells(column: Column, items: Sequence[Mapping[str, Any]]) -> Cells:
    from headrace.cli.output.layout import Cells

    def written(value: Callable[[Mapping[str, Any]], Any]) -> list[str]:
        return [column.head, *(text(value(item)).replace("\n", " ").replace("\t", " ") for item in items)]

    narrow = None if column.narrow is None else written(column.narrow)
    return Cells(written(column.value), narrow, elastic=column.elastic, spare=column.spare)


def console(*, stderr: bool = False) -> Console:
    """A terminal as it is: colours only where they belong, and as wide as it says; a file is as wide as need be."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else 10_000
    return Console(stderr=stderr, width=width, highlight=False, emoji=False, markup=False)


def _style(column: Column, item: Mapping[str, Any]) -> str:
    if column.style == "status":
        return STATUS_STYLES.get(str(column.value(item)), "")
    return column.style or ""


def text(value: Any) -> str:
    """A value in a cell, on one line."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (dict, list)):
        return as_json(value)
    return clean(str(value))


def as_json(value: Any, *, indent: int | None = None, default: Callable[[Any], object] | None = None) -> str:
    """JSON that a terminal can show as it is."""
    return json.dumps(value, indent=indent, ensure_ascii=False, default=default).translate(_IN_JSON)


def clean(value: str) -> str:
    """Without characters that a terminal would obey."""
    return value.translate(_CONTROL)


def clean_lines(value: str) -> str:
    """The same of several lines: those behind the first are moved in, so that none can pass for a line of ours."""
    return clean(value).replace("\n", "\n    ")


def one_line(value: str | None) -> str | None:
    """The first line of a text."""
    return None if value is None else value.strip().split("\n", 1)[0]


def ago(at: str | None, *, now: datetime | None = None) -> str:
    """How long since, or until, a time: 5s, 3m, 2h, 4d; "in 5m" for what is to come."""
    if at is None:
        return "-"
    seconds = ((now or datetime.now(UTC)) - datetime.fromisoformat(at)).total_seconds()
    return f"in {span(-seconds)}" if seconds < -0.5 else span(max(seconds, 0))


def overridden(overrides: Mapping[str, Mapping[str, Any]]) -> str:
    """What was changed by hand of what code declares, a line for each."""
    return "\n".join(
        f"{name}: {as_json(change['current'])} (code: {as_json(change['declared'])})"
        for name, change in overrides.items()
    )


def when(at: str | None) -> str | None:
    """A time in full, and how far away it is."""
    if at is None:
        return None
    away = ago(at)
    moment = datetime.fromisoformat(at).astimezone(UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC ({away if away.startswith('in ') else f'{away} ago'})"


def between(start: str | None, end: str | None) -> str:
    """How long from one time to another."""
    if start is None or end is None:
        return "-"
    return span((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())


def span(seconds: float | None) -> str:
    """A length of time in one unit."""
    if seconds is None:
        return "-"
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{_short(seconds / size)}{unit}"
    return f"{_short(seconds)}s" if seconds >= 1 else f"{seconds * 1000:.0f}ms"


def size(n: float) -> str:
    """Bytes in a unit that people read."""
    for unit in UNITS:
        if n < 1000 or unit == UNITS[-1]:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return ""


def _short(number: float) -> str:
    """Two digits are enough."""
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}".removesuffix(".0")
