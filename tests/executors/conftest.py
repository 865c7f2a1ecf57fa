"""An executor for each test, closed after it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from headrace.executors.process import ProcessExecutor


@pytest.fixture
async def executor() -> AsyncIterator[ProcessExecutor]:
    """With a grace short enough to wait out, for handlers that use up all of it."""
    executor = ProcessExecutor(kill_grace=0.2)
    yield executor
    await executor.close()


@pytest.fixture
async def patient() -> AsyncIterator[ProcessExecutor]:
    """With a grace longer than any test, for handlers that must end before it does."""
    executor = ProcessExecutor(kill_grace=3600)
    yield executor
    await executor.close()
