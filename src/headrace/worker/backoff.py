"""Waiting longer and longer while something is away."""

from __future__ import annotations

import asyncio
import random

FIRST = 0.1
LONGEST = 3.0


class Backoff:
    """0.1 s, doubling to 3 s or less, each with some chance so that workers do not come back in step."""

    def __init__(self, longest: float = LONGEST) -> None:
        self._longest = min(longest, LONGEST)
        self._next = FIRST

    async def pause(self) -> None:
        """Wait, and wait longer the next time."""
        await asyncio.sleep(self._next * random.uniform(0.7, 1.3))  # noqa: S311 - no secret
        self._next = min(self._longest, self._next * 2)

    def reset(self) -> None:
        """Things go well again."""
        self._next = FIRST
