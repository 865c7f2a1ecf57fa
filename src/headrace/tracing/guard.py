"""Tracing never decides over a job: what an SDK or an exporter raises is said once, and goes no further."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from headrace.log import get_logger

log = get_logger("headrace.tracing")
P = ParamSpec("P")
R = TypeVar("R")
Otherwise = TypeVar("Otherwise")

# Which of our calls have failed so far: spans come by the thousand, and one line about each kind is enough.
_TROUBLES: set[str] = set()


def never_raises(otherwise: Otherwise) -> Callable[[Callable[P, R]], Callable[P, R | Otherwise]]:
    """For a function that calls an SDK: when that raises, the answer is `otherwise`."""

    def guard(function: Callable[P, R]) -> Callable[P, R | Otherwise]:
        @functools.wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R | Otherwise:
            try:
                return function(*args, **kwargs)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # none of these calls awaits: a CancelledError from one is the SDK's own
                with contextlib.suppress(Exception):  # an application's logging may raise
                    _tell(function.__name__, error)
                return otherwise

        return guarded

    return guard


def forget_troubles() -> None:
    """Say again what was said before."""
    _TROUBLES.clear()


def _tell(call: str, error: BaseException) -> None:
    if call in _TROUBLES:
        return
    _TROUBLES.add(call)  # first: the line below asks for the trace that it is part of
    log.warning("tracing failed: spans may be missing", call=call, error=repr(error))
