"""A request that waits: given up when its client hangs up, or when its token opens nothing any more."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import Request

from headrace.api.auth import authenticator
from headrace.errors import HeadraceError

CHECK_EVERY = 1.0
T = TypeVar("T")


class HungUp(HeadraceError):
    """The client hung up before it was answered."""

    code, status = "hung_up", 499


async def until_disconnect(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What the work gives. It is cancelled when nobody waits for it, or nobody who may."""
    working = asyncio.create_task(work)
    watching = [asyncio.create_task(_hung_up(request)), asyncio.create_task(_not_allowed(request))]
    try:
        await asyncio.wait({working, *watching}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        working.cancel()
        await asyncio.wait({working})
        for watcher in watching:
            if watcher.done():
                watcher.result()
        raise HungUp
    finally:
        for task in (working, *watching):
            task.cancel()


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    raise HungUp


async def _not_allowed(request: Request) -> None:
    while True:
        await asyncio.sleep(CHECK_EVERY)
        await authenticator(request).principal(request)
