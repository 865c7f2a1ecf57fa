"""What a worker does before it works, through trouble that passes by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import asyncpg

from headrace.db.connect import PASSING
from headrace.errors import DatabaseAway, DatabaseUnusable
from headrace.log import get_logger
from headrace.worker.backoff import Backoff

log = get_logger("headrace.worker")
T = TypeVar("T")


async def patiently(task: str, step: Callable[[], Awaitable[T]]) -> T:
    """Try until it is done; a step that is cut off in its middle must bear to be done again."""
    backoff = Backoff()
    while True:
        try:
            return await step()
        except PASSING as error:
            reason = str(error) if isinstance(error, DatabaseAway) else f"{type(error).__name__}: {error}"
            log.warning(f"start delayed: cannot {task} yet", error=reason)
        except asyncpg.SyntaxOrAccessError as error:
            raise missing(task, error) from error
        await backoff.pause()


def missing(task: str, error: BaseException) -> DatabaseUnusable:
    """The sentence for what does not pass by itself."""
    return DatabaseUnusable(
        f"this process cannot {task}: {error}. The database lacks a table, a function or a right. Run headrace doctor."
    )


async def unless_stopped(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """What the work gives, or None when `stop` comes first: then the work is cancelled."""
    working, stopping = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        stopping.cancel()
