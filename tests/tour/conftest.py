"""The tour uses only what an application uses."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from headrace import Headrace

AWorker = Callable[[], AbstractAsyncContextManager[None]]


@pytest.fixture
def hr(database_url: str) -> Headrace:
    """An application on a database of its own. Without the address it would use an embedded one in `.headrace/`."""
    return Headrace(database_url, app="tour")


@pytest.fixture
def a_worker(hr: Headrace) -> AWorker:
    """`async with a_worker():` is `headrace worker` in this process."""

    @asynccontextmanager
    async def working() -> AsyncIterator[None]:
        async with hr:
            task = asyncio.create_task(hr.run_worker())
            try:
                yield
            finally:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    return working
