"""An embedded server that has ended is started again, ever more seldom while it does not stay up."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import headrace.worker.maintenance.loop
import headrace.worker.maintenance.own_server
from headrace.errors import EmbeddedServerError
from headrace.worker.maintenance.own_server import LONGEST_PAUSE, Reviver

PAUSES = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


class Fallen:
    """A server that is down whenever somebody looks, unless the test says otherwise."""

    log = Path("server.log")

    def __init__(self, *, starts: bool) -> None:
        self.down = True
        self.tried = 0
        self._starts = starts

    def is_down(self) -> bool:
        return self.down

    def revive(self) -> bool:
        self.tried += 1
        if not self._starts:
            raise EmbeddedServerError("its disk is full")
        return True


class Clock:
    """Of the module under test; time passes when the test says so."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.mark.parametrize("starts", [False, True], ids=["cannot be started", "starts and ends at once"])
async def test_a_server_that_does_not_stay_up_is_started_ever_more_seldom(
    monkeypatch: pytest.MonkeyPatch, starts: bool
) -> None:
    pauses: list[float] = []

    async def pause_for(_woken: asyncio.Event, seconds: float) -> bool:
        pauses.append(seconds)
        if len(pauses) == len(PAUSES):
            raise asyncio.CancelledError
        return False

    monkeypatch.setattr(headrace.worker.maintenance.loop, "wait_for_event", pause_for)
    server: Any = Fallen(starts=starts)
    with pytest.raises(asyncio.CancelledError):
        await Reviver(server).run()
    assert (pauses, server.tried) == (PAUSES, len(PAUSES))


async def test_a_server_that_stayed_up_for_a_while_is_started_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(headrace.worker.maintenance.own_server, "time", clock)
    server: Any = Fallen(starts=True)
    reviver = Reviver(server)
    assert [await reviver.tick() for _ in range(3)] == [1.0, 2.0, 4.0]
    for stayed, pause in ((LONGEST_PAUSE, 8.0), (LONGEST_PAUSE + 1, 1.0)):
        server.down = False
        clock.now += stayed
        assert await reviver.tick() is None
        server.down = True
        assert await reviver.tick() == pause
