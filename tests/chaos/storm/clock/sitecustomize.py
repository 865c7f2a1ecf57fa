"""A wall clock that another process can set: imported at the start of every Python process of a storm.

The file that STORM_CLOCK names holds how many seconds the clock is off. Monotonic clocks are left alone.
"""

from __future__ import annotations

import asyncio
import datetime
import mmap
import os
import signal
import struct
import time
from collections.abc import Callable
from typing import Any


def shift_clock(file: str) -> None:
    """Have `time.time` and `datetime.now` go wrong by what the file says at that moment."""
    handle = os.open(file, os.O_RDONLY)
    shared = mmap.mmap(handle, 8, prot=mmap.PROT_READ)
    os.close(handle)
    true_time, true_datetime = time.time, datetime.datetime

    def off() -> float:
        seconds: float = struct.unpack("d", shared[:8])[0]
        return seconds

    class Kind(type):
        """What the database's driver makes are times too."""

        def __instancecheck__(cls, thing: object) -> bool:
            return isinstance(thing, true_datetime)

        def __subclasscheck__(cls, kind: type) -> bool:
            return issubclass(kind, true_datetime)

    class Shifted(datetime.datetime, metaclass=Kind):
        """Makes plain times; only `now` is wrong."""

        __slots__ = ()  # as large as the true one, which compiled modules look at

        def __new__(cls, *words: Any, **named: Any) -> Any:
            return true_datetime(*words, **named)

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return true_datetime.fromtimestamp(true_time() + off(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.now(datetime.UTC).replace(tzinfo=None)

    replaced: dict[str, Callable[[], Any]] = {
        "time": lambda: true_time() + off(),
        "time_ns": lambda: int((true_time() + off()) * 1e9),
    }
    for name, function in replaced.items():
        setattr(time, name, function)
    setattr(datetime, "datetime", Shifted)  # noqa: B010 - a type cannot be assigned


def say_where_tasks_are(_signal: int, _frame: object) -> None:
    """What each task of the loop that runs waits for, on stderr."""
    for task in asyncio.all_tasks():
        task.print_stack()


if "STORM_CLOCK" in os.environ:
    signal.signal(signal.SIGUSR1, say_where_tasks_are)
    shift_clock(os.environ["STORM_CLOCK"])
