"""What takes milliseconds is done beside the event loop, where all others would wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from headrace.model.secret.mask_outcome import LARGE

P = ParamSpec("P")
R = TypeVar("R")


async def by_size(size: int, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What the work on so many characters of JSON gives: in a thread where they are many, else on the loop."""
    return await asyncio.to_thread(work, *args, **kwargs) if size > LARGE else work(*args, **kwargs)
