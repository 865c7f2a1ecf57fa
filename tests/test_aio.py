"""Waiting for an event never loses a cancellation."""

from __future__ import annotations

import asyncio

import pytest

from headrace.aio import wait_for_event


async def test_it_tells_whether_the_event_came() -> None:
    event = asyncio.Event()
    assert not await wait_for_event(event, 0.001)
    event.set()
    assert await wait_for_event(event, 0.001)


async def test_a_cancellation_that_comes_together_with_the_event_is_not_lost() -> None:
    event = asyncio.Event()
    waiting = asyncio.create_task(wait_for_event(event, 60))
    await asyncio.sleep(0)
    event.set()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
