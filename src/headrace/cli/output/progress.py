"""What goes on: tables that are drawn again, bars that grow, questions asked again and again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from headrace.cli.output.tables import Column, Show, clean, console, draw

Items = Sequence[Mapping[str, Any]]
Ask = Callable[[], Awaitable[Items]]


async def redraw(show: Show, ask: Ask, columns: Callable[[Items], list[Column]], *, every: float) -> None:
    """A list for as long as somebody looks: in place on a terminal; else what is new or has changed, line by line."""
    if show.as_json or not sys.stdout.isatty():
        await _tell_changes(show, ask, columns, every)
        return
    from rich.live import Live

    out = console()
    with Live(console=out, auto_refresh=False, vertical_overflow="crop") as live:
        while True:
            items = (await ask())[: max(1, out.height - 2)]
            live.update(draw(items, columns(items), out.width) if items else "none", refresh=True)
            await asyncio.sleep(every)


async def _tell_changes(show: Show, ask: Ask, columns: Callable[[Items], list[Column]], every: float) -> None:
    known: dict[str, Any] = {}
    while True:
        items = await ask()
        if changed := [item for item in reversed(items) if known.get(item["id"]) != item]:
            show.table(changed, columns(changed), head=not known)
            sys.stdout.flush()
        known = {item["id"]: item for item in items}
        await asyncio.sleep(every)


@contextmanager
def bar(what: str, *, wanted: bool = True) -> Iterator[Callable[[float | None, str], None]]:
    """A bar on a terminal's stderr, which is told a share of 1 and a few words; elsewhere nothing is shown."""
    if not (wanted and sys.stderr.isatty()):
        yield lambda _share, _words: None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)

        def tell(share: float | None, words: str) -> None:
            total = None if share is None else 1.0
            progress.update(task, completed=share or 0, total=total, description=clean(f"{what} {words}".strip()))

        yield tell


async def pauses(first: float = 0.1, longest: float = 1.0) -> AsyncIterator[None]:
    """A first turn at once, then with longer and longer pauses before each."""
    pause = first
    while True:
        yield
        await asyncio.sleep(pause)
        pause = min(longest, pause * 1.5)
