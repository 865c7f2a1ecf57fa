"""Verbs that are awaited: where no loop runs they refuse, because a coroutine that nobody awaits does nothing."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from headrace.errors import HeadraceError

P = ParamSpec("P")
R = TypeVar("R")


class NoLoop(HeadraceError):
    """No event loop runs here: await it in async code, or call the same verb of `hr.blocking`."""

    code, status = "no_loop", 500


def awaited(verb: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, Coroutine[Any, Any, R]]:
    """The verb, which raises `NoLoop` when it is called where no loop runs."""

    @functools.wraps(verb)
    def checked(*args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R]:
        if asyncio._get_running_loop() is None:
            raise NoLoop(_sentence(verb.__name__, args[0]))
        return verb(*args, **kwargs)

    # So that whoever asks whether it is a coroutine function still knows it for one.
    if hasattr(inspect, "markcoroutinefunction"):
        inspect.markcoroutinefunction(checked)
    else:  # Python 3.11
        checked._is_coroutine = asyncio.coroutines._is_coroutine  # type: ignore[attr-defined]
    return checked


def _sentence(verb: str, owner: Any) -> str:
    """Of the application, or of a job, which names its key."""
    key = getattr(owner, "key", None)
    said, first = ("hr", "…") if key is None else (key, f'"{key}", …')
    return (
        f"{said}.{verb}(…) is to be awaited, and no event loop runs here, so nothing would happen. "
        f"Call hr.blocking.{verb}({first}), which blocks, or await it in async code."
    )
