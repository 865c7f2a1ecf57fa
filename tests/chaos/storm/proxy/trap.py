"""A fault that lies in wait in a proxy until something passes that it is meant for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

# What is not met within this time is taken away, and not counted.
PATIENCE = 8.0


@dataclass(eq=False)
class Trap:
    """What to do with the next message that fits."""

    kind: str
    aim: str = "any"
    sqlstate: str = "XX000"
    sprung: asyncio.Future[str] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def spring(self, on: str) -> None:
        """Say on what."""
        if not self.sprung.done():
            self.sprung.set_result(on)


class Traps:
    """Those of one proxy; each springs once."""

    def __init__(self) -> None:
        self._set: list[Trap] = []

    async def lay(self, trap: Trap) -> str | None:
        """On what it sprang, or nothing when it did not in time."""
        self._set.append(trap)
        try:
            async with asyncio.timeout(PATIENCE):
                return await trap.sprung
        except TimeoutError:
            return None
        finally:
            if trap in self._set:
                self._set.remove(trap)

    def meant_for(self, aims: set[str]) -> Trap | None:
        """The first that waits for such a message; it waits no longer."""
        for trap in self._set:
            if trap.aim == "any" or trap.aim in aims:
                self._set.remove(trap)
                return trap
        return None
