"""How it looks on a screen of any size, and as a text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from headrace.cli.output.sparkline import spark
from headrace.cli.output.tables import Column, clean, draw, span
from headrace.cli.top.columns import JOBS, QUEUES, WORKERS, Item
from headrace.cli.top.facts import TopFacts
from headrace.cli.top.view import Pane, View

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.layout import Layout
    from rich.text import Text

# From here on two lists stand side by side.
WIDE = 120
HEAD, FOOT = 4, 1
JOBS_TITLE = "Jobs: running, then failed"
KEYS = "↑↓ move  tab list  p pause queue  c cancel  r retry  q quit"


def draw_screen(view: View, width: int, height: int) -> RenderableType:
    """Everything, in exactly the room that there is."""
    from rich.console import Group
    from rich.layout import Layout

    room = max(9, height - HEAD - FOOT)
    upper = _side_by_side(view, width, room) if width >= WIDE else _stacked(view, width, room)
    used = sum(part.size or 0 for part in upper)
    screen = Layout()
    screen.split_column(
        Layout(Group(*_head(view.facts, width, view.place), ""), size=HEAD),
        *upper,
        Layout(_list(JOBS_TITLE, view.facts.jobs, JOBS, width, room - used, view, "jobs")),
        Layout(_foot(view), size=FOOT),
    )
    return screen


def draw_snapshot(facts: TopFacts, width: int) -> RenderableType:
    """All of it, once."""
    from rich.console import Group
    from rich.text import Text

    width = min(width, 200)
    lists = [("Queues", facts.queues, QUEUES), ("Workers", facts.workers, WORKERS), (JOBS_TITLE, facts.jobs, JOBS)]
    parts: list[RenderableType] = list(_head(facts, width, ""))
    for title, rows, columns in lists:
        parts += [Text(""), Text(title, style="bold"), draw(rows, columns, width) if rows else _nothing(rows)]
    return Group(*parts)


def _stacked(view: View, width: int, room: int) -> list[Layout]:
    from rich.layout import Layout

    facts, most = view.facts, max(2, room // 5)
    queues = min(len(facts.queues or [0]), most) + 3
    workers = min(len(facts.workers or [0]), most) + 3
    return [
        Layout(_list("Queues", facts.queues, QUEUES, width, queues - 1, view, "queues"), size=queues),
        Layout(_list("Workers", facts.workers, WORKERS, width, workers - 1, view), size=workers),
    ]


def _side_by_side(view: View, width: int, room: int) -> list[Layout]:
    from rich.layout import Layout

    facts, half = view.facts, width // 2 - 1
    longest = max(len(facts.queues or [0]), len(facts.workers or [0]))
    size = min(longest, max(3, room // 3)) + 3
    both = Layout(size=size)
    both.split_row(
        Layout(_list("Queues", facts.queues, QUEUES, half, size - 1, view, "queues"), size=half + 2),
        Layout(_list("Workers", facts.workers, WORKERS, half, size - 1, view)),
    )
    return [both]


def _list(
    title: str,
    rows: Sequence[Item] | None,
    columns: Sequence[Column],
    width: int,
    height: int,
    view: View,
    pane: Pane | None = None,
) -> RenderableType:
    """A title and the part of a list around the place in it."""
    from rich.console import Group
    from rich.text import Text

    here = pane is not None and pane == view.pane
    if not rows:
        return Group(Text(title, style="bold cyan" if here else "bold"), _nothing(rows))
    fits = max(1, height - 2)
    at = view.at(pane) if pane is not None else 0
    start = min(max(0, at - fits // 2), max(0, len(rows) - fits))
    seen = rows[start : start + fits]
    table = draw(seen, columns, width)
    if pane is not None:
        table.rows[at - start].style = "reverse" if here else "underline"
    more = "" if len(seen) == len(rows) else f"  {start + 1}–{start + len(seen)} of {len(rows)}"
    return Group(Text.assemble((title, "bold cyan" if here else "bold"), (more, "dim")), table)


def _nothing(rows: Sequence[Item] | None) -> Text:
    from rich.text import Text

    return Text("none" if rows is not None else "not for this token", style="dim")


def _head(facts: TopFacts, width: int, place: str) -> list[Text]:
    from rich.text import Text

    summary = facts.summary
    now = datetime.fromisoformat(summary["now"]).astimezone(UTC)
    first = Text.assemble(("headrace", "bold"), f"  {clean(place)}" if place else "", f"  {now:%H:%M:%S} UTC")
    dead = summary["dead_letter"]
    counts = Text.assemble(
        (f"{summary['queued']} queued", "blue"),
        (f"  {summary['running']} running", "yellow"),
        (f"  {summary['scheduled']} scheduled", "cyan"),
        f"  oldest {span(summary['oldest_queued_seconds'])}",
        (f"  {dead}{'+' if summary['dead_letter_capped'] else ''} dead letter", "bold red" if dead else "dim"),
    )
    return [_cut(first, width), _cut(counts, width), _cut(_rates(facts, width), width)]


def _rates(facts: TopFacts, width: int) -> Text:
    """What came in and ended lately, and what has been ending for an hour."""
    from rich.text import Text

    ended = [_ended(step) for step in facts.steps]
    minutes = _lately(facts) / 60
    came = sum(step["enqueued"] for step in facts.steps[-2:])
    rate = f"{came / minutes:.0f}/min in  {sum(ended[-2:]) / minutes:.0f}/min out  "
    hour = f"last hour {facts.summary['succeeded']} done {facts.summary['failed']} failed  "
    room = max(0, min(60, width - len(rate) - len(hour)))
    return Text.assemble(rate, hour, (spark(ended, width=room) if room >= 12 else "", "green"))


def _ended(step: Item) -> int:
    return int(step["succeeded"] + step["failed"] + step["dead_letter"] + step["canceled"])


def _lately(facts: TopFacts) -> float:
    """Seconds of the last two steps, of which the second is not over yet."""
    now = datetime.fromisoformat(facts.summary["now"])
    begun = (now - datetime.fromisoformat(facts.steps[-1]["at"])).total_seconds() if facts.steps else 0.0
    return facts.step_seconds + min(max(begun, 0.0), facts.step_seconds)


def _cut(line: Text, width: int) -> Text:
    line.truncate(width, overflow="ellipsis")
    line.no_wrap = True
    return line


def _foot(view: View) -> Text:
    from rich.text import Text

    if view.question is not None:
        return Text(clean(view.question.text), style="bold yellow", no_wrap=True, overflow="ellipsis")
    if view.trouble is not None:
        return Text(f"{clean(view.trouble)}", style="bold red", no_wrap=True, overflow="ellipsis")
    return Text(clean(view.said) if view.said else KEYS, style="" if view.said else "dim", no_wrap=True)
