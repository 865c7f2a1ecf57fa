"""Keys, one at a time and unseen, from a terminal that is given back as it was."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import termios
import tty
from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

NAMES = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1b[Z": "tab",
    "\t": "tab",
    "k": "up",
    "j": "down",
    "g": "home",
    "G": "end",
    "\x1b": "escape",
    "\x04": "q",
}
_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|.", re.DOTALL)


class Keyboard:
    """Reads without waiting for a line; Ctrl-C still is a signal."""

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._keys: asyncio.Queue[str] = asyncio.Queue()
        self._before: list[Any] = []

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._file)
        tty.setcbreak(self._file)
        asyncio.get_running_loop().add_reader(self._file, self._read)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(self._file)
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    async def keys(self) -> AsyncIterator[str]:
        """As they are pressed, by name."""
        while True:
            yield await self._keys.get()

    def _read(self) -> None:
        try:
            pressed = os.read(self._file, 256)
        except OSError:
            pressed = b""
        if not pressed:  # the terminal is gone
            asyncio.get_running_loop().remove_reader(self._file)
            self._keys.put_nowait("q")
            return
        for key in split(pressed.decode("utf-8", "replace")):
            self._keys.put_nowait(key)


def split(pressed: str) -> Iterator[str]:
    """The names of keys that came together; of others, the character itself. Keys that nobody knows are passed over."""
    for key in _KEY.findall(pressed):
        if key in NAMES or len(key) == 1:
            yield NAMES.get(key, key)
