"""More connections to a test's database, for those who come at the same time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from tests.engine import Engine

from headrace.db.connect import OwnConnection


@pytest.fixture
async def another(engine: Engine) -> AsyncIterator[Callable[[], Awaitable[OwnConnection]]]:
    """Opens one more connection; all of them go with the test."""
    opened: list[OwnConnection] = []

    async def connect() -> OwnConnection:
        opened.append(await engine.endpoint.connect(f"another {len(opened) + 1}"))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.terminate()
