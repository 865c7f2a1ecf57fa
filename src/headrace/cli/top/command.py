"""The command: a screen that is drawn again and again and obeys keys, or one snapshot for a file."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.output.tables import console
from headrace.cli.top.actions import obey
from headrace.cli.top.draw import draw_screen, draw_snapshot
from headrace.cli.top.facts import read_facts
from headrace.cli.top.keyboard import Keyboard
from headrace.cli.top.view import View
from headrace.errors import HeadraceError

if TYPE_CHECKING:
    from headrace.cli.core.api import Api


@speaks_to_api
async def top(
    call: Call,
    every: Annotated[float, typer.Option("--every", min=0.2, max=60, help="Seconds between refreshes.")] = 2.0,
) -> None:
    """Queues, workers, running jobs with their progress, and rates, on one screen.

    Keys: arrows or j k to move, tab to go to the other list, p to pause or resume the queue, c to cancel and r to
    retry the job, q to quit. Without a terminal it prints what there is and ends.

    Example: headrace top --every 1
    """
    async with call.api() as api:
        facts = await read_facts(api)
        if call.as_json:
            call.show.json(facts.as_dict())
        elif not (sys.stdout.isatty() and sys.stdin.isatty()):
            out = console()
            out.print(draw_snapshot(facts, out.width))
        else:
            await Screen(View(call.url or "this database", facts), every).run(api)


class Screen:
    """What is seen, and the two things that change it: time and keys."""

    def __init__(self, view: View, every: float) -> None:
        self._view = view
        self._every = every
        self._changed = asyncio.Event()
        self._over = False

    async def run(self, api: Api) -> None:
        """Until q, Ctrl-C or a signal; the terminal is left as it was."""
        from rich.live import Live

        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._end)
        loop.add_signal_handler(signal.SIGWINCH, self._changed.set)
        out = console()
        with Keyboard() as keyboard, Live(console=out, screen=True, auto_refresh=False, transient=True) as live:
            looking = asyncio.create_task(self._look(api))
            pressing = asyncio.create_task(self._press(api, keyboard))
            try:
                while not self._over:
                    self._changed.clear()
                    live.update(draw_screen(self._view, out.width, out.height), refresh=True)
                    await self._changed.wait()
            finally:
                for task in (looking, pressing):
                    task.cancel()
                await asyncio.gather(looking, pressing, return_exceptions=True)

    def _end(self) -> None:
        self._over = True
        self._changed.set()

    async def _look(self, api: Api) -> None:
        while True:
            await asyncio.sleep(self._every)
            await self._read(api)

    async def _read(self, api: Api) -> None:
        try:
            self._view.show(await read_facts(api))
        except HeadraceError as error:  # it may come back
            self._view.trouble = str(error)
        self._changed.set()

    async def _press(self, api: Api, keyboard: Keyboard) -> None:
        async for key in keyboard.keys():
            if key == "q" and self._view.question is None:
                self._end()
                return
            if await obey(api, self._view, key):
                await self._read(api)
            self._changed.set()
